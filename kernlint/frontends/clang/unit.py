"""A translation unit: its trees, its types, and the places of both.

The places of nodes written in the main file need no call into the library: clang numbers the bytes of a file
consecutively, so a place is the encoded location minus that of the file's first byte.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from functools import cached_property

from kernlint.frontends.base import FrontendError
from kernlint.frontends.clang.cursor import Cursor, Extent, Location
from kernlint.frontends.clang.kinds import ChildVisit, CursorKind
from kernlint.frontends.clang.native import LIB, VISITOR, CXCursor, CXSourceLocation, CXSourceRange, CXType, take
from kernlint.frontends.clang.types import Type

MACRO_BIT = 0x8000_0000
_CONTINUE = int(ChildVisit.CONTINUE)
_RECURSE = int(ChildVisit.RECURSE)
_BREAK = int(ChildVisit.BREAK)
_FIRST, _BEHIND = int(CursorKind.UNEXPOSED_EXPR), 200  # expressions
_NUMBERS = frozenset({int(CursorKind.INTEGER_LITERAL), int(CursorKind.FLOATING_LITERAL)})

MOST_PARTS = 1 << 17
"""Parts of one expression, the numbers of a table, that trees are made of: as many take about a second, and 100 MB."""
_FIRST_PREPROCESSING = int(CursorKind.PREPROCESSING_DIRECTIVE)
_LAST_PREPROCESSING = int(CursorKind.INCLUSION_DIRECTIVE)
_OF_THE_TREE = 1  # CXTUResourceUsage_AST


class Unit:
    """A translation unit. Cursors and types must not be used after ``dispose``."""

    def __init__(self, handle: int, path: str, size: int) -> None:
        self.handle: int | None = handle
        self.path = path
        self.size = size
        self.known_as: tuple[str, str] | None = None
        """A real path, and the name that the file there goes by."""
        self.shortened: set[int] = set()
        """Variables with so many numbers that not all are in their trees, by their keys."""
        self._types: dict[int, Type] = {}
        self._declarations: dict[tuple[int, int], Cursor] = {}
        self._files: dict[int, str] = {}
        self.main_file = LIB.getFile(handle, path.encode("utf-8", "surrogateescape")) or 0
        self._files[self.main_file] = path
        self._base = int(LIB.getLocationForOffset(handle, self.main_file, 0).raw) if self.main_file else -1
        self._header: tuple[int, int, str | None] = (1, 0, None)  # first and furthest place, name
        self._file, self._line = ctypes.c_void_p(), ctypes.c_uint()
        self._column, self._offset = ctypes.c_uint(), ctypes.c_uint()
        self._out = tuple(map(ctypes.addressof, (self._file, self._line, self._column, self._offset)))

    def dispose(self) -> None:
        """Free the unit; safe to call twice."""
        if self.handle is not None:
            LIB.disposeTranslationUnit(self.handle)
            self.handle = None
            # Declarations lead to themselves and to one another: taken apart they go at once, with all below them.
            for node in (*self._declarations.values(), *self._types.values()):
                vars(node).clear()
            self._types.clear()
            self._declarations.clear()

    def live_handle(self) -> int:
        """The handle. Raises ``FrontendError`` after ``dispose``."""
        if self.handle is None:
            raise FrontendError("the translation unit is closed")
        return self.handle

    @cached_property
    def weight(self) -> int:
        """Bytes that clang took for the tree: what a parse costs, the same on every machine."""
        usage = LIB.getCXTUResourceUsage(self.live_handle())
        try:
            entries = (usage.entries[index] for index in range(usage.count))
            return sum(entry.amount for entry in entries if entry.kind == _OF_THE_TREE)
        finally:
            LIB.disposeCXTUResourceUsage(usage)

    # objects for raw handles

    def type_of(self, raw: CXType) -> Type:
        """The one ``Type`` object for a handle."""
        found = self._types.get(raw.d0)
        if found is None:
            found = self._types[raw.d0] = Type(raw, self)
        return found

    def declaration(self, raw: CXCursor) -> Cursor | None:
        """The one ``Cursor`` for a declaration's handle; None for the null cursor and other invalid ones."""
        kind = raw.kind
        if CursorKind.INVALID_FILE <= kind <= CursorKind.INVALID_CODE:
            return None
        key = (kind, raw.d0) if raw.d1 <= 1 else (raw.d0, raw.d1)
        found = self._declarations.get(key)
        if found is None:
            found = self._declarations[key] = Cursor(raw, self)
        return found

    def cursor(self, raw: CXCursor) -> Cursor | None:
        """A new cursor for a handle; None for an invalid one."""
        if CursorKind.INVALID_FILE <= raw.kind <= CursorKind.INVALID_CODE:
            return None
        return Cursor(raw, self)

    # places

    def file_name(self, file: int | None) -> str | None:
        """The name of a file handle as the parser was given it."""
        if not file:
            return None
        name = self._files.get(file)
        if name is None:
            name = take(LIB.getFileName(file))
            if self.known_as is not None and os.path.realpath(name) == self.known_as[0]:
                name = self.known_as[1]
            self._files[file] = name
        return name

    def location_of(self, raw: CXSourceLocation) -> Location:
        """The file place of a raw location."""
        LIB.getFileLocation(raw, *self._out)
        return Location(self.file_name(self._file.value), self._line.value, self._column.value, self._offset.value)

    def extent_of(self, raw: CXSourceRange) -> Extent:
        """The file range of a raw range."""
        base, size = self._base, self.size
        begin, end = raw.begin, raw.end
        if 0 <= begin - base <= size and 0 <= end - base <= size:
            return Extent(self.path, begin - base, end - base, False)
        low, high, name = self._header
        if low <= begin <= high and low <= end <= high:
            return Extent(name, begin - low, end - low, False)
        place = CXSourceLocation(raw.p0, raw.p1, begin)
        LIB.getFileLocation(place, *self._out)
        file, start = self._file.value, self._offset.value
        place.raw = end
        LIB.getFileLocation(place, *self._out)
        stop = self._offset.value if self._file.value == file else start
        name = self.file_name(file)
        if file and file == self._file.value and begin < MACRO_BIT and end < MACRO_BIT:
            # Bytes of one inclusion are numbered consecutively: all up to the furthest place seen are known now.
            first = begin - start
            self._header = (first, max(end, high) if first == low else end, name)
        return Extent(name, start, max(start, stop), begin >= MACRO_BIT)

    def is_main(self, raw: CXSourceLocation) -> bool:
        """Whether a place is written in, or expanded in, the main file."""
        at = raw.raw
        if at < MACRO_BIT:
            return 0 <= at - self._base <= self.size
        LIB.getFileLocation(raw, *self._out)
        return bool(self._file.value) and self._file.value == self.main_file

    # trees

    def root(self) -> Cursor:
        """The TRANSLATION_UNIT cursor; prefer ``top_level``, its children include the whole prelude's macros."""
        return Cursor(LIB.getTranslationUnitCursor(self.live_handle()), self)

    def top_level(self, main_only: bool = True) -> list[Cursor]:
        """Top-level declarations in order, without those of the precompiled prelude; children not yet built.

        Function instances that the source brings about stand in the list too, behind their templates.
        """
        found: list[Cursor] = []
        location = LIB.getCursorLocation

        def keep(raw: CXCursor) -> None:
            if _FIRST_PREPROCESSING <= raw.kind <= _LAST_PREPROCESSING:
                return
            if not main_only or self.is_main(location(raw)):
                found.append(Cursor(raw, self))

        self._each(self.root().raw, keep)
        return found

    def members(self, scope: Cursor) -> list[Cursor]:
        """Direct children of a node, without the trees below them: cheap for a namespace or a class."""
        found: list[Cursor] = []
        self._each(scope.raw, lambda raw: found.append(Cursor(raw, self)))
        return found

    def child_kinds(self, cursor: Cursor) -> list[int]:
        """Kinds of the direct children of a node."""
        found: list[int] = []
        self._each(cursor.raw, lambda raw: found.append(raw.kind))
        return found

    def preprocessing(
        self, kinds: tuple[int, ...] = (CursorKind.MACRO_EXPANSION,), main_only: bool = True
    ) -> list[Cursor]:
        """Macro expansions (or other preprocessing cursors), in order; those of the main file unless told otherwise.

        Where the text of a macro's body stands is to be had only through ``referenced``, its definition: libclang
        gives the place of the invocation for all that comes out of the body.
        """
        found: list[Cursor] = []
        location = LIB.getCursorLocation

        def keep(raw: CXCursor) -> None:
            if raw.kind in kinds and (not main_only or self.is_main(location(raw))):
                found.append(Cursor(raw, self))

        self._each(self.root().raw, keep)
        return found

    def _each(self, parent: CXCursor, keep: Callable[[CXCursor], None]) -> None:
        self.live_handle()
        failure: list[BaseException] = []

        def visit(raw: CXCursor, _: CXCursor, __: object) -> int:
            try:
                keep(raw)
            except BaseException as error:  # an exception must not cross the C frames; it is raised below
                failure.append(error)
                return _BREAK
            return _CONTINUE

        LIB.visitChildren(parent, VISITOR(visit), None)
        if failure:
            raise failure[0]

    def grow(self, root: Cursor) -> None:
        """Build the whole tree below ``root`` in one pass of the library's own recursion.

        The library visits in pre-order and tells the parent of each node, so the path from the root is a stack that
        is unwound to the parent.  Of expressions with more parts than :data:`MOST_PARTS` one more than that is built,
        and of variables with more numbers in tables as many: they are in ``shortened``.
        """
        self.live_handle()
        failure: list[BaseException] = []
        unit = self
        root.children = []
        path: list[list[Cursor]] = [root.children]
        keys = [root.key]
        new = Cursor.__new__
        table, numbers = root.kind == CursorKind.VAR_DECL, 0

        def visit(raw: CXCursor, parent: CXCursor, _: object) -> int:
            nonlocal numbers
            try:
                above = parent.d1
                if above <= 1:
                    above = parent.d0
                if keys[-1] != above:
                    at = len(keys) - 1
                    while at >= 0 and keys[at] != above:
                        at -= 1
                    if at >= 0:  # the parent of a lambda's implicit captures is never visited: they stay where we are
                        del keys[at + 1 :], path[at + 1 :]
                if len(path[-1]) > MOST_PARTS and _FIRST <= raw.kind < _BEHIND:
                    return _CONTINUE
                if table and raw.kind in _NUMBERS:
                    numbers += 1
                    if numbers > MOST_PARTS:
                        unit.shortened.add(root.key)
                        return _CONTINUE
                node = new(Cursor)
                node.raw = raw
                node.kind = raw.kind
                node.unit = unit
                below: list[Cursor] = []
                node.children = below
                path[-1].append(node)
                path.append(below)
                key = raw.d1
                keys.append(key if key > 1 else raw.d0)
            except BaseException as error:  # see _each
                failure.append(error)
                return _BREAK
            return _RECURSE

        LIB.visitChildren(root.raw, VISITOR(visit), None)
        if failure:
            raise failure[0]
