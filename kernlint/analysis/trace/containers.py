"""Sequences, maps and owning pointers of the standard library in host code: their memory, size, elements.

A sequence is a structure with two fields of its own, the size in elements and the pointer to the first one; whatever
may change it (any method that is not listed here) makes it another one.  The elements of a map are cells told by the
key, where that is a literal or a number.
"""

from __future__ import annotations

from kernlint.analysis.trace.events import AllocationEvent, Root, RootKind
from kernlint.analysis.trace.machine import Machine
from kernlint.analysis.trace.memory import size_term, write_variable
from kernlint.analysis.trace.values import (
    MemPlace,
    Place,
    PointerValue,
    ReferenceValue,
    StructValue,
    Value,
    VarPlace,
    as_term,
)
from kernlint.symbolic.polynomial import Polynomial, polynomial, term_of
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, Uniformity, binary, cast, const
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import Call, Cast, Expr, InitList, StringLit
from kernlint.tree.types import I64, U8, U64, ArrayType, IntType, PointerType, Space, StructType, Type

_SEQUENCE = pattern(r"(?:struct |class )?(?:std::vector|thrust::host_vector|thrust::device_vector)\b.*")
_MAP = pattern(r"(?:struct |class )?std::(?:unordered_)?map\b.*")
_ELEMENT = frozenset({"operator[]", "at", "front", "back"})
_START = frozenset({"data", "begin", "cbegin"})

_VECTORS = frozenset({"vector", "host_vector", "device_vector"})

FEW = 8
"""Elements of a list, at most, that a sequence made of it is known to hold."""

SIZE, DATA = "#size", "#data"
"""Names of the fields of a sequence."""


_OWNER = pattern(r"(?:struct |class )?std::(?:unique|shared)_ptr\b.*")

HELD = "#held"
"""Name of the field of an owning pointer that is the pointer it owns."""


def _owned(e: Call, values: list[Value]) -> Value | None:
    """What a method of an owning pointer that changes nothing gives."""
    held = values[0].get(HELD) if isinstance(values[0], StructValue) else None
    name = e.name.rpartition("::")[2]
    if not isinstance(held, PointerValue):
        return None
    if name in ("get", "operator->"):
        return held
    element = e.type
    if name in ("operator*", "operator[]"):
        index = cast(as_term(values[1]), I64) if len(values) > 1 else const(0)
        offset = binary("add", held.offset, binary("mul", index, size_term(element), I64), I64)
        return ReferenceValue(MemPlace(PointerValue(held.root, offset, element), element, index))
    return None


def _owner(e: Call, values: list[Value]) -> StructValue | None:
    """The owning pointer that a constructor makes of a plain one, or a function makes with a new object of the host's,
    for which its arguments are (no pointer among them is what it owns)."""
    name = e.name.rpartition("::")[2]
    if name in ("make_unique", "make_shared"):
        root = Root("object", RootKind.VARIABLE, Space.HOST, None, U8)
        return StructValue(e.type, ((HELD, PointerValue(root, const(0), U8)),))
    if name in ("unique_ptr", "shared_ptr") and values and isinstance(values[0], PointerValue):
        return StructValue(e.type, ((HELD, values[0]),))
    return None


def _sequence(type_: Type) -> bool:
    return isinstance(type_, StructType) and _SEQUENCE.fullmatch(type_.name) is not None and not allocated(type_.name)


def allocated(name: str) -> bool:
    """Whether a ``std::vector`` has an allocator of the program's own, which says where the elements lie: in pinned
    memory, or on the device.  ``name``: that of the type, with its arguments."""
    kind, _, rest = name.partition("<")
    if not kind.endswith("std::vector"):
        return False
    depth = 0
    for at, char in enumerate(rest):
        depth += {"<": 1, "(": 1, ">": -1, ")": -1}.get(char, 0)
        if char == "," and depth == 0:
            return not rest[at + 1 :].strip().startswith("std::allocator<")
    return False


