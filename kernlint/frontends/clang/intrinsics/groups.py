"""Cooperative groups: which threads a group object stands for, and what its methods and free functions mean.

A tile or a block is told by the type of the object; a plain ``thread_group`` by what initialised the variable.  A group
that remains unknown gives an :class:`Opaque` that may hold a barrier, never a barrier of a guessed scope.
Clusters are not modelled: their ranks are opaque, only their barrier is not.
"""

from __future__ import annotations

from collections.abc import Callable

from kernlint.frontends.clang.intrinsics.base import (
    ALL_MEMORY,
    VOID,
    WARP_SIZES,
    CallContext,
    Handler,
    constant,
    literal,
    pure,
    scope_of_threads,
    sequence,
    small_int,
    unqualify,
)
from kernlint.frontends.clang.intrinsics.launch_values import vector
from kernlint.record import dataclass
from kernlint.tree.nodes import (
    AsyncCopy,
    AsyncWait,
    Barrier,
    Binary,
    Call,
    Expr,
    InitList,
    LaunchValue,
    Opaque,
    Quantity,
    Ref,
    Scope,
    WarpOp,
)
from kernlint.tree.types import I32, U32, OpaqueType, StructType, Type
from kernlint.tree.walk import strip_casts

NAMESPACES = ("cooperative_groups", "cg", "hip_impl")


@dataclass(frozen=True, slots=True)
class Group:
    """The threads of a group object.

    ``scope`` None: not known.  ``threads``: size of a tile when it is a constant.  ``coalesced``: whichever threads
    were active when the object was made.
    """

    scope: Scope | None
    threads: int | None = None
    coalesced: bool = False


UNKNOWN_GROUP = Group(None)

_CLASSES = {
    "thread_block": Group(Scope.BLOCK),
    "grid_group": Group(Scope.GRID),
    "multi_grid_group": Group(Scope.SYSTEM),
    "cluster_group": Group(Scope.CLUSTER),
    "coalesced_group": Group(Scope.WARP, coalesced=True),
    "coalesced_threads": Group(Scope.WARP, coalesced=True),
}
_MAKERS = {
    "this_thread_block": "thread_block",
    "this_grid": "grid_group",
    "this_multi_grid": "multi_grid_group",
    "this_cluster": "cluster_group",
    "coalesced_threads": "coalesced_group",
    "labeled_partition": "coalesced_group",
    "binary_partition": "coalesced_group",
}


def group_of_class(spelling: str, language: str) -> Group | None:
    """The group that a class stands for; None when ``spelling`` is no class of cooperative groups."""
    name, arguments = unqualify(spelling)
    namespace, _, leaf = name.rpartition("::")
    if namespace and not namespace.split("::")[0].startswith(NAMESPACES):
        return None
    if leaf == "thread_block_tile" or leaf.startswith("thread_block_tile"):
        threads = small_int(arguments[0]) if arguments else None
        return Group(scope_of_threads(threads, language), threads)
    if leaf in _CLASSES:
        return _CLASSES[leaf]
    return UNKNOWN_GROUP if leaf in ("thread_group", "thread_group_base", "tiled_group") else None


def group_of(expr: Expr | None, spelling: str, language: str) -> Group | None:
    """The group that ``expr`` of class ``spelling`` stands for; None when it is certainly not a group."""
    found = group_of_class(spelling, language) if spelling else None
    if found is not None and found.scope is not None:
        return found
    made = _made_by(expr, language)
    return made or found


def _made_by(expr: Expr | None, language: str) -> Group | None:
    for _ in range(8):  # a chain of variables, each initialised with the next
        if expr is None:
            return None
        expr = strip_casts(expr)
        if isinstance(expr, InitList) and len(expr.elements) == 1:
            expr = expr.elements[0]
        elif isinstance(expr, Ref):
            found = group_of_class(_class_of(expr.type), language)
            if found is not None and found.scope is not None:
                return found
            expr = expr.decl.init
        elif isinstance(expr, Call):
            return _group_made(expr, language)
        else:
            return None
    return None


