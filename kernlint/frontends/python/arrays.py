"""Arrays: elements, views, and the arrays that a kernel makes.

A negative index counts from the end of its axis, as numba compiles it (``fix_integer_index``: the extent is added to a
signed index below zero, and nothing is checked).  Where an index cannot be negative, nothing is added.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from kernlint.frontends.clang.python.program import dotted
from kernlint.frontends.python.constants import HostArray
from kernlint.frontends.python.context import Function, converted, falls, integer, least, literal
from kernlint.frontends.python.signs import ordered
from kernlint.frontends.python.values import ArrayValue, Host, Named, TupleValue, Value, constant
from kernlint.source import Span
from kernlint.tree.nodes import (
    AddressOf,
    Binary,
    Call,
    Cast,
    Conditional,
    DeclStmt,
    Expr,
    FloatLit,
    InitList,
    IntLit,
    LaunchValue,
    Member,
    Opaque,
    ParamDecl,
    Ref,
    Subscript,
    VarDecl,
)
from kernlint.tree.types import (
    BOOL,
    F32,
    I64,
    UNKNOWN,
    ArrayType,
    FloatType,
    IntType,
    PointerType,
    Space,
    StructType,
    Type,
)
from kernlint.tree.walk import traverse

# ------------------------------------------------------------------------------------------------------------ elements


def strides_of(array: ArrayValue) -> tuple[Expr, ...]:
    """Elements from one index to the next, by axis."""
    if array.strides is not None:
        return array.strides
    span = array.base.span
    out: list[Expr] = [literal(span, 1)]
    for extent in reversed(array.shape[1:]):
        out.insert(0, integer("*", out[0], extent, span))
    return tuple(out)


def wrapped(f: Function, index: Expr, extent: Expr, node: ast.AST) -> Expr:
    """``index``, counted from the end of its axis where it is negative."""
    if not isinstance(index.type, IntType) or not index.type.signed or isinstance(index, Opaque):
        return index
    if isinstance(index, IntLit):
        return integer("+", extent, index, f.span(node)) if index.value < 0 else index
    low = least(f, index)
    if (low is not None and low >= 0) or not _may_fall(f, index) or ordered(f.orders, f.low, index):
        return index
    index = f.temporary(node, I64, converted(index, I64))
    span = f.span(node)
    below = Binary(span, BOOL, "<", index, literal(span, 0))
    return Conditional(span, I64, below, integer("+", index, extent, span), index)


def _may_fall(f: Function, index: Expr) -> bool:
    """Whether an index has a part that is taken away; what memory holds is meant to be an index as it is."""
    return falls(f, index) and not any(isinstance(at, (Subscript, Opaque)) for at in traverse(index))


def _numeric(f: Function, index: object, node: ast.AST) -> Expr:
    if isinstance(index, Expr):
        if isinstance(index.type, FloatType) and quotient(f, index):
            f.remark("float-index", node)
        if isinstance(index.type, (IntType, FloatType)) or isinstance(index, Opaque):
            return index
        return f.opaque(node, "an index of another kind", I64, kind="subscript")
    if isinstance(index, ArrayValue) and index.rank == 0:
        return element(f, index, (), node)
    return f.opaque(node, "an index that is an array", I64, kind="subscript")


def quotient(f: Function, expr: Expr) -> bool:
    """Whether a float is one because ``/`` made it: whole numbers divided, or a variable that holds nothing else."""
    if isinstance(expr, Binary) and isinstance(expr.type, FloatType):
        if expr.op == "/":
            return _was_whole(expr.lhs) and _was_whole(expr.rhs)
        sides = (expr.lhs, expr.rhs)
        return any(quotient(f, side) for side in sides) and all(quotient(f, s) or _was_whole(s) for s in sides)
    if isinstance(expr, Ref):
        name = expr.decl.name
        return name in f.divided and name not in f.known.mixed and f.known.assigned.get(name, 0) == 1
    return False


def _was_whole(expr: Expr) -> bool:
    """Whether a float was a whole number before it was converted for an operation."""
    if isinstance(expr, Cast):
        return not expr.explicit and isinstance(expr.operand.type, IntType)
    return isinstance(expr, FloatLit) and expr.value.is_integer()


def element(f: Function, array: ArrayValue, indices: Sequence[Expr], node: ast.AST) -> Expr:
    """One element, an index for each axis: an lvalue."""
    span = f.span(node)
    places = [wrapped(f, index, extent, node) for index, extent in zip(indices, array.shape, strict=True)]
    if isinstance(array.base.type, ArrayType):
        out: Expr = array.base
        for place in places or [literal(span, 0)]:
            inner = out.type
            assert isinstance(inner, ArrayType)
            out = Subscript(span, inner.element, out, place)
        return out
    return Subscript(span, array.element, array.base, linear(array, places, span))


def linear(array: ArrayValue, places: Sequence[Expr], span: Span) -> Expr:
    """Elements from the first one to that at ``places``."""
    if not places:
        return literal(span, 0)
    if array.strides is None:
        out = places[0]
        for place, extent in zip(places[1:], array.shape[1 : len(places)], strict=True):
            out = integer("+", integer("*", out, extent, span), place, span)
        for extent in array.shape[len(places) :]:
            out = integer("*", out, extent, span)
        return out
    out = literal(span, 0)
    for place, stride in zip(places, array.strides, strict=False):
        out = integer("+", out, integer("*", place, stride, span), span)
    return out


# -------------------------------------------------------------------------------------------------------------- views


def subscript(f: Function, array: ArrayValue, indices: Sequence[object], node: ast.AST) -> Value:
    """``array[indices]``: an element, or a view of a part."""
    wanted = list(indices)
    if len(wanted) == 1 and isinstance(wanted[0], Host) and isinstance(wanted[0].value, str):
        return _field_view(f, array, wanted[0].value, node)
    if None in wanted:
        at = wanted.index(None)
        fill = array.rank - len(wanted) + 1
        wanted[at : at + 1] = [slice(None, None, None)] * max(0, fill)
    if len(wanted) > array.rank:
        return f.opaque(node, "more indices than the array has axes", array.element, kind="subscript")
    if len(wanted) == array.rank and not any(isinstance(one, slice) for one in wanted):
        return element(f, array, [_numeric(f, one, node) for one in wanted], node)
    return view(f, array, wanted, node)


def view(f: Function, array: ArrayValue, indices: Sequence[object], node: ast.AST) -> Value:
    """The part of an array that indices and slices name."""
    span = f.span(node)
    places: list[Expr] = []
    shape: list[Expr] = []
    strides: list[Expr] = []
    steps = strides_of(array)
    plain = array.strides is None
    for axis, extent in enumerate(array.shape):
        one = indices[axis] if axis < len(indices) else slice(None, None, None)
        if not isinstance(one, slice):
            places.append(wrapped(f, _numeric(f, one, node), extent, node))
            plain = plain and all(not isinstance(i, slice) for i in indices[:axis])
            continue
        first, count, step = _sliced(f, one, extent, node)
        places.append(first)
        shape.append(count)
        strides.append(integer("*", steps[axis], step, span))
        if axis and not (isinstance(first, IntLit) and first.value == 0 and count is extent):
            plain = plain and not shape[:-1]
        if constant(step) != 1:
            plain = False
    first_element = _first(array, places, span)
    pointer = AddressOf(span, PointerType(array.element, array.space), first_element)
    return ArrayValue(pointer, array.element, tuple(shape), array.space, None if plain else tuple(strides))


def _first(array: ArrayValue, places: list[Expr], span: Span) -> Expr:
    if isinstance(array.base.type, ArrayType):
        out: Expr = array.base
        for place in places:
            assert isinstance(out.type, ArrayType)
            out = Subscript(span, out.type.element, out, place)
        return out
    return Subscript(span, array.element, array.base, linear(array, places, span))


def _sliced(f: Function, one: slice, extent: Expr, node: ast.AST) -> tuple[Expr, Expr, Expr]:
    """First index, number of elements and step of a slice along an axis."""
    span = f.span(node)
    step = one.step if isinstance(one.step, Expr) else literal(span, 1)
    if constant(step) is not None and (constant(step) or 0) <= 0:
        return literal(span, 0), f.opaque(node, "a slice that runs backwards", I64), literal(span, 1)
    first = wrapped(f, one.start, extent, node) if isinstance(one.start, Expr) else literal(span, 0)
    if not isinstance(one.stop, Expr):
        count = extent if constant(first) == 0 else integer("-", extent, first, span)
    else:
        last = wrapped(f, one.stop, extent, node)
        if isinstance(extent, IntLit) and isinstance(last, IntLit):
            last = literal(span, min(extent.value, last.value))
        else:
            last = Call(span, I64, "min", None, (converted(last, I64), converted(extent, I64)), pure_math=True)
        count = last if constant(first) == 0 else integer("-", last, first, span)
    if constant(step) != 1:
        up = integer("+", count, integer("-", step, literal(span, 1), span), span)
        count = integer("/", up, step, span)
    return first, count, step


def transposed(array: ArrayValue) -> ArrayValue:
    """``array.T``."""
    if array.rank < 2:
        return array
    base = pointer_to(array)
    return ArrayValue(base, array.element, array.shape[::-1], array.space, strides_of(array)[::-1])


def pointer_to(array: ArrayValue) -> Expr:
    """A pointer to the first element."""
    if isinstance(array.base.type, PointerType):
        return array.base
    span = array.base.span
    first = _first(array, [literal(span, 0)] * array.rank, span)
    return AddressOf(span, PointerType(array.element, array.space), first)


def part(f: Function, array: ArrayValue, name: str, node: ast.AST) -> ArrayValue | None:
    """The real or the imaginary parts of an array of complex numbers, or one field of all records of an array; None for
    other arrays, and where a record is no multiple of the field."""
    if name == "real" and isinstance(array.element, (IntType, FloatType)):
        return array
    record = array.element
    field = record.field(name) if isinstance(record, StructType) else None
    if field is None or not field.type.size or not record.size or isinstance(field.type, ArrayType):
        return None
    span, each = f.span(node), field.type
    step, before = divmod(record.size or 0, each.size or 1), divmod(field.offset or 0, each.size or 1)
    if step[1] or before[1]:
        return None
    base: Expr = Cast(span, PointerType(each, array.space), pointer_to(array), True)
    if before[0]:
        at = Subscript(span, each, base, literal(span, before[0]))
        base = AddressOf(span, PointerType(each, array.space), at)
    strides = tuple(integer("*", stride, literal(span, step[0]), span) for stride in strides_of(array))
    return ArrayValue(base, each, array.shape, array.space, strides)


def flattened(f: Function, array: ArrayValue, node: ast.AST) -> Value:
    """``array.flat``, ``array.ravel()``."""
    if array.strides is not None:
        return f.opaque(node, "a flat view of an array with gaps")
    total: Expr = literal(f.span(node), 1)
    for extent in array.shape:
        total = integer("*", total, extent, f.span(node))
    return ArrayValue(pointer_to(array), array.element, (total,), array.space)


def reshaped(f: Function, array: ArrayValue, shape: Sequence[Expr], node: ast.AST) -> Value:
    """``array.reshape(shape)``."""
    if array.strides is not None or any(isinstance(n, IntLit) and n.value < 0 for n in shape):
        return f.opaque(node, "an array in another shape")
    return ArrayValue(pointer_to(array), array.element, tuple(shape), array.space)


# ------------------------------------------------------------------------------------------------------------ records


def member(f: Function, base: Expr, name: str, node: ast.AST) -> Value:
    """A field of a record."""
    if isinstance(base.type, StructType):
        field = base.type.field(name)
        if field is not None:
            return Member(f.span(node), field.type, base, name, False)
    return Call(f.span(node), UNKNOWN, f".{name}", None, (base,), pure_math=True)


def _field_view(f: Function, array: ArrayValue, name: str, node: ast.AST) -> Value:
    found = part(f, array, name, node)
    return found if found is not None else f.opaque(node, f"all the fields {name} of an array")


# --------------------------------------------------------------------------------------------------- arrays of a kernel


def declared(f: Function, name: str, shape: Sequence[Expr], type_: Type, space: Space, node: ast.AST) -> ArrayValue:
    """An array that the kernel makes: its declaration stands where it is made."""
    span = f.span(node)
    kind: Type = type_
    for extent in reversed(shape):
        kind = ArrayType(kind, extent.value if isinstance(extent, IntLit) else None)
    dynamic = space is Space.SHARED and len(shape) == 1 and isinstance(shape[0], IntLit) and shape[0].value == 0
    if dynamic:
        kind = ArrayType(type_, None)
    decl = VarDecl(span, name, kind, space, static=space is Space.SHARED and not dynamic, unsized=dynamic)
    if f.before is not None:
        f.before.append(DeclStmt(span, (decl,)))
    known = all(isinstance(extent, IntLit) for extent in shape) and not dynamic
    base: Expr = Ref(span, kind, decl)
    if dynamic:
        count = ParamDecl(span, f"{name}.size", I64, Space.PRIVATE, is_template=True, index=-1)
        f.low[count] = 0
        return ArrayValue(base_pointer(base, type_, space), type_, (Ref(span, I64, count),), space)
    if not known:
        return ArrayValue(base_pointer(base, type_, space), type_, tuple(shape), space)
    return ArrayValue(base, type_, tuple(shape), space)


def base_pointer(base: Expr, element_: Type, space: Space) -> Expr:
    """The address of the first element of an array whose extents are not all known."""
    first = base
    while isinstance(first.type, ArrayType):
        first = Subscript(base.span, first.type.element, first, literal(base.span, 0))
    return AddressOf(base.span, PointerType(element_, space), first)


def constant_array(f: Function, host: HostArray, indices: Sequence[object], node: ast.AST) -> Value:
    """An element of an array that the kernel takes along as a constant."""
    of = node.value if isinstance(node, ast.Subscript) else node
    array = captured(f, host, "constant", node, of)
    return subscript(f, array, indices, node)


def captured(f: Function, host: HostArray, name: str, node: ast.AST, of: ast.AST) -> ArrayValue:
    """An array of the host that is copied into the kernel's constant memory, with the values that the text lists where
    nothing writes to what ``of`` names."""
    span = f.span(node)
    kind: Type = host.element
    for extent in reversed(host.shape):
        kind = ArrayType(kind, extent)
    items = host.items if host.items is not None and _stays(f, of) else None
    init = _rows(f, kind, iter(items), node) if items else None
    decl = VarDecl(span, name, kind, Space.CONSTANT, init, const=True, is_global=True)
    base: Expr = Ref(span, kind, decl)
    if None in host.shape:
        extents = [Opaque(span, I64, "an extent that only the host knows") for n in host.shape]
        return ArrayValue(
            base_pointer(base, host.element, Space.CONSTANT), host.element, tuple(extents), Space.CONSTANT
        )
    return ArrayValue(base, host.element, tuple(literal(span, n or 0) for n in host.shape), Space.CONSTANT)


def _stays(f: Function, of: ast.AST) -> bool:
    """Whether what the host names holds what it was made of: the kernel's own file names it and writes to no part."""
    name = dotted(of)
    if name is None:
        return isinstance(of, ast.Call)
    program = f.lowering.program
    if name in program.written or f.scope.holder(name.partition(".")[0]) is None:
        return False
    return not any(call.name.rpartition(".")[2] in _CHANGES for call in program.calls if call.name.startswith(name))


