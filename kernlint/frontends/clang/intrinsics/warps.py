"""Collectives of a warp, wavefront or sub-group that are free functions."""

from __future__ import annotations

from kernlint.frontends.clang.intrinsics.base import WARP_SIZES, CallContext, Handler, constant, pure, scope_of_threads
from kernlint.tree.nodes import Call, Expr, LaunchValue, Opaque, Quantity, Scope, WarpOp


def _segment(ctx: CallContext, index: int) -> Expr | None:
    """The width argument of a shuffle, None when it says the whole warp: as the default argument does."""
    width = ctx.arg(index)
    if isinstance(width, (Opaque, LaunchValue)) or constant(width) == WARP_SIZES.get(ctx.language):
        return None
    return width


def _masked(kind: str, values: int, width: bool = False) -> Handler:
    """``f(mask, values...[, width])`` of CUDA's ``_sync`` family."""

    def make(ctx: CallContext) -> Expr | None:
        if len(ctx.args) < 1 + values:
            return None
        segment = _segment(ctx, 1 + values) if width else None
        operands = ctx.args[1 : 1 + values] if width else ctx.args[1:]
        return WarpOp(ctx.span, ctx.type, kind, Scope.WARP, ctx.name, operands, ctx.args[0], segment)

    return make


def _maskless(kind: str, values: int, width: bool = False) -> Handler:
    """``f(values...[, width])`` of the old family, in which the threads that happen to be active take part."""

    def make(ctx: CallContext) -> Expr | None:
        if len(ctx.args) < values:
            return None
        segment = _segment(ctx, values) if width else None
        operands = ctx.args[:values] if width else ctx.args
        return WarpOp(ctx.span, ctx.type, kind, Scope.WARP, ctx.name, operands, None, segment, False)

    return make


def _sub_group(kind: str, synchronising: bool = True) -> Handler:
    """OpenCL: all work-items of the sub-group must come, except for the ``non_uniform`` ones."""

    def make(ctx: CallContext) -> Expr | None:
        return WarpOp(ctx.span, ctx.type, kind, Scope.WARP, ctx.name, ctx.args, synchronising=synchronising)

    return make


def _clustered(ctx: CallContext) -> Expr | None:
    """``sub_group_clustered_reduce_add(value, size)``: every ``size`` neighbours reduce among themselves."""
    if len(ctx.args) != 2:
        return None
    scope = scope_of_threads(constant(ctx.args[1]), ctx.language)
    return WarpOp(ctx.span, ctx.type, "reduce", scope, ctx.name, ctx.args[:1], None, ctx.args[1])


def _torch(kind: str, values: int) -> Handler:
    """PyTorch's ``WARP_SHFL_DOWN(value, delta, width, mask)``, ``WARP_BALLOT(predicate, mask)``: the mask last."""

    def make(ctx: CallContext) -> Expr | None:
        if len(ctx.args) < values:
            return None
        mask = ctx.arg(values + (values == 2))
        segment = _segment(ctx, 2) if values == 2 else None
        return WarpOp(ctx.span, ctx.type, kind, Scope.WARP, ctx.name, ctx.args[:values], mask, segment)

    return make


def _intel_shuffle(kind: str) -> Handler:
    """``intel_sub_group_shuffle_down(current, next, delta)``: lanes past the end take from ``next``."""

    def make(ctx: CallContext) -> Expr | None:
        return WarpOp(ctx.span, ctx.type, kind, Scope.WARP, ctx.name, ctx.args, synchronising=False)

    return make


def _lockstep(kind: str) -> Handler:
    """AMD's cross-lane instructions: the wavefront's active lanes, in lockstep, without a barrier's promise."""

    def make(ctx: CallContext) -> Expr | None:
        return WarpOp(ctx.span, ctx.type, kind, Scope.WARP, ctx.name, ctx.args, synchronising=False)

    return make


def lane_id(ctx: CallContext) -> LaunchValue:
    """Index of the thread in its warp."""
    return LaunchValue(ctx.span, ctx.type, Quantity.LANE_ID)


def _lanes_below(ctx: CallContext) -> Expr | None:
    """``__builtin_amdgcn_mbcnt_lo/hi(mask, base)``: base plus the set bits of ``mask`` below the lane.

    ``mbcnt_hi(-1, mbcnt_lo(-1, 0))`` is the lane itself.  Otherwise the lane becomes an argument: without it the call
    would look the same in all threads.
    """
    if len(ctx.args) != 2:
        return None
    mask, base = ctx.args
    if ctx.name.endswith("_hi") and isinstance(base, Call) and base.name == "lanes_below_lo":
        masks = (constant(mask), constant(base.args[0]))
        if all(value in (-1, 0xFFFFFFFF) for value in masks) and constant(base.args[1]) == 0:
            return lane_id(ctx)
    return pure(ctx, f"lanes_below_{ctx.name[-2:]}", (*ctx.args, lane_id(ctx)))


CK_TILE: dict[str, Handler] = {
    f"warp_shuffle{suffix}": _lockstep(kind)
    for suffix, kind in (("", "shuffle"), ("_up", "shuffle_up"), ("_down", "shuffle_down"))
}
"""Functions of composable_kernel."""

_SUB_GROUP_OPS = ("add", "min", "max", "mul", "and", "or", "xor", "logical_and", "logical_or", "logical_xor")
_SHUFFLES = {"": "shuffle", "_xor": "shuffle_xor", "_up": "shuffle_up", "_down": "shuffle_down"}
_REDUCE_SYNC = ("add", "min", "max", "and", "or", "xor", "mul")

