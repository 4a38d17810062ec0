"""Which memory the pointers of host code lead to, and how much of it there is."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from kernlint.analysis.trace.events import AllocationEvent, Root, RootKind
from kernlint.analysis.trace.values import NULL, PointerValue, ReferenceValue, Value, chosen
from kernlint.apis import Made, makes
from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.symbolic.terms import Term, binary, cast, const, plain
from kernlint.tree.types import I64, U8, ArrayType, FloatType, IntType, Space, StructType, Type

Allocations = Mapping[int, AllocationEvent]
"""What was allocated, by the identity of the object."""


class Where(Enum):
    """Which memory something lies in."""

    DEVICE = "device memory"
    HOST = "host memory"
    BOTH = "memory of both"  # managed, or pinned: whatever is done with it may be meant
    UNKNOWN = "unknown"


_OBJECTS = {"Buffer": Where.DEVICE, "vector": Where.HOST}
"""Classes of ``cl2.hpp`` and the standard library whose constructors allocate."""

_MADE = {Made.DEVICE: Where.DEVICE, Made.HOST: Where.HOST}


def complete(name: str) -> bool:
    """Whether an asynchronous copy to pageable memory of the host is over when the call returns: so it is in CUDA (API
    synchronization behavior, up to version 11: the function returns only once the copy has completed; since 12 it
    "might be synchronous", and still is) and HIP (memory that is not pinned is copied synchronously), and not in
    OpenCL."""
    last = name.rpartition("::")[2]
    return last.startswith(("cuda", "hip", "cuM"))


def allocated_by(name: str) -> Where:
    """The memory that an allocation function gives; some of both where it is not listed."""
    made = makes(name)
    if made is not None:
        return _MADE.get(made.made, Where.BOTH)
    return _OBJECTS.get(name.rpartition("::")[2], Where.BOTH)


def as_pointer(value: Value | None) -> PointerValue | None:
    """``value`` as a pointer; the driver's pointers are numbers."""
    if isinstance(value, PointerValue):
        return value
    if not isinstance(value, Term):
        return None
    base, offset = plain(value), const(0)
    while base.op == "add":
        kept, added = base.args if _address(base.args[0]) else base.args[::-1]
        base, offset = plain(kept), binary("add", offset, cast(added, I64), I64)
    if base.op != "call" or base.args[0] != "address":
        return None
    root = base.args[1].args[0].origin
    return PointerValue(root, binary("add", base.args[2], offset, I64), root.element)


def _address(term: Term) -> bool:
    term = plain(term)
    if term.op == "add":
        return any(map(_address, term.args))
    return term.op == "call" and term.args[0] == "address"


def not_null(value: Value | None) -> PointerValue | None:
    """``value`` as a pointer, which is the only one that it may be and that is not null."""
    pointer = as_pointer(value)
    if pointer is None or pointer.root.kind is not RootKind.UNKNOWN:
        return pointer
    found = [at for _, at in chosen(pointer) if at.root.name != NULL]
    return found[0] if len(found) == 1 else pointer


def pointed_to(value: Value | None) -> tuple[Root, ...]:
    """The objects that a pointer may point to, null aside; empty where that is not known."""
    pointer = as_pointer(value)
    if pointer is None:
        return ()
    roots = [root for _, at in chosen(pointer) for root in (at.root.candidates or (at.root,)) if root.name != NULL]
    return () if any(root.kind is RootKind.UNKNOWN for root in roots) else tuple(dict.fromkeys(roots))


def where_of(value: Value | None, allocations: Allocations) -> Where:
    """The memory that ``value`` points to, whichever of several objects it is."""
    if isinstance(value, ReferenceValue):
        decl = getattr(value.place, "decl", None)
        return Where.HOST if decl is not None and decl.space is Space.HOST else Where.UNKNOWN
    found = {_of_root(root, allocations) for root in pointed_to(value)}
    return found.pop() if len(found) == 1 else Where.UNKNOWN


def _of_numbers(kind: Type) -> bool:
    """Whether objects of a type are arrays or numbers, or structures of such: nothing in them leads elsewhere."""
    if isinstance(kind, StructType):
        return bool(kind.fields) and all(_of_numbers(field.type) for field in kind.fields)
    return isinstance(kind, (ArrayType, IntType, FloatType))


def _of_root(root: Root, allocations: Allocations) -> Where:
    allocation = allocations.get(id(root))
    if allocation is not None:
        return allocated_by(allocation.api)
    decl = root.decl
    if root.kind is RootKind.VARIABLE and decl is not None and decl.space is Space.HOST:
        return Where.HOST if _of_numbers(decl.type) else Where.UNKNOWN
    return Where.UNKNOWN


@dataclass(frozen=True, slots=True, eq=False)
class Extent:
    """How much memory a pointer leads to: ``size`` bytes in all, of which ``offset`` lie before it.  ``element``: the
    bytes of what it points to, as it is declared.  ``row``: bytes of a row of pitched memory, whose size is not known.
    ``declared``: it is an array with a declaration, and not allocated."""

    size: Term
    offset: Term
    element: int
    span: Span | None
    row: Term | None = None
    declared: bool = False


def extent_of(value: Value | None, allocations: Allocations) -> Extent | None:
    """The object behind a pointer, where its size is in sight."""
    pointer, roots = not_null(value), pointed_to(value)
    if pointer is None or len(roots) != 1 or pointer.root is not roots[0]:
        return None
    root = roots[0]
    element = root.element if root.element != U8 else pointer.pointee
    width = (getattr(element, "size", None) or 1) if not isinstance(element, ArrayType) else element.element.size or 1
    allocation = allocations.get(id(root))
    if allocation is not None:
        return Extent(allocation.size, pointer.offset, width, allocation.span, allocation.row)
    decl = root.decl
    if root.kind is RootKind.VARIABLE and decl is not None and isinstance(decl.type, ArrayType) and root.extent:
        return Extent(const(root.extent), pointer.offset, width, decl.span, declared=True)
    return None


def element_of(value: Value) -> int:
    """Bytes of the elements that a pointer leads to; 1 where it says nothing."""
    if not isinstance(value, PointerValue):
        return 1
    return getattr(value.root.element, "size", None) or 1