def _group_made(call: Call, language: str) -> Group | None:
    leaf = call.name.rpartition("::")[2]
    if leaf in _MAKERS:
        return _CLASSES[_MAKERS[leaf]]
    if leaf.partition("<")[0] == "tiled_partition":
        threads = constant(call.args[1]) if len(call.args) > 1 else None
        return Group(scope_of_threads(threads, language), threads)
    if len(call.args) == 1:  # a copy
        return _made_by(call.args[0], language)
    return group_of_class(_class_of(call.type), language)


def _class_of(type_: Type) -> str:
    if isinstance(type_, StructType):
        return type_.name
    return type_.spelling if isinstance(type_, OpaqueType) else ""


def _barrier(ctx: CallContext, group: Group, subject: Expr | None, part: str = "both") -> Expr:
    if group.scope is None:
        return Opaque(ctx.span, ctx.type, "barrier of a group of unknown threads", _some(subject), may_sync=True)
    if group.scope is Scope.THREAD:
        return pure(ctx, args=())
    size = literal(group.threads, U32, ctx.span) if group.threads is not None else None
    if group.scope is Scope.TILE and size is not None and (group.threads or 0) > max(WARP_SIZES.values()):
        # Several warps: a barrier of some of the block, like ``bar.sync id, n`` (which is what it is made of).
        first = literal(0, U32, ctx.span)
        return Barrier(
            ctx.span,
            ctx.type,
            Scope.BLOCK,
            ALL_MEMORY,
            ctx.name,
            barrier_id=first,
            count=size,
            part=part,
            args=_some(subject),
        )
    mask = (
        WarpOp(ctx.span, U32, "activemask", Scope.WARP, ctx.name, (), synchronising=False) if group.coalesced else None
    )
    # The tile's size goes with the arguments: a count would make it a barrier of unnamed others (``bar.sync id, n``).
    args = (*_some(subject), *_some(size))
    return Barrier(ctx.span, ctx.type, group.scope, ALL_MEMORY, ctx.name, mask=mask, part=part, args=args)


def _some(expr: Expr | None) -> tuple[Expr, ...]:
    return () if expr is None else (expr,)


def _collective(ctx: CallContext, kind: str, group: Group, operands: tuple[Expr, ...]) -> Expr:
    if group.scope is None:
        return Opaque(ctx.span, ctx.type, "collective of a group of unknown threads", operands, may_sync=True)
    width = literal(group.threads, I32, ctx.span) if group.threads is not None else None
    scope = Scope.WARP if group.scope is Scope.THREAD else group.scope
    return WarpOp(ctx.span, ctx.type, kind, scope, ctx.name, operands, None, width)


# ----------------------------------------------------------------------------------------------------- methods

_WARP_METHODS = {
    "shfl": "shuffle",
    "shfl_up": "shuffle_up",
    "shfl_down": "shuffle_down",
    "shfl_xor": "shuffle_xor",
    "any": "any",
    "all": "all",
    "ballot": "ballot",
    "match_any": "match",
    "match_all": "match",
}


def _quantity(ctx: CallContext, quantity: Quantity, extent: int | None = None) -> LaunchValue:
    return LaunchValue(ctx.span, ctx.type, quantity, None, None, extent)


def _rank(ctx: CallContext, group: Group) -> Expr:
    if group.scope is Scope.BLOCK:
        return _quantity(ctx, Quantity.LINEAR_THREAD_ID)
    if group.scope is Scope.GRID:
        # Blocks come one after the other, each with its threads in order; in two dimensions this is not the
        # row-major index of the thread in the grid.
        block, size, thread = (
            _quantity(ctx, q) for q in (Quantity.LINEAR_BLOCK_ID, Quantity.BLOCK_THREADS, Quantity.LINEAR_THREAD_ID)
        )
        before = Binary(ctx.span, ctx.type, "*", block, size)
        return Binary(ctx.span, ctx.type, "+", before, thread)
    if group.scope is Scope.THREAD:
        return literal(0, ctx.type, ctx.span)
    if group.coalesced or group.scope in (Scope.TILE, Scope.WARP):
        return _quantity(ctx, Quantity.TILE_RANK, group.threads)
    return Opaque(ctx.span, ctx.type, "rank in a group of unknown threads", ctx.args)


