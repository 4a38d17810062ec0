"""Nodes, types and places of a parsed translation unit, as light Python objects.

A ``Cursor`` made by a tree walk holds only the raw handle and its children; everything else is computed on first use
and kept. The places of nodes written in the main file need no call into the library: clang numbers the bytes of a
file consecutively, so a place is the encoded location minus that of the file's first byte.

Offsets are bytes into the UTF-8 text that was parsed, lines and columns (bytes) count from 1.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from typing import Any, Generic, NamedTuple, TypeVar, overload

from kernlint.frontends.base import FrontendError
from kernlint.frontends.clang.kinds import ChildVisit, CursorKind, EvalKind, TypeKind
from kernlint.frontends.clang.native import (
    LIB,
    TERSE_OUTPUT,
    VISITOR,
    CXCursor,
    CXSourceLocation,
    CXSourceRange,
    CXType,
    take,
)

V = TypeVar("V")

MACRO_BIT = 0x8000_0000
_CONTINUE = int(ChildVisit.CONTINUE)
_RECURSE = int(ChildVisit.RECURSE)
_BREAK = int(ChildVisit.BREAK)
_FIRST_PREPROCESSING = int(CursorKind.PREPROCESSING_DIRECTIVE)
_LAST_PREPROCESSING = int(CursorKind.INCLUSION_DIRECTIVE)


class lazy(Generic[V]):
    """A method computed once: the value replaces the descriptor on the instance."""

    def __init__(self, compute: Callable[[Any], V]) -> None:
        self.compute = compute
        self.name = compute.__name__
        self.__doc__ = compute.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> lazy[V]: ...

    @overload
    def __get__(self, instance: object, owner: type) -> V: ...

    def __get__(self, instance: object | None, owner: type) -> V | lazy[V]:
        if instance is None:
            return self
        value = self.compute(instance)
        setattr(instance, self.name, value)
        return value


class Extent(NamedTuple):
    """A half-open byte range of one file.

    ``in_macro`` tells that the first token comes out of a macro expansion: the range is then what is written in the
    file for it, the argument where the token came through one, else the whole invocation.
    """

    file: str | None
    start: int
    end: int
    in_macro: bool


class Location(NamedTuple):
    """A point of a file; ``file`` is None for places that no file has (built-ins, the command line)."""

    file: str | None
    line: int
    column: int
    offset: int


class Cursor:
    """A node of clang's tree.

    ``kind`` is a ``CursorKind`` number, ``raw`` the handle, which lives as long as the unit. Two cursors are the
    same node if their keys are equal.
    """

    raw: CXCursor
    kind: int
    unit: Unit

    def __init__(self, raw: CXCursor, unit: Unit) -> None:
        self.raw = raw
        self.kind = raw.kind
        self.unit = unit

    def __repr__(self) -> str:
        try:
            name = CursorKind(self.kind).name
        except ValueError:
            name = str(self.kind)
        return f"<{name} {self.spelling!r} {self.extent.start}:{self.extent.end}>"

    @lazy
    def children(self) -> list[Cursor]:
        """Direct children in source order; building them builds the whole tree below."""
        self.unit.grow(self)
        return self.children

    @lazy
    def key(self) -> int:
        """An identity that is equal for all handles of one node of this unit."""
        raw = self.raw
        return raw.d1 if raw.d1 > 1 else raw.d0

    @lazy
    def spelling(self) -> str:
        """The name; empty for nodes that have none."""
        return take(LIB.getCursorSpelling(self.raw))

    @lazy
    def display_name(self) -> str:
        """The name with parameter types or template arguments."""
        return take(LIB.getCursorDisplayName(self.raw))

    @lazy
    def usr(self) -> str:
        """Clang's identity of a declaration across translation units."""
        return take(LIB.getCursorUSR(self.raw))

    @lazy
    def type(self) -> Type:
        """The type of an expression or declaration (kind INVALID where there is none)."""
        return self.unit.type_of(LIB.getCursorType(self.raw))

    @lazy
    def result_type(self) -> Type:
        """The return type of a function declaration."""
        return self.unit.type_of(LIB.getCursorResultType(self.raw))

    @lazy
    def extent(self) -> Extent:
        """Where the node is written (see ``Extent`` for macros)."""
        return self.unit.extent_of(LIB.getCursorExtent(self.raw))

    @lazy
    def location(self) -> Location:
        """The node's characteristic point, such as a declaration's name or an operator."""
        return self.unit.location_of(LIB.getCursorLocation(self.raw))

    @lazy
    def in_main_file(self) -> bool:
        """Whether the node is written in the main file or comes from a macro expanded there."""
        return self.unit.is_main(LIB.getCursorLocation(self.raw))

    @lazy
    def referenced(self) -> Cursor | None:
        """The declaration a reference, call or member access names; instantiated where the context is concrete."""
        return self.unit.declaration(LIB.getCursorReferenced(self.raw))

    @lazy
    def definition(self) -> Cursor | None:
        """The definition of the declared or referenced entity, if this unit has it."""
        return self.unit.declaration(LIB.getCursorDefinition(self.raw))

    @lazy
    def canonical(self) -> Cursor:
        """The first declaration of the same entity."""
        return self.unit.declaration(LIB.getCanonicalCursor(self.raw)) or self

    @lazy
    def template(self) -> Cursor | None:
        """The template this specialisation comes from."""
        return self.unit.declaration(LIB.getSpecializedCursorTemplate(self.raw))

    @lazy
    def semantic_parent(self) -> Cursor | None:
        """The scope the declaration belongs to."""
        return self.unit.declaration(LIB.getCursorSemanticParent(self.raw))

    @lazy
    def qualified_name(self) -> str:
        """The name with its enclosing namespaces and classes; anonymous and inline scopes are left out."""
        parts = [self.spelling]
        scope = self.semantic_parent
        while scope is not None and scope.kind != CursorKind.TRANSLATION_UNIT:
            if scope.kind not in (CursorKind.LINKAGE_SPEC, CursorKind.UNEXPOSED_DECL) and not scope.is_anonymous:
                parts.append(scope.spelling)
            scope = scope.semantic_parent
        return "::".join(reversed([part for part in parts if part]))

    @lazy
    def overloads(self) -> list[Cursor]:
        """The candidates of an OVERLOADED_DECL_REF."""
        found = (self.unit.declaration(LIB.getOverloadedDecl(self.raw, i)) for i in range(self._overload_count))
        return [cursor for cursor in found if cursor is not None]

    @property
    def _overload_count(self) -> int:
        return int(LIB.getNumOverloadedDecls(self.raw))

    @lazy
    def arguments(self) -> list[Cursor]:
        """Arguments of a call or parameters of a function."""
        count = LIB.Cursor_getNumArguments(self.raw)
        return [Cursor(LIB.Cursor_getArgument(self.raw, i), self.unit) for i in range(max(count, 0))]

    @property
    def binary_operator(self) -> int:
        """A ``BinaryOperator`` number."""
        return int(LIB.getCursorBinaryOperatorKind(self.raw))

    @property
    def unary_operator(self) -> int:
        """A ``UnaryOperator`` number."""
        return int(LIB.getCursorUnaryOperatorKind(self.raw))

    @property
    def storage_class(self) -> int:
        """A ``StorageClass`` number."""
        return int(LIB.Cursor_getStorageClass(self.raw))

    @property
    def is_definition(self) -> bool:
        """Whether a declaration is a definition."""
        return bool(LIB.isCursorDefinition(self.raw))

    @property
    def is_anonymous(self) -> bool:
        """Whether a namespace or record has no name."""
        return bool(LIB.Cursor_isAnonymous(self.raw))

    @property
    def is_invalid_declaration(self) -> bool:
        """Whether clang marked the declaration as broken by an error."""
        return bool(LIB.isInvalidDeclaration(self.raw))

    @property
    def is_static_method(self) -> bool:
        """Whether a method has no object argument."""
        return bool(LIB.CXXMethod_isStatic(self.raw))

    @property
    def initializer(self) -> Cursor | None:
        """A variable's initialiser."""
        return self.unit.cursor(LIB.Cursor_getVarDeclInitializer(self.raw))

    @property
    def enum_value(self) -> int:
        """The value of an ENUM_CONSTANT_DECL."""
        return int(LIB.getEnumConstantDeclValue(self.raw))

    @property
    def bit_width(self) -> int | None:
        """The width in bits of a bit-field, else None."""
        return int(LIB.getFieldDeclBitWidth(self.raw)) if LIB.Cursor_isBitField(self.raw) else None

    @property
    def field_offset(self) -> int:
        """The offset of a field in bits; negative where it is unknown."""
        return int(LIB.Cursor_getOffsetOfField(self.raw))

    @lazy
    def underlying_type(self) -> Type:
        """What a typedef or alias names."""
        return self.unit.type_of(LIB.getTypedefDeclUnderlyingType(self.raw))

    @property
    def template_argument_count(self) -> int:
        """Number of template arguments of a function or class specialisation; -1 if it is none."""
        return int(LIB.Cursor_getNumTemplateArguments(self.raw))

    def template_argument(self, index: int) -> tuple[int, Type | int | None]:
        """The ``TemplateArgumentKind`` number and the type or integer of one argument (None for other kinds)."""
        kind = int(LIB.Cursor_getTemplateArgumentKind(self.raw, index))
        if kind == 1:
            return kind, self.unit.type_of(LIB.Cursor_getTemplateArgumentType(self.raw, index))
        if kind == 4:
            return kind, int(LIB.Cursor_getTemplateArgumentValue(self.raw, index))
        return kind, None

    def evaluate(self) -> int | float | bytes | None:
        """The constant value of an expression or of a variable's initialiser, if clang can compute one."""
        result = LIB.Cursor_Evaluate(self.raw)
        if not result:
            return None
        try:
            kind = LIB.EvalResult_getKind(result)
            if kind == EvalKind.INT:
                if LIB.EvalResult_isUnsignedInt(result):
                    return int(LIB.EvalResult_getAsUnsigned(result))
                return int(LIB.EvalResult_getAsLongLong(result))
            if kind == EvalKind.FLOAT:
                return float(LIB.EvalResult_getAsDouble(result))
            if kind == EvalKind.STRING_LITERAL:
                return LIB.EvalResult_getAsStr(result) or b""
            return None
        finally:
            LIB.EvalResult_dispose(result)

    def head(self) -> str:
        """A declaration printed without its body, attributes included."""
        policy = LIB.getCursorPrintingPolicy(self.raw)
        try:
            LIB.PrintingPolicy_setProperty(policy, TERSE_OUTPUT, 1)
            return take(LIB.getCursorPrettyPrinted(self.raw, policy))
        finally:
            LIB.PrintingPolicy_dispose(policy)

    def expansion_extent(self) -> Extent:
        """Where the node is written, each place inside a macro replaced by the outermost invocation."""
        return self.unit.extent_of(LIB.getCursorExtent(self.raw), LIB.getExpansionLocation)

    def spelling_extent(self) -> Extent:
        """Where the tokens themselves are written, which is the macro's definition for its body."""
        return self.unit.extent_of(LIB.getCursorExtent(self.raw), LIB.getSpellingLocation)

    def walk(self) -> Iterator[Cursor]:
        """This node and all below it, in source order."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))


class Type:
    """A type with its qualifiers; one object per type and unit, so identity is equality of the written type."""

    raw: CXType
    kind: int
    unit: Unit

    def __init__(self, raw: CXType, unit: Unit) -> None:
        self.raw = raw
        self.kind = raw.kind
        self.unit = unit

    def __repr__(self) -> str:
        return f"<Type {self.spelling}>"

    @lazy
    def spelling(self) -> str:
        """The type as C++ text."""
        return take(LIB.getTypeSpelling(self.raw))

    @lazy
    def canonical(self) -> Type:
        """The type with typedefs and sugar removed at every level."""
        return self.unit.type_of(LIB.getCanonicalType(self.raw))

    @lazy
    def pointee(self) -> Type:
        """What a pointer or reference points at (kind INVALID otherwise)."""
        return self.unit.type_of(LIB.getPointeeType(self.raw))

    @lazy
    def non_reference(self) -> Type:
        """The type without a reference around it."""
        return self.unit.type_of(LIB.getNonReferenceType(self.raw))

    @lazy
    def unqualified(self) -> Type:
        """The type without its outermost const, volatile and restrict."""
        return self.unit.type_of(LIB.getUnqualifiedType(self.raw))

    @lazy
    def result(self) -> Type:
        """The return type of a function type."""
        return self.unit.type_of(LIB.getResultType(self.raw))

    @lazy
    def parameters(self) -> list[Type]:
        """The parameter types of a function type."""
        count = LIB.getNumArgTypes(self.raw)
        return [self.unit.type_of(LIB.getArgType(self.raw, i)) for i in range(max(count, 0))]

    @lazy
    def element(self) -> Type:
        """The element type of an array, vector or complex type."""
        return self.unit.type_of(LIB.getElementType(self.raw))

    @lazy
    def count(self) -> int:
        """The number of elements of an array or vector; -1 where there is no constant number."""
        return int(LIB.getNumElements(self.raw))

    @lazy
    def named(self) -> Type:
        """The type an ELABORATED type stands for."""
        return self.unit.type_of(LIB.Type_getNamedType(self.raw))

    @lazy
    def atomic_value(self) -> Type:
        """The value type of an ATOMIC type."""
        return self.unit.type_of(LIB.Type_getValueType(self.raw))

    @lazy
    def declaration(self) -> Cursor | None:
        """The declaration of a record, enum or typedef type."""
        return self.unit.declaration(LIB.getTypeDeclaration(self.raw))

    @lazy
    def address_space(self) -> int:
        """The number of the address space (``AddressSpace`` for OpenCL)."""
        return int(LIB.getAddressSpace(self.raw))

    @lazy
    def is_const(self) -> bool:
        """Whether const-qualified at the outermost level."""
        return bool(LIB.isConstQualifiedType(self.raw))

    @lazy
    def is_volatile(self) -> bool:
        """Whether volatile-qualified at the outermost level."""
        return bool(LIB.isVolatileQualifiedType(self.raw))

    @lazy
    def is_restrict(self) -> bool:
        """Whether restrict-qualified at the outermost level."""
        return bool(LIB.isRestrictQualifiedType(self.raw))

    @lazy
    def size(self) -> int:
        """Size in bytes; negative where it is not known (incomplete or dependent)."""
        return int(LIB.Type_getSizeOf(self.raw))

    @lazy
    def alignment(self) -> int:
        """Alignment in bytes; negative where it is not known."""
        return int(LIB.Type_getAlignOf(self.raw))

    @lazy
    def template_arguments(self) -> list[Type]:
        """The template arguments of a specialisation; those that are not types have kind INVALID."""
        count = LIB.Type_getNumTemplateArguments(self.raw)
        return [self.unit.type_of(LIB.Type_getTemplateArgumentAsType(self.raw, i)) for i in range(max(count, 0))]


class Unit:
    """A translation unit. Cursors and types must not be used after ``dispose``."""

    def __init__(self, handle: int, path: str, size: int) -> None:
        self.handle: int | None = handle
        self.path = path
        self.size = size
        self._types: dict[int, Type] = {}
        self._declarations: dict[tuple[int, int], Cursor] = {}
        self._files: dict[int, str] = {}
        self.main_file = LIB.getFile(handle, path.encode("utf-8", "surrogateescape")) or 0
        self._files[self.main_file] = path
        self._base = int(LIB.getLocationForOffset(handle, self.main_file, 0).raw) if self.main_file else -1
        self._file, self._line = ctypes.c_void_p(), ctypes.c_uint()
        self._column, self._offset = ctypes.c_uint(), ctypes.c_uint()
        self._out = tuple(map(ctypes.addressof, (self._file, self._line, self._column, self._offset)))

    def dispose(self) -> None:
        """Free the unit; safe to call twice."""
        if self.handle is not None:
            LIB.disposeTranslationUnit(self.handle)
            self.handle = None
            self._types.clear()
            self._declarations.clear()

    def live_handle(self) -> int:
        """The handle. Raises ``FrontendError`` after ``dispose``."""
        if self.handle is None:
            raise FrontendError("the translation unit is closed")
        return self.handle

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
            name = self._files[file] = take(LIB.getFileName(file))
        return name

    def location_of(self, raw: CXSourceLocation, resolve: Callable[..., None] | None = None) -> Location:
        """The file place of a raw location; ``resolve`` is ``getFileLocation`` unless given."""
        (resolve or LIB.getFileLocation)(raw, *self._out)
        return Location(self.file_name(self._file.value), self._line.value, self._column.value, self._offset.value)

    def extent_of(self, raw: CXSourceRange, resolve: Callable[..., None] | None = None) -> Extent:
        """The file range of a raw range; ``resolve`` is ``getFileLocation`` unless given."""
        base, size = self._base, self.size
        begin, end = raw.begin, raw.end
        if 0 <= begin - base <= size and 0 <= end - base <= size:
            return Extent(self.path, begin - base, end - base, False)
        resolve = resolve or LIB.getFileLocation
        place = CXSourceLocation(raw.p0, raw.p1, begin)
        resolve(place, *self._out)
        file, start = self._file.value, self._offset.value
        place.raw = end
        resolve(place, *self._out)
        stop = self._offset.value if self._file.value == file else start
        return Extent(self.file_name(file), start, max(start, stop), begin >= MACRO_BIT)

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
        """Top-level declarations in order, without those of the precompiled prelude; children not yet built."""
        found: list[Cursor] = []
        location = LIB.getCursorLocation

        def keep(raw: CXCursor) -> None:
            if _FIRST_PREPROCESSING <= raw.kind <= _LAST_PREPROCESSING:
                return
            if not main_only or self.is_main(location(raw)):
                found.append(Cursor(raw, self))

        self._each(keep)
        return found

    def preprocessing(self, kinds: tuple[int, ...] = (CursorKind.MACRO_EXPANSION,)) -> list[Cursor]:
        """Macro expansions (or other preprocessing cursors) written in the main file, in order."""
        found: list[Cursor] = []
        location = LIB.getCursorLocation

        def keep(raw: CXCursor) -> None:
            if raw.kind in kinds and self.is_main(location(raw)):
                found.append(Cursor(raw, self))

        self._each(keep)
        return found

    def _each(self, keep: Callable[[CXCursor], None]) -> None:
        failure: list[BaseException] = []

        def visit(raw: CXCursor, parent: CXCursor, _: object) -> int:
            try:
                keep(raw)
            except BaseException as error:  # an exception must not cross the C frames; it is raised below
                failure.append(error)
                return _BREAK
            return _CONTINUE

        LIB.visitChildren(LIB.getTranslationUnitCursor(self.live_handle()), VISITOR(visit), None)
        if failure:
            raise failure[0]

    def grow(self, root: Cursor) -> None:
        """Build the whole tree below ``root`` in one pass of the library's own recursion.

        The library visits in pre-order and tells the parent of each node, so the path from the root is a stack that
        is unwound to the parent.
        """
        self.live_handle()
        failure: list[BaseException] = []
        unit = self
        root.children = []
        path: list[list[Cursor]] = [root.children]
        keys = [root.key]
        new = Cursor.__new__

        def visit(raw: CXCursor, parent: CXCursor, _: object) -> int:
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


def is_scalar(kind: int) -> bool:
    """Whether a type kind is an arithmetic type, an enum or a pointer."""
    return TypeKind.BOOL <= kind <= TypeKind.NULLPTR or kind in (
        TypeKind.HALF,
        TypeKind.FLOAT16,
        TypeKind.BFLOAT16,
        TypeKind.ENUM,
        TypeKind.POINTER,
    )
