"""What a thread may ask about itself and its launch."""

from __future__ import annotations

from collections.abc import Callable

from kernlint.frontends.clang.intrinsics.base import CallContext, Handler, constant, literal
from kernlint.tree.nodes import Expr, InitList, LaunchValue, Quantity

LAUNCH_VECTORS = {
    "threadIdx": Quantity.THREAD_ID,
    "blockIdx": Quantity.BLOCK_ID,
    "blockDim": Quantity.BLOCK_DIM,
    "gridDim": Quantity.GRID_DIM,
}
"""CUDA's and HIP's built-in variables, whose members ``x y z`` are axes 0, 1, 2."""


def along_axis(quantity: Quantity, beyond: int) -> Handler:
    """``f(dimension)`` of OpenCL; ``beyond`` is the value for dimensions that a launch never has
    (OpenCL C 3.0, 6.15.1: 0 for ids and offsets, 1 for sizes)."""

    def make(ctx: CallContext) -> Expr | None:
        if len(ctx.args) != 1:
            return None
        axis = constant(ctx.args[0])
        if axis is None:
            return LaunchValue(ctx.span, ctx.type, quantity, None, ctx.args[0])
        if not 0 <= axis <= 2:
            return literal(beyond, ctx.type, ctx.span)
        return LaunchValue(ctx.span, ctx.type, quantity, axis)

    return make


def fixed(quantity: Quantity, axis: int | None = None) -> Handler:
    """A call without arguments that names one quantity."""
    return lambda ctx: LaunchValue(ctx.span, ctx.type, quantity, axis)


def vector(ctx: CallContext, quantity: Quantity) -> InitList:
    """All three axes of ``quantity`` as a ``dim3``-like value."""
    from kernlint.tree.types import U32

    return InitList(ctx.span, ctx.type, tuple(LaunchValue(ctx.span, U32, quantity, axis) for axis in range(3)))


def select_lane(value: Expr, lane: int) -> Expr | None:
    """Element ``lane`` of a value that is written out, or None when it is not."""
    return value.elements[lane] if isinstance(value, InitList) and 0 <= lane < len(value.elements) else None


_BY_DIMENSION: dict[str, tuple[Quantity, int]] = {
    "global_id": (Quantity.GLOBAL_ID, 0),
    "local_id": (Quantity.THREAD_ID, 0),
    "group_id": (Quantity.BLOCK_ID, 0),
    "global_offset": (Quantity.GLOBAL_OFFSET, 0),
    "global_size": (Quantity.GLOBAL_SIZE, 1),
    "local_size": (Quantity.BLOCK_DIM, 1),
    "enqueued_local_size": (Quantity.BLOCK_DIM, 1),
    "num_groups": (Quantity.GRID_DIM, 1),
}

_AXES = {"x": 0, "y": 1, "z": 2}
_AMD = {"workitem_id": Quantity.THREAD_ID, "workgroup_id": Quantity.BLOCK_ID, "workgroup_size": Quantity.BLOCK_DIM}
# The AMD grid size counts threads.
_AMD |= {"grid_size": Quantity.GLOBAL_SIZE}
_PTX = {
    "tid": Quantity.THREAD_ID,
    "ctaid": Quantity.BLOCK_ID,
    "ntid": Quantity.BLOCK_DIM,
    "nctaid": Quantity.GRID_DIM,
}

SPECIAL_REGISTERS: dict[str, tuple[Quantity, int | None]] = {
    **{f"{name}.{axis}": (quantity, index) for name, quantity in _PTX.items() for axis, index in _AXES.items()},
    "laneid": (Quantity.LANE_ID, None),
}
"""PTX special registers (without ``%``) that have a quantity of their own.  ``%warpid`` is not one: it may change
while a thread runs (PTX ISA, special registers)."""

CK_TILE: dict[str, Handler] = {
    "get_lane_id": fixed(Quantity.LANE_ID),
    "get_warp_size": fixed(Quantity.WARP_SIZE),
    "get_warp_id": fixed(Quantity.WARP_ID),
    "get_block_size": fixed(Quantity.BLOCK_THREADS),
    "get_grid_size": fixed(Quantity.GRID_BLOCKS),
    "get_thread_id": fixed(Quantity.THREAD_ID, 0),
    "get_thread_local_1d_id": fixed(Quantity.THREAD_ID, 0),
    "get_block_id": fixed(Quantity.BLOCK_ID, 0),
    "get_block_1d_id": fixed(Quantity.BLOCK_ID, 0),
}
"""Functions of composable_kernel's namespaces ``ck`` and ``ck_tile``."""

TABLE: dict[str, Callable[[CallContext], Expr | None]] = {
    **{f"get_{name}": along_axis(*found) for name, found in _BY_DIMENSION.items()},
    **{f"__ockl_get_{name}": along_axis(*found) for name, found in _BY_DIMENSION.items()},
    "get_work_dim": fixed(Quantity.WORK_DIM),
    "get_global_linear_id": fixed(Quantity.LINEAR_GLOBAL_ID),
    "get_local_linear_id": fixed(Quantity.LINEAR_THREAD_ID),
    "get_sub_group_local_id": fixed(Quantity.LANE_ID),
    "get_sub_group_id": fixed(Quantity.WARP_ID),
    "get_sub_group_size": fixed(Quantity.WARP_SIZE),
    "get_max_sub_group_size": fixed(Quantity.WARP_SIZE),
    "get_num_sub_groups": fixed(Quantity.WARPS),
    "get_enqueued_num_sub_groups": fixed(Quantity.WARPS),
    **{
        f"__builtin_amdgcn_{name}_{axis}": fixed(quantity, index)
        for name, quantity in _AMD.items()
        for axis, index in _AXES.items()
    },
    "__builtin_amdgcn_wavefrontsize": fixed(Quantity.WARP_SIZE),
    "__builtin_nvptx_read_ptx_sreg_laneid": fixed(Quantity.LANE_ID),
    **{
        f"{prefix}_read_ptx_sreg_{name}_{axis}": fixed(quantity, index)
        for prefix in ("__nvvm", "__builtin_ptx", "__builtin_nvptx")
        for name, quantity in _PTX.items()
        for axis, index in _AXES.items()
    },
    "__nvvm_read_ptx_sreg_laneid": fixed(Quantity.LANE_ID),
    "__nvvm_read_ptx_sreg_warpsize": fixed(Quantity.WARP_SIZE),
}