def _size(ctx: CallContext, group: Group) -> Expr:
    if group.threads is not None:
        return literal(group.threads, ctx.type, ctx.span)
    if group.scope is Scope.BLOCK:
        return _quantity(ctx, Quantity.BLOCK_THREADS)
    if group.scope is Scope.GRID:
        return _quantity(ctx, Quantity.GRID_THREADS)
    if group.coalesced:
        active = WarpOp(ctx.span, U32, "activemask", Scope.WARP, ctx.name, (), synchronising=False)
        return pure(ctx, "popcount", (active,))
    return Opaque(ctx.span, ctx.type, "size of a group of unknown threads", ctx.args)


def _tiles(ctx: CallContext, group: Group) -> Expr:
    """``meta_group_size``: how many tiles the block has, the last of which may be short."""
    if group.threads is None:
        return Opaque(ctx.span, ctx.type, "number of tiles of unknown size")
    if group.scope is Scope.WARP:
        return _quantity(ctx, Quantity.WARPS)
    less_one = literal(group.threads - 1, ctx.type, ctx.span)
    rounded = Binary(ctx.span, ctx.type, "+", _quantity(ctx, Quantity.BLOCK_THREADS), less_one)
    return Binary(ctx.span, ctx.type, "/", rounded, literal(group.threads, ctx.type, ctx.span))


def _opaque(ctx: CallContext, group: Group) -> Expr:
    return Opaque(ctx.span, ctx.type, f"{ctx.name} of a group that is not modelled", ctx.args)


def _of_block_or_grid(
    block: Quantity | None, grid: Quantity | None, whole: bool
) -> Callable[[CallContext, Group], Expr]:
    def make(ctx: CallContext, group: Group) -> Expr:
        quantity = {Scope.BLOCK: block, Scope.GRID: grid}.get(group.scope) if group.scope else None
        if quantity is None:
            return _opaque(ctx, group)
        return vector(ctx, quantity) if whole else _quantity(ctx, quantity)

    return make


_QUERIES: dict[str, Callable[[CallContext, Group], Expr]] = {
    "thread_rank": _rank,
    "size": _size,
    "num_threads": _size,
    "group_size": _size,
    "meta_group_rank": lambda ctx, group: _quantity(ctx, Quantity.TILE_ID, group.threads),
    "meta_group_size": _tiles,
    "group_index": _of_block_or_grid(Quantity.BLOCK_ID, None, True),
    "thread_index": _of_block_or_grid(Quantity.THREAD_ID, None, True),
    "block_index": _of_block_or_grid(None, Quantity.BLOCK_ID, True),
    "group_dim": _of_block_or_grid(Quantity.BLOCK_DIM, Quantity.GRID_DIM, True),
    "dim_threads": _of_block_or_grid(Quantity.BLOCK_DIM, None, True),
    "dim_blocks": _of_block_or_grid(None, Quantity.GRID_DIM, True),
    "block_rank": _of_block_or_grid(None, Quantity.LINEAR_BLOCK_ID, False),
    "num_blocks": _of_block_or_grid(None, Quantity.GRID_BLOCKS, False),
    "is_valid": lambda ctx, _group: literal(1, ctx.type, ctx.span),
}


