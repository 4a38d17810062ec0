"""Collectives of cub, hipcub and rocprim.

A block-wide one works through its temporary storage in shared memory with barriers in between, so it becomes a
:class:`Barrier` that orders shared memory and keeps the source's name.  None of them ends in a barrier: using the
same temporary storage again needs one in between (cub's documentation asks for it), which is for a rule to judge by the
name.  The barrier has no predicate, because no result is the same in all threads: a reduction gives its own to thread
0.  What a collective stores through its arguments is a call that follows the barrier, with a pointer to each.
"""

from __future__ import annotations

from kernlint.frontends.clang.intrinsics.base import (
    VOID,
    WARP_SIZES,
    CallContext,
    Handler,
    address_of,
    as_pointer,
    assign,
    deref,
    pure,
    sequence,
    small_int,
    unqualify,
    words,
)
from kernlint.frontends.clang.intrinsics.launch_values import fixed
from kernlint.tree.nodes import (
    Barrier,
    Call,
    Cast,
    Deref,
    Expr,
    InitList,
    IntLit,
    LaunchValue,
    Member,
    Opaque,
    Quantity,
    Ref,
    Scope,
    Subscript,
    WarpOp,
)
from kernlint.tree.types import I32, U32, ArrayType, PointerType, Space, StructType, Type, VoidType

NAMESPACES = ("cub", "hipcub", "rocprim", "cuda::experimental", "gpuprim", "thrust::cub")

BLOCK_COLLECTIVES = frozenset(
    words(
        "BlockReduce BlockScan BlockRadixSort BlockMergeSort BlockRadixRank BlockRadixRankMatch BlockDiscontinuity "
        "BlockAdjacentDifference BlockShuffle BlockHistogram BlockExchange BlockRunLengthDecode BlockTopK BlockSort "
        "block_reduce block_scan block_radix_sort block_sort block_discontinuity block_adjacent_difference "
        "block_shuffle block_histogram block_exchange block_radix_rank block_run_length_decode"
    )
)
BLOCK_MOVES = frozenset({"BlockLoad", "BlockStore", "block_load", "block_store"})
WARP_COLLECTIVES = {
    "WarpReduce": "reduce",
    "WarpScan": "scan",
    "warp_reduce": "reduce",
    "warp_scan": "scan",
    "WarpMergeSort": "shuffle",
    "WarpExchange": "shuffle",
    "warp_sort": "shuffle",
    "warp_exchange": "shuffle",
}


def _stored(ctx: CallContext) -> tuple[Expr, ...]:
    """Arguments that the collective may store to, as pointers: lvalues other than function objects."""
    found: list[Expr] = []
    for arg in ctx.args:
        if isinstance(arg.type, (ArrayType, PointerType)):
            found.append(arg)
        elif isinstance(arg, (Ref, Subscript, Member, Deref)):
            found.append(address_of(arg))
    return tuple(found)


def _effects(ctx: CallContext, qualified: str) -> Call | None:
    if not isinstance(ctx.type, VoidType):
        # A value-returning collective takes its operands by value; a trailing aggregate would come by reference, but
        # then the result is void.
        return None
    stored = _stored(ctx)
    return Call(ctx.span, VOID, qualified, None, stored) if stored else None


def _storage(receiver: Expr | None) -> Expr | None:
    """A pointer to the temporary storage with which a collective was made; None where it brings its own."""
    expr = receiver
    for _ in range(6):
        if isinstance(expr, Ref) and expr.decl.init is not None and not _is_storage(expr.type):
            expr = expr.decl.init
        elif isinstance(expr, Cast):
            expr = expr.operand
        elif isinstance(expr, (Call, InitList)):
            parts = expr.args if isinstance(expr, Call) else expr.elements
            if not parts:
                return None
            expr = parts[0]
        else:
            break
    if isinstance(expr, (Ref, Member, Subscript, Deref)) and _is_storage(expr.type):
        return address_of(expr)
    return None


def _is_storage(type_: Type) -> bool:
    if isinstance(type_, PointerType) and type_.reference:
        type_ = type_.pointee
    spelling = type_.name if isinstance(type_, StructType) else getattr(type_, "spelling", "")
    return spelling.endswith(("TempStorage", "storage_type"))


def _read_only(pointer: Expr) -> Expr:
    found = as_pointer(pointer)
    if found is None:
        return pointer
    kind = PointerType(found[1].pointee, found[1].space, const=True)
    return Cast(pointer.span, kind, pointer, explicit=True)


