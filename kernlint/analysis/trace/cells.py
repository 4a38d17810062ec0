"""What the objects that host code reaches by pointers and references hold: members, parameters' fields, globals.

A cell is a place in memory, told by object and offset.  A store gives it a value, whatever may write it makes the value
unknown, and one that nobody has written since is read as the same value again.  So the pointer in ``field->data`` is
one pointer for a copy, a launch and a release, however often it is read.  Kernels are not walked this way: there other
threads write.
"""

from __future__ import annotations

from itertools import islice, takewhile

from kernlint.analysis.trace.events import Root, RootKind
from kernlint.analysis.trace.values import PointerValue, StructValue, Value, fields_of, unknown_value
from kernlint.record import dataclass, field
from kernlint.symbolic.terms import Term, binary, const
from kernlint.tree.types import I64, PointerType, StructType, Type

Key = tuple[Root, Term]

MOST = 256
"""Cells that are kept; with more everything is forgotten."""


@dataclass(slots=True, eq=False)
class Cells:
    """Cells with a value, and since when the others are as they are: ``pointers`` and ``numbers`` count what may have
    written any cell of the kind, ``objects`` what may have written any in one object."""

    held: dict[Key, Value] = field(default_factory=dict)
    pointers: int = 0
    numbers: int = 0
    objects: dict[Root, int] = field(default_factory=dict)
    _shared: bool = False

    def fork(self) -> Cells:
        """An independent copy; most are never written, so what they hold is copied with the first change."""
        self._shared = True
        return Cells(self.held, self.pointers, self.numbers, self.objects, True)

    def _own(self) -> None:
        """Before a change: what is shared with a fork is copied."""
        if self._shared:
            self.held, self.objects, self._shared = dict(self.held), dict(self.objects), False

    def since(self, root: Root, type_: Type) -> tuple[int, int]:
        """What tells the present contents of the cells of one type in ``root`` from earlier ones."""
        kind = self.pointers if isinstance(type_, PointerType) else self.numbers
        return kind, self.objects.get(root, 0)

    def read(self, root: Root, offset: Term, type_: Type) -> Value | None:
        """What a cell was given; None where it is as it was before."""
        value = self.held.get((root, offset))
        if value is None:
            return None
        if isinstance(value, PointerValue):
            if not isinstance(type_, PointerType):  # a handle that an object wraps
                return value if isinstance(type_, StructType) and not type_.fields else None
            return value if value.pointee == type_.pointee else value.typed(type_.pointee)
        if isinstance(value, Term):
            return value if value.type == type_ else None
        return value if isinstance(type_, StructType) else None

    def write(self, root: Root, offset: Term, type_: Type, value: Value, serial: int) -> None:
        """A store to the cells at ``offset``.  ``serial``: a number that no earlier change had."""
        self._own()
        if offset.value is None or len(self.held) >= MOST:
            self.forget_object(root, serial, pointers=isinstance(type_, (PointerType, StructType)))
        if isinstance(value, StructValue) and fields_of(type_):
            for name, kind, at in fields_of(type_):
                part = value.get(name)
                if at is not None and part is not None:
                    self.write(root, binary("add", offset, const(at), I64), kind, part, serial)
            return
        if isinstance(value, (PointerValue, Term, StructValue)):
            self.held[root, offset] = value
        else:
            self.held[root, offset] = unknown_value(type_, "stored")

    def put(self, root: Root, offset: Term, value: Value) -> None:
        """The cell at ``offset`` holds ``value``, which was there before but had no name."""
        self._own()
        self.held[root, offset] = value

    def forget(self, root: Root, offset: Term, type_: Type, serial: int) -> None:
        """The cells of an object of ``type_`` at ``offset`` may have been written."""
        self._own()
        size = type_.size
        if offset.value is None or size is None:
            self.forget_object(root, serial)
            return
        for _, kind, at in fields_of(type_) if isinstance(type_, StructType) else ():
            if at is not None:
                self.forget(root, const(offset.value + at), kind, serial)
        self.held[root, offset] = unknown_value(type_, "written by a call")

    def forget_object(self, root: Root, serial: int, pointers: bool = True) -> None:
        """Any cell of ``root`` may have been written, those with pointers only if ``pointers``."""
        self._own()
        if pointers:
            self.objects[root] = serial
        for key in [key for key in self.held if key[0] is root]:
            if pointers or not isinstance(self.held[key], PointerValue):
                self.held[key] = _unknown_like(self.held[key])

    def forget_all(self, serial: int, pointers: bool = True, named: bool = True) -> None:
        """Any cell may have been written; those with pointers only if ``pointers``, variables of the file that hold
        one pointer only if ``named`` (nothing but a store to their name changes these)."""
        self._own()
        kept = {key: value for key, value in self.held.items() if not named and file_pointer(key[0])}
        if not pointers:
            kept |= {key: value for key, value in self.held.items() if isinstance(value, PointerValue)}
        self.held = kept
        self.numbers = serial
        if pointers:
            self.pointers = serial


def _unknown_like(value: Value) -> Value:
    if isinstance(value, PointerValue):
        return unknown_value(PointerType(value.pointee, value.root.space), "written")
    return unknown_value(value.type, "written") if isinstance(value, (Term, StructValue)) else value


def join_cells(cond: Term, a: Cells, b: Cells, serial: int, unknown: set[Key]) -> Cells:
    """Cells after two branches, the first taken under ``cond``.  ``unknown``: those of ``b`` of which this joining of
    several branches has said already that nothing is known; more are added."""
    from kernlint.analysis.trace.values import merge, same

    alike = a.held is b.held or (not a.held and not b.held)
    if alike and a.pointers == b.pointers and a.numbers == b.numbers and a.objects == b.objects:
        return a
    held = dict(a.held)
    out = Cells(
        held,
        a.pointers if a.pointers == b.pointers else serial,
        a.numbers if a.numbers == b.numbers else serial,
        {root: at if b.objects.get(root, 0) == at else serial for root, at in a.objects.items()},
    )
    out.objects.update((root, serial) for root in b.objects if root not in a.objects)
    if alike:
        return out
    # Both come of one state, so that most cells stand at the same place in both: these are not looked up.
    alike_up_to = sum(1 for _ in takewhile(lambda keys: keys[0] is keys[1], zip(a.held, b.held, strict=False)))
    for (key, left), right in islice(zip(a.held.items(), b.held.values(), strict=False), alike_up_to):
        if left is right:
            continue
        if key in unknown:
            held[key] = right
        elif not same(left, right):
            held[key] = merge(cond, left, right)
    there = b.held.get
    for key, left in islice(a.held.items(), alike_up_to, None):
        other = there(key)
        if other is None:
            held[key] = _unknown_like(left)
            unknown.add(key)
        elif key in unknown:
            held[key] = other
        elif not same(left, other):
            held[key] = merge(cond, left, other)
    for key, right in islice(b.held.items(), alike_up_to, None):
        if key not in held:
            held[key] = right if key in unknown else _unknown_like(right)
            unknown.add(key)
    return out


def file_pointer(root: Root) -> bool:
    """Whether an object is one pointer variable of the file, which nothing but a store to it by name changes."""
    decl = root.decl
    return root.kind is RootKind.VARIABLE and decl is not None and decl.is_global and isinstance(decl.type, PointerType)