def lower_method(ctx: CallContext) -> Expr | None:
    """A method of a group object (static ones, ``thread_block::sync()``, too); None when the class is no group."""
    spelling = ctx.receiver_type or ctx.qualified.rpartition("::")[0]
    if spelling.partition("<")[0].rpartition("::")[2] == ctx.name:
        return None  # a constructor
    group = group_of(ctx.receiver, spelling, ctx.language)
    if group is None:
        return None
    subject = ctx.receiver
    if ctx.name == "sync":
        return _barrier(ctx, group, subject)
    if ctx.name == "barrier_arrive":
        return _barrier(ctx, group, subject, "arrive")
    if ctx.name == "barrier_wait":
        return _barrier(ctx, group, subject, "wait")
    if ctx.name in _WARP_METHODS:
        return _collective(ctx, _WARP_METHODS[ctx.name], group, ctx.args)
    query = _QUERIES.get(ctx.name)
    return query(ctx, group) if query else _opaque(ctx, group)


# ---------------------------------------------------------------------------------------------- free functions


def _argument_group(ctx: CallContext) -> Group:
    subject = ctx.arg(0)
    return (group_of(subject, _class_of(subject.type), ctx.language) if subject else None) or UNKNOWN_GROUP


def _sync(ctx: CallContext) -> Expr | None:
    return _barrier(ctx, _argument_group(ctx), ctx.args[0]) if ctx.args else None


def _wait(ctx: CallContext) -> Expr | None:
    """``cg::wait(group)``, ``cg::wait_prior<N>(group)``: wait for the copies, then synchronise the group."""
    if not ctx.args:
        return None
    stages = small_int(ctx.template_args[0]) if ctx.template_args else None
    pending = literal(stages or 0, U32, ctx.span) if ctx.name == "wait" or stages is not None else None
    wait = AsyncWait(ctx.span, VOID, "group", pending, ctx.args, ctx.name)
    return sequence(wait, _barrier(ctx, _argument_group(ctx), ctx.args[0]))


def _memcpy_async(ctx: CallContext) -> Expr | None:
    """``memcpy_async(group, destination, source, shape)`` or ``(group, destination, layout, source, layout)``."""
    if len(ctx.args) == 4:
        destination, source, size = ctx.args[1], ctx.args[2], ctx.args[3]
        return AsyncCopy(ctx.span, ctx.type, "group", destination, source, only_element(size), True, ctx.name)
    if len(ctx.args) == 5:
        return AsyncCopy(ctx.span, ctx.type, "group", ctx.args[1], ctx.args[3], None, True, ctx.name)
    return None


def only_element(expr: Expr) -> Expr:
    """The number inside ``cuda::aligned_size_t<16>(n)``, or ``expr`` itself."""
    inner = strip_casts(expr)
    if isinstance(inner, InitList) and len(inner.elements) == 1:
        return inner.elements[0]
    if isinstance(inner, Call) and len(inner.args) == 1 and "aligned_size_t" in inner.name:
        return inner.args[0]
    return expr


def _reduction(kind: str) -> Handler:
    def make(ctx: CallContext) -> Expr | None:
        if len(ctx.args) < 2:
            return None
        return _collective(ctx, kind, _argument_group(ctx), ctx.args[1:])

    return make


def _elected(ctx: CallContext) -> Expr | None:
    return Opaque(ctx.span, ctx.type, "code run by one elected thread", ctx.args, writes=True, may_sync=True)


FREE: dict[str, Handler] = {
    **dict.fromkeys(_MAKERS, pure),
    "tiled_partition": pure,
    "experimental_tiled_partition": pure,
    "sync": _sync,
    "synchronize": _sync,
    "wait": _wait,
    "wait_prior": _wait,
    "memcpy_async": _memcpy_async,
    "reduce": _reduction("reduce"),
    "inclusive_scan": _reduction("scan"),
    "exclusive_scan": _reduction("scan"),
    "thread_rank": lambda ctx: _rank(ctx, _argument_group(ctx)) if ctx.args else None,
    "group_size": lambda ctx: _size(ctx, _argument_group(ctx)) if ctx.args else None,
    "is_valid": lambda ctx: literal(1, ctx.type, ctx.span),
    "invoke_one": _elected,
    "invoke_one_broadcast": _elected,
}
"""Functions of namespace ``cooperative_groups``."""
