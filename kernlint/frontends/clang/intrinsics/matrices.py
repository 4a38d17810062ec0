"""Warp matrix operations of ``nvcuda::wmma`` and ``rocwmma``.

A load of a tile touches rows at a stride that only the call knows, so it stays opaque: the object at the pointer is
part of it, the rest of the tile is a gap that no proof may step over.  A store is carried out by the warp together;
which lane puts what where is not told, so each is given an equal run of a row: between warps it makes no difference,
and within one a lane can count on nothing that it reads afterwards without a barrier of the warp.  None of them is a
barrier of the block, in spite of ``sync`` in their names, but each waits for all lanes of its warp before it begins:
what these have stored before a load is there, and what they store behind it comes after it.
"""

from __future__ import annotations

from kernlint.frontends.clang.intrinsics.base import (
    VOID,
    CallContext,
    Handler,
    as_pointer,
    assign,
    deref,
    literal,
    sequence,
    small_int,
    unqualify,
)
from kernlint.tree.nodes import (
    Barrier,
    Binary,
    Call,
    Cast,
    Deref,
    Expr,
    LaunchValue,
    Opaque,
    Quantity,
    Scope,
)
from kernlint.tree.types import I32, FloatType, IntType, PointerType, Space, StructType, Type, VectorType

NAMESPACES = ("nvcuda", "rocwmma", "wmma")


def _load(ctx: CallContext) -> Expr | None:
    """``load_matrix_sync(fragment, pointer, stride)``."""
    if len(ctx.args) < 3 or as_pointer(ctx.args[1]) is None:
        return None
    fragment, first, span = ctx.args[0], deref(ctx.args[1]), ctx.span
    value = Opaque(span, fragment.type, "load of a matrix tile", (first, *ctx.args[2:]))
    together = Barrier(span, VOID, Scope.WARP, frozenset(Space), ctx.name)
    return sequence(together, assign(fragment, value, span), together)


LANES = 32


def _store(ctx: CallContext) -> Expr | None:
    """``store_matrix_sync(pointer, fragment, stride, layout)``."""
    found = as_pointer(ctx.args[0]) if len(ctx.args) >= 3 else None
    if found is None:
        return None
    shape = _shape(ctx.args[1].type)
    element = found[1].pointee
    if shape is None or not isinstance(element, (IntType, FloatType)):
        first = deref(ctx.args[0])
        return Opaque(ctx.span, VOID, "store of a matrix tile", (first, *ctx.args[2:]), writes=True)
    rows, columns = shape
    run = rows * columns // LANES
    across = columns // run
    span = ctx.span
    lane = LaunchValue(span, I32, Quantity.LANE_ID)
    stride = Cast(span, I32, ctx.args[2], explicit=True)
    row = Binary(span, I32, "*", Binary(span, I32, "/", lane, literal(across, I32, span)), stride)
    column = Binary(span, I32, "%", lane, literal(across, I32, span))
    offset = Binary(span, I32, "+", row, Binary(span, I32, "*", column, literal(run, I32, span)))
    kind = VectorType(element, run)
    at = Binary(span, PointerType(element, found[1].space), "+", found[0], offset)
    place = Deref(span, kind, Cast(span, PointerType(kind, found[1].space), at, explicit=True), unaligned=True)
    together = Barrier(span, VOID, Scope.WARP, frozenset(Space), ctx.name)
    return sequence(together, assign(place, Opaque(span, kind, "part of a matrix tile"), span))


def _shape(type_: Type) -> tuple[int, int] | None:
    """Rows and columns of an accumulator, where a lane's share of them is a run of a row."""
    name = type_.name if isinstance(type_, StructType) else getattr(type_, "spelling", "")
    _, arguments = unqualify(name)
    sizes = [small_int(text) for text in arguments[1:3]]
    if len(sizes) < 2 or not sizes[0] or not sizes[1]:
        return None
    run, rest = divmod(sizes[0] * sizes[1], LANES)
    return None if rest or not run or sizes[1] % run else (sizes[0], sizes[1])


def _compute(ctx: CallContext) -> Expr | None:
    """``mma_sync(d, a, b, c)``, ``fill_fragment(fragment, value)``: registers only."""
    if len(ctx.args) < 2:
        return None
    target = ctx.args[0]
    return assign(target, Call(ctx.span, target.type, ctx.name, None, ctx.args[1:], None, True), ctx.span)


FREE: dict[str, Handler] = {
    "load_matrix_sync": _load,
    "store_matrix_sync": _store,
    "mma_sync": _compute,
    "bmma_sync": _compute,
    "fill_fragment": _compute,
}
"""Functions of namespace ``nvcuda::wmma``."""