def elsewhere(value: StructValue, type_: Type) -> StructValue:
    """A sequence as it is stored in one of ``type_``: where one is of the host and one of the device, the elements are
    copied."""
    if not (_sequence(value.type) and _sequence(type_) and isinstance(type_, StructType)):
        return value
    size = value.get(SIZE)
    if _on_device(value.type) is _on_device(type_) or not isinstance(size, Term):
        return value
    return _of(type_, size)


def _on_device(kind: Type) -> bool:
    return isinstance(kind, StructType) and "device_vector" in kind.name


def _of(kind: StructType, size: Term) -> StructValue:
    root = Root("sequence", RootKind.VARIABLE, Space.GLOBAL if _on_device(kind) else Space.HOST, None, U8)
    return StructValue(kind, ((SIZE, size), (DATA, PointerValue(root, const(0), U8))))


def made_sequence(m: Machine, e: Call, values: list[Value]) -> StructValue | PointerValue | None:
    """The sequence or owning pointer that a constructor makes, or the plain pointer that a ``thrust::device_ptr`` is;
    None where the call is none."""
    if e.name == "thrust::raw_pointer_cast" and len(values) == 1:
        return _plain_pointer(values[0])
    if e.receiver is None and isinstance(e.type, StructType) and _OWNER.fullmatch(e.type.name):
        return _owner(e, values)
    if e.receiver is not None or not _sequence(e.type) or e.name.rpartition("::")[2] not in _VECTORS:
        return None
    if len(values) == 1 and isinstance(values[0], StructValue) and isinstance(size := values[0].get(SIZE), Term):
        return _fresh(m, e, size)  # of another one
    if len(e.args) == 1 and isinstance(e.args[0], InitList) and isinstance(e.args[0].type, ArrayType):
        return _listed(m, e, e.args[0].type.element)
    if len(values) == 2 and (between := _between(*map(_plain_pointer, values))) is not None:
        return _fresh(m, e, between)
    count = values[0] if values and isinstance(e.args[0].type, IntType) else None
    return _fresh(m, e, cast(count, U64) if isinstance(count, Term) else None)