_CHANGES = frozenset({"fill", "sort", "put", "partition", "resize", "itemset", "byteswap", "setfield"})
"""Methods of NumPy's arrays that change them."""


def _rows(f: Function, kind: Type, items: Iterator[int | float], node: ast.AST) -> Expr:
    """The next values as one of type ``kind``."""
    if isinstance(kind, ArrayType):
        parts = tuple(_rows(f, kind.element, items, node) for _ in range(kind.extent or 0))
        return InitList(f.span(node), kind, parts)
    number = next(items)
    return (
        IntLit(f.span(node), kind, int(number)) if isinstance(kind, IntType) else FloatLit(f.span(node), kind, number)
    )


def from_around(f: Function, value: Value, rank: int, node: ast.AST) -> ArrayValue:
    """An array that the kernel takes along and of which the text says nothing, with as many axes as it has indices."""
    name = value.decl.name if isinstance(value, Ref) else value.path if isinstance(value, Named) else "array"
    span = f.span(node)
    type_ = PointerType(UNKNOWN, Space.CONSTANT)
    pointer = f.lowering.symbols.get((1, name))
    if pointer is None:
        pointer = ParamDecl(span, name, type_, Space.PRIVATE, is_template=True, index=-1)
        f.lowering.symbols[1, name] = pointer
    shape = tuple(extent(f, f"{name}.shape[{axis}]", node) for axis in range(rank))
    return ArrayValue(Ref(span, type_, pointer), UNKNOWN, shape, Space.CONSTANT)