def lower_method(ctx: CallContext) -> Expr | None:
    """A method of a collective; None for any other class."""
    name, arguments = unqualify(ctx.receiver_type) if ctx.receiver_type else ("", ())
    if not name:
        name = ctx.qualified.rpartition("::")[0]
    namespace, _, leaf = name.rpartition("::")
    if leaf == ctx.name:
        return None  # a constructor
    if namespace and not namespace.startswith(NAMESPACES):
        return None
    qualified = f"{leaf}::{ctx.name}"
    shared = frozenset({Space.SHARED})
    if leaf in BLOCK_COLLECTIVES:
        storage = _storage(ctx.receiver)
        barrier = Barrier(ctx.span, ctx.type, Scope.BLOCK, shared, qualified, args=ctx.args, storage=storage)
        effects = _effects(ctx, qualified)
        return sequence(barrier, effects) if effects else barrier
    if leaf in WARP_COLLECTIVES:
        width = small_int(arguments[1]) if len(arguments) > 1 else None
        segment = IntLit(ctx.span, I32, width) if width else None
        result = WarpOp(ctx.span, ctx.type, WARP_COLLECTIVES[leaf], Scope.WARP, qualified, ctx.args, None, segment)
        effects = _effects(ctx, qualified)
        return sequence(result, effects) if effects else result
    if leaf in BLOCK_MOVES:
        return _move(ctx, leaf, qualified, arguments)
    return None


def _thread_load(ctx: CallContext) -> Expr | None:
    return deref(ctx.args[0]) if ctx.args and as_pointer(ctx.args[0]) is not None else None


def _thread_store(ctx: CallContext) -> Expr | None:
    if len(ctx.args) != 2 or as_pointer(ctx.args[0]) is None:
        return None
    return assign(deref(ctx.args[0]), ctx.args[1], ctx.span)


def _shuffle(kind: str) -> Handler:
    """``ShuffleDown<WIDTH>(value, lane or distance, last lane, mask)``; ``ShuffleIndex<WIDTH>(value, lane, mask)``."""

    def make(ctx: CallContext) -> Expr | None:
        if len(ctx.args) < 3:
            return None
        width = small_int(ctx.template_args[0]) if ctx.template_args else None
        segment = IntLit(ctx.span, I32, width) if width not in (None, WARP_SIZES.get(ctx.language)) else None
        return WarpOp(ctx.span, ctx.type, kind, Scope.WARP, ctx.name, ctx.args[:2], ctx.args[-1], segment)

    return make


def _warp_id(ctx: CallContext) -> Expr:
    # The special register behind it promises no more than some number of the thread's warp.
    return pure(ctx, args=(LaunchValue(ctx.span, U32, Quantity.LINEAR_THREAD_ID),))


FREE: dict[str, Handler] = {
    "LaneId": fixed(Quantity.LANE_ID),
    "WarpId": _warp_id,
    "RowMajorTid": fixed(Quantity.LINEAR_THREAD_ID),
    "LaneMaskLt": lambda ctx: pure(ctx, "lanemask_lt", (LaunchValue(ctx.span, U32, Quantity.LANE_ID),)),
    "ThreadLoad": _thread_load,
    "ThreadStore": _thread_store,
    "ShuffleUp": _shuffle("shuffle_up"),
    "ShuffleDown": _shuffle("shuffle_down"),
    "ShuffleIndex": _shuffle("shuffle"),
}
"""Functions of namespace ``cub``."""


def _move(ctx: CallContext, leaf: str, qualified: str, arguments: tuple[str, ...]) -> Expr | None:
    """``BlockLoad::Load(source, items...)`` and ``BlockStore::Store(destination, items...)``.

    They have barriers only when they transpose through shared memory, which the algorithm argument tells; the default
    is the direct one.
    """
    if not ctx.args:
        return None
    loads = leaf.lower().endswith("load")
    first = _read_only(ctx.args[0]) if loads else ctx.args[0]
    rest = tuple(address_of(a) if isinstance(a, (Deref, Subscript)) else a for a in ctx.args[1:])
    call = Call(ctx.span, ctx.type, qualified, None, (first, *rest))
    algorithm = arguments[3].lower() if len(arguments) > 3 else "direct"
    if "warp" in algorithm or any(word in algorithm for word in ("direct", "vectorize", "striped")):
        return call
    if "transpose" in algorithm:
        shared = frozenset({Space.SHARED})
        storage = _storage(ctx.receiver)
        barrier = Barrier(ctx.span, VOID, Scope.BLOCK, shared, qualified, args=ctx.args, storage=storage)
        return sequence(barrier, call)
    unknown = Opaque(ctx.span, VOID, "algorithm of a block-wide load or store", (), may_sync=True)
    return sequence(unknown, call)