TABLE: dict[str, Handler] = {
    **{f"__shfl{suffix}_sync": _masked(kind, 2, width=True) for suffix, kind in _SHUFFLES.items()},
    **{f"__shfl{suffix}": _maskless(kind, 2, width=True) for suffix, kind in _SHUFFLES.items()},
    **{f"__{vote}_sync": _masked(vote, 1) for vote in ("any", "all", "ballot")},
    **{f"__{vote}": _maskless(vote, 1) for vote in ("any", "all", "ballot")},
    **{f"WARP_SHFL{suffix.upper()}": _torch(kind, 2) for suffix, kind in _SHUFFLES.items()},
    **{f"WARP_{vote.upper()}": _torch(vote, 1) for vote in ("any", "all", "ballot")},
    "__ballot64": _maskless("ballot", 1),
    "__uni_sync": _masked("match", 1),
    "__match_any_sync": _masked("match", 1),
    "__match_all_sync": _masked("match", 1),
    "__match_any": _maskless("match", 1),
    "__match_all": _maskless("match", 1),
    **{f"__reduce_{op}_sync": _masked("reduce", 1) for op in _REDUCE_SYNC},
    "__elect_sync": _masked("elect", 0),
    "__activemask": _maskless("activemask", 0),
    # OpenCL, with Intel's and Khronos's extensions.
    "sub_group_all": _sub_group("all"),
    "sub_group_any": _sub_group("any"),
    "sub_group_broadcast": _sub_group("broadcast"),
    "sub_group_elect": _sub_group("elect", False),
    "sub_group_non_uniform_all": _sub_group("all", False),
    "sub_group_non_uniform_any": _sub_group("any", False),
    "sub_group_non_uniform_all_equal": _sub_group("match", False),
    "sub_group_non_uniform_broadcast": _sub_group("broadcast", False),
    "sub_group_broadcast_first": _sub_group("broadcast", False),
    "sub_group_ballot": _sub_group("ballot", False),
    **{f"sub_group_shuffle{suffix}": _sub_group(kind, False) for suffix, kind in _SHUFFLES.items()},
    "sub_group_rotate": _sub_group("shuffle", False),
    "sub_group_clustered_rotate": _sub_group("shuffle", False),
    **{f"intel_sub_group_shuffle{suffix}": _intel_shuffle(kind) for suffix, kind in _SHUFFLES.items()},
    **{f"sub_group_reduce_{op}": _sub_group("reduce") for op in _SUB_GROUP_OPS},
    **{f"sub_group_scan_{way}_{op}": _sub_group("scan") for way in ("inclusive", "exclusive") for op in _SUB_GROUP_OPS},
    **{f"sub_group_non_uniform_reduce_{op}": _sub_group("reduce", False) for op in _SUB_GROUP_OPS},
    **{
        f"sub_group_non_uniform_scan_{way}_{op}": _sub_group("scan", False)
        for way in ("inclusive", "exclusive")
        for op in _SUB_GROUP_OPS
    },
    **{f"sub_group_clustered_reduce_{op}": _clustered for op in _SUB_GROUP_OPS},
    # AMD builtins.
    "__builtin_amdgcn_ds_bpermute": _lockstep("shuffle"),
    "__builtin_amdgcn_ds_permute": _lockstep("shuffle"),
    "__builtin_amdgcn_ds_swizzle": _lockstep("shuffle"),
    "__builtin_amdgcn_mov_dpp": _lockstep("shuffle"),
    "__builtin_amdgcn_mov_dpp8": _lockstep("shuffle"),
    "__builtin_amdgcn_update_dpp": _lockstep("shuffle"),
    "__builtin_amdgcn_permlane16": _lockstep("shuffle"),
    "__builtin_amdgcn_permlanex16": _lockstep("shuffle"),
    "__builtin_amdgcn_permlane64": _lockstep("shuffle"),
    "__builtin_amdgcn_permlane16_swap": _lockstep("shuffle"),
    "__builtin_amdgcn_permlane32_swap": _lockstep("shuffle"),
    "__builtin_amdgcn_readlane": _lockstep("broadcast"),
    "__builtin_amdgcn_readfirstlane": _lockstep("broadcast"),
    "__builtin_amdgcn_writelane": _lockstep("shuffle"),
    "__builtin_amdgcn_read_exec": _lockstep("activemask"),
    "__builtin_amdgcn_ballot_w32": _lockstep("ballot"),
    "__builtin_amdgcn_ballot_w64": _lockstep("ballot"),
    "__builtin_amdgcn_uicmp": _lockstep("ballot"),
    "__builtin_amdgcn_sicmp": _lockstep("ballot"),
    "__hip_ds_bpermute": _lockstep("shuffle"),
    "__hip_ds_bpermutef": _lockstep("shuffle"),
    "__hip_ds_permute": _lockstep("shuffle"),
    "__hip_ds_swizzle": _lockstep("shuffle"),
    "__hip_ds_swizzle_N": _lockstep("shuffle"),
    "__hip_move_dpp": _lockstep("shuffle"),
    "__hip_move_dpp_N": _lockstep("shuffle"),
    "__nvvm_shfl_sync_idx_i32": _masked("shuffle", 2),
    "__nvvm_shfl_sync_up_i32": _masked("shuffle_up", 2),
    "__nvvm_shfl_sync_down_i32": _masked("shuffle_down", 2),
    "__nvvm_shfl_sync_bfly_i32": _masked("shuffle_xor", 2),
    "__nvvm_vote_all_sync": _masked("all", 1),
    "__nvvm_vote_any_sync": _masked("any", 1),
    "__nvvm_vote_ballot_sync": _masked("ballot", 1),
    "__nvvm_activemask": _maskless("activemask", 0),
    "__lane_id": lane_id,
    "__builtin_amdgcn_mbcnt_lo": _lanes_below,
    "__builtin_amdgcn_mbcnt_hi": _lanes_below,
}