def extent(f: Function, name: str, node: ast.AST) -> Expr:
    """An extent that the text does not say, the same for all threads."""
    found = f.lowering.symbols.get((2, name))
    if found is None:
        found = ParamDecl(f.span(node), name, I64, Space.PRIVATE, is_template=True, index=-1)
        f.lowering.symbols[2, name] = found
    f.low.setdefault(found, 0)
    return Ref(f.span(node), I64, found)


def listed(f: Function, items: Sequence[Expr], type_: Type, node: ast.AST) -> Expr:
    """Values side by side as one of the tree."""
    return InitList(f.span(node), type_, tuple(items))


def shape_of(f: Function, value: Value, node: ast.AST) -> list[Expr] | None:
    """The extents that an argument gives; None where they are no numbers."""
    items = value.items if isinstance(value, TupleValue) else (value,)
    out: list[Expr] = []
    for item in items:
        if isinstance(item, Named) and not item.path.startswith(("numba.", "numpy.")):
            item = extent(f, item.path.rpartition(".")[2], node)
        if not isinstance(item, Expr) or not isinstance(item.type, (IntType, FloatType)):
            return None
        out.append(converted(item, I64))
    return out


def uniform(expr: Expr) -> bool:
    """Whether an expression has no index of a thread in it."""
    return not any(isinstance(at, LaunchValue) for at in traverse(expr))


DEFAULT = F32
"""The element of an array whose type nothing says."""

NOTHING = UNKNOWN