def _between(first: PointerValue | None, last: PointerValue | None) -> Term | None:
    """The number of elements from one place of an object to another: what a pair of iterators is copied from."""
    if first is None or last is None or first.root is not last.root or first.pointee != last.pointee:
        return None
    size = first.pointee.size
    if not size:
        return None
    distance = polynomial(binary("sub", last.offset, first.offset, I64)).coefficients
    if any(factor % size for factor in distance.values()):
        return None
    return cast(term_of(Polynomial({mono: factor // size for mono, factor in distance.items()})), U64)


def _listed(m: Machine, e: Call, element: Type) -> StructValue:
    """A sequence of the elements of a list."""
    held = m.listed.get(e.args[0])
    made = _fresh(m, e, None if held is None else const(len(held), U64))
    data = made.get(DATA)
    assert m.state is not None and isinstance(data, PointerValue)
    for at, value in enumerate((held or ())[:FEW]):
        offset = binary("mul", const(at), size_term(element), I64)
        m.state.cells.write(data.root, offset, element, value, m.serial())
    return made


def _fresh(m: Machine, e: Call, size: Term | None) -> StructValue:
    if size is None:
        size = Symbol(SymbolKind.UNKNOWN, "size()", U64, low=0, uniformity=Uniformity.GRID).term
    kind = e.type if e.receiver is None else e.receiver.type
    assert isinstance(kind, StructType)
    return _of(kind, size)


def inspected(m: Machine, e: Call, at: Place | None, values: list[Value]) -> Value | None:
    """What a method of a sequence or map that changes nothing gives; elements as a reference.  None: it is another
    method, or of another class.  ``at``: where the object is kept; ``values``: its value, and those of the arguments.
    """
    kind = e.receiver.type if e.receiver is not None else None
    if not isinstance(kind, StructType) or m.state is None:
        return None
    if _OWNER.fullmatch(kind.name):
        return _owned(e, values)
    if e.name.endswith("::get") and _wrapped(kind) is not None:
        return _plain_pointer(values[0])
    name = e.name.rpartition("::")[2]
    if name in ("operator[]", "at") and _MAP.fullmatch(kind.name):
        return _of_key(m, e, at)
    if not _sequence(kind) or name not in (*_ELEMENT, *_START, "end", "cend", "size", "empty", "capacity"):
        return None
    held = _held(m, e, at, values[0])
    if held is None:
        return None
    size, data = held.get(SIZE), held.get(DATA)
    assert isinstance(size, Term) and isinstance(data, PointerValue)
    if name in ("size", "capacity"):
        return cast(size, e.type) if name == "size" else None
    if name == "empty":
        return cast(binary("eq", size, const(0, U64), e.type), e.type)
    wrapped = _wrapped(e.type) if name not in _ELEMENT else None
    element = wrapped.pointee if wrapped is not None else e.type
    _allocated(m, e, data.root, size, element)
    if name in _START:
        return _as(e.type, PointerValue(data.root, const(0), element))
    index = size if name in ("end", "cend") else const(0)
    if name in ("operator[]", "at"):
        index = as_term(values[1])
    elif name == "back":
        index = binary("sub", cast(size, I64), const(1), I64)
    offset = binary("mul", cast(index, I64), size_term(element), I64)
    pointer = PointerValue(data.root, offset, element)
    return ReferenceValue(MemPlace(pointer, element, cast(index, I64))) if name in _ELEMENT else _as(e.type, pointer)


def _wrapped(kind: Type) -> PointerType | None:
    """The plain pointer that a pointer or a ``thrust::device_ptr`` is."""
    if isinstance(kind, StructType) and len(kind.fields) == 1 and "device_ptr" in kind.name:
        kind = kind.fields[0].type
    return kind if isinstance(kind, PointerType) else None


def _plain_pointer(value: Value) -> PointerValue | None:
    if isinstance(value, StructValue) and _wrapped(value.type) is not None and value.fields:
        value = value.fields[0][1]
    return value if isinstance(value, PointerValue) else None


def _as(kind: Type, pointer: PointerValue) -> Value:
    """A pointer as the type ``kind`` holds it."""
    if isinstance(kind, StructType) and _wrapped(kind) is not None:
        return StructValue(kind, ((kind.fields[0].name, pointer),))
    return pointer


def _held(m: Machine, e: Call, at: Place | None, value: Value) -> StructValue | None:
    """The sequence with its fields, which it gets when it is first looked into."""
    if isinstance(value, StructValue) and value.get(DATA) is not None:
        return value
    assert m.state is not None
    made = _fresh(m, e, None)
    if isinstance(at, VarPlace):
        write_variable(m, at, made)
    elif isinstance(at, MemPlace):
        m.state.cells.put(at.pointer.root, at.pointer.offset, made)
    else:
        return None
    return made


def _allocated(m: Machine, e: Call, root: Root, size: Term, element: Type) -> None:
    """Note the memory of a sequence, once."""
    if any(one.root is root for one in m.trace.allocations[-32:]):
        return
    total = binary("mul", cast(size, I64), size_term(element), I64)
    api = "std::vector" if root.space is Space.HOST else "cudaMalloc"
    m.trace.allocations.append(AllocationEvent(**m.common(e.span), root=root, size=total, api=api))


def _of_key(m: Machine, e: Call, at: Place | None) -> Value | None:
    """The element of a map for a literal key."""
    if at is None or len(e.args) != 1:
        return None
    key = _key(e.args[0])
    if key is None:
        return None
    owner = at.decl if isinstance(at, VarPlace) else at.pointer.root
    where = (owner, at.path if isinstance(at, VarPlace) else at.pointer.offset, "map")
    root = m.memory.get(where)
    if root is None:
        root = m.memory[where] = Root("map", RootKind.VARIABLE, Space.HOST, None, U8)
    slot = m.keys.setdefault(key, len(m.keys))
    return ReferenceValue(MemPlace(PointerValue(root, const(64 * slot), e.type), e.type))


def _key(expr: Expr) -> object:
    while isinstance(expr, Cast) or (isinstance(expr, Call) and len(expr.args) == 1):
        expr = expr.operand if isinstance(expr, Cast) else expr.args[0]
    if isinstance(expr, StringLit):
        return expr.value
    value = getattr(expr, "value", None)
    return value if isinstance(value, int) else None
