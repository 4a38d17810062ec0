"""Warp matrix operations of ``nvcuda::wmma`` and ``rocwmma``.

A load or store of a tile touches rows at a stride that only the call knows, so it stays opaque: the object at the
pointer is part of it, the rest of the tile is a gap that no proof may step over.  None of them is a barrier, in spite
of ``sync`` in their names: it is the warp that they bring together.
"""

from __future__ import annotations

from kernlint.frontends.clang.intrinsics.base import VOID, CallContext, Handler, as_pointer, assign, deref
from kernlint.tree.nodes import Call, Expr, Opaque

NAMESPACES = ("nvcuda", "rocwmma", "wmma")


def _load(ctx: CallContext) -> Expr | None:
    """``load_matrix_sync(fragment, pointer, stride)``."""
    if len(ctx.args) < 3 or as_pointer(ctx.args[1]) is None:
        return None
    fragment, first = ctx.args[0], deref(ctx.args[1])
    value = Opaque(ctx.span, fragment.type, "load of a matrix tile", (first, *ctx.args[2:]))
    return assign(fragment, value, ctx.span)


def _store(ctx: CallContext) -> Expr | None:
    """``store_matrix_sync(pointer, fragment, stride, layout)``."""
    if len(ctx.args) < 3 or as_pointer(ctx.args[0]) is None:
        return None
    first = deref(ctx.args[0])
    return Opaque(ctx.span, VOID, "store of a matrix tile", (first, *ctx.args[2:]), writes=True)


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
