"""Execution barriers and memory fences that are free functions."""

from __future__ import annotations

from kernlint.frontends.clang.intrinsics.base import ALL_MEMORY, CallContext, Handler, constant
from kernlint.frontends.clang.intrinsics.orders import (
    CLANG_SCOPES,
    HIP_SCOPES,
    OPENCL_SCOPES,
    amd_scope,
    flag_spaces,
    scope_of,
)
from kernlint.source import Span
from kernlint.tree.nodes import Barrier, Expr, Fence, Scope
from kernlint.tree.types import Space, Type

NOTHING: frozenset[Space] = frozenset()
SHARED = frozenset({Space.SHARED})


def barrier(ctx: CallContext, scope: Scope = Scope.BLOCK, fences: frozenset[Space] = ALL_MEMORY) -> Barrier:
    """A plain barrier of all threads in ``scope``."""
    return Barrier(ctx.span, ctx.type, scope, fences, ctx.name)


def _flagged(ctx: CallContext, scope: Scope) -> Barrier:
    """OpenCL's barrier; flags that are no constant are kept, so that a proof can tell them from both flags."""
    flags = ctx.arg(0)
    args = ctx.args if flags is not None and constant(flags) is None else ()
    return Barrier(ctx.span, ctx.type, scope, flag_spaces(flags), ctx.name, args=args)


def _predicated(ctx: CallContext) -> Expr | None:
    return Barrier(ctx.span, ctx.type, Scope.BLOCK, ALL_MEMORY, ctx.name, predicate=ctx.arg(0), args=ctx.args)


def _syncwarp(ctx: CallContext) -> Expr:
    return Barrier(ctx.span, ctx.type, Scope.WARP, ALL_MEMORY, ctx.name, mask=ctx.arg(0))


def named_barrier(ctx: CallContext, barrier_id: Expr | None, count: Expr | None) -> Barrier:
    """Barrier ``barrier_id`` of the block; number 0 without a count is ``__syncthreads`` (PTX ISA, ``bar``)."""
    if count is None and constant(barrier_id) == 0:
        barrier_id = None
    return Barrier(ctx.span, ctx.type, Scope.BLOCK, ALL_MEMORY, ctx.name, barrier_id=barrier_id, count=count)


def _barrier_sync(ctx: CallContext) -> Expr:
    return named_barrier(ctx, ctx.arg(0), ctx.arg(1))


def _amd_barrier(ctx: CallContext) -> Expr:
    # The bare instruction waits for no memory operation; sources surround it with fences or count on the compiler's
    # waits.  Claiming the fences keeps a fence written next to it from being reported as missing.
    return barrier(ctx)


def _opencl_barrier(ctx: CallContext) -> Expr:
    return _flagged(ctx, Scope.BLOCK)


def _opencl_sub_group_barrier(ctx: CallContext) -> Expr:
    return _flagged(ctx, Scope.WARP)


def _work_group_value(ctx: CallContext) -> Expr | None:
    """``work_group_all any broadcast reduce_*``: a barrier whose result every thread of the block shares.

    OpenCL C 3.0, 6.15.17 asks all work-items to reach them and says nothing of memory.  Implementations put a barrier
    with a local fence in; that much is granted.
    """
    if not ctx.args:
        return None
    return Barrier(ctx.span, ctx.type, Scope.BLOCK, SHARED, ctx.name, predicate=ctx.args[0], args=ctx.args)


def _work_group_scan(ctx: CallContext) -> Expr | None:
    # No predicate: the result differs from thread to thread.
    return Barrier(ctx.span, ctx.type, Scope.BLOCK, SHARED, ctx.name, args=ctx.args) if ctx.args else None


def _fence(scope: Scope) -> Handler:
    return lambda ctx: Fence(ctx.span, ctx.type, scope, ALL_MEMORY, ctx.name)


def _opencl_fence(ctx: CallContext) -> Expr:
    # mem_fence orders the accesses of one work-item as its work-group sees them (OpenCL C 3.0, 6.15.9).
    return Fence(ctx.span, ctx.type, Scope.BLOCK, flag_spaces(ctx.arg(0)), ctx.name)


def _work_item_fence(ctx: CallContext) -> Expr:
    scope = scope_of(ctx.arg(2), OPENCL_SCOPES, Scope.GRID)
    return Fence(ctx.span, ctx.type, scope, flag_spaces(ctx.arg(0)), ctx.name)


def _amd_fence(ctx: CallContext) -> Expr:
    return Fence(ctx.span, ctx.type, amd_scope(ctx.arg(1)), ALL_MEMORY, ctx.name)


def _hip_fence(ctx: CallContext) -> Expr:
    return Fence(ctx.span, ctx.type, scope_of(ctx.arg(1), HIP_SCOPES), ALL_MEMORY, ctx.name)


def _scoped_fence(ctx: CallContext) -> Expr:
    return Fence(ctx.span, ctx.type, scope_of(ctx.arg(1), CLANG_SCOPES), ALL_MEMORY, ctx.name)


def grid_dependency(span: Span, type_: Type) -> Fence:
    """The wait for the kernels ahead in the stream: no thread of this one waits for another, and nothing is fenced."""
    return Fence(span, type_, Scope.THREAD, frozenset(), GRID_DEPENDENCY)


GRID_DEPENDENCY = "griddepcontrol.wait"
"""The name that the wait for the kernels ahead has in the tree."""


def _mbarrier(part: str) -> Handler:
    """``cuda_awbarrier_primitives.h`` and the PTX-like builtins: a split barrier on an object in shared memory."""

    def make(ctx: CallContext) -> Expr | None:
        if not ctx.args:
            return None
        return Barrier(
            ctx.span, ctx.type, Scope.BLOCK, ALL_MEMORY, ctx.name, barrier_id=ctx.args[0], part=part, args=ctx.args[1:]
        )

    return make


_ARITHMETIC = ("add", "min", "max", "mul", "and", "or", "xor", "logical_and", "logical_or", "logical_xor")

TABLE: dict[str, Handler] = {
    "__syncthreads": barrier,
    "__syncthreads_count": _predicated,
    "__syncthreads_and": _predicated,
    "__syncthreads_or": _predicated,
    "__nvvm_bar0": barrier,
    "__nvvm_barrier0": barrier,
    "__nvvm_bar0_popc": _predicated,
    "__nvvm_bar0_and": _predicated,
    "__nvvm_bar0_or": _predicated,
    "__nvvm_bar_sync": _barrier_sync,
    "__nvvm_barrier_sync": _barrier_sync,
    "__nvvm_barrier_sync_cnt": _barrier_sync,
    "__nvvm_bar_warp_sync": _syncwarp,
    "__syncwarp": _syncwarp,
    "__barrier_sync": _barrier_sync,
    "__barrier_sync_count": _barrier_sync,
    "__named_sync": _amd_barrier,
    "__builtin_amdgcn_s_barrier": _amd_barrier,
    "__builtin_amdgcn_wave_barrier": lambda ctx: barrier(ctx, Scope.WARP),
    "__work_group_barrier": lambda ctx: _flagged(ctx, Scope.BLOCK),
    "barrier": _opencl_barrier,
    "work_group_barrier": _opencl_barrier,
    "sub_group_barrier": _opencl_sub_group_barrier,
    "work_group_all": _work_group_value,
    "work_group_any": _work_group_value,
    "work_group_broadcast": _work_group_value,
    **{f"work_group_reduce_{op}": _work_group_value for op in _ARITHMETIC},
    **{f"work_group_scan_{kind}_{op}": _work_group_scan for kind in ("inclusive", "exclusive") for op in _ARITHMETIC},
    "__threadfence": _fence(Scope.GRID),
    "__threadfence_block": _fence(Scope.BLOCK),
    "__threadfence_system": _fence(Scope.SYSTEM),
    "__nvvm_membar_cta": _fence(Scope.BLOCK),
    "__nvvm_membar_gl": _fence(Scope.GRID),
    "__nvvm_membar_sys": _fence(Scope.SYSTEM),
    "mem_fence": _opencl_fence,
    "read_mem_fence": _opencl_fence,
    "write_mem_fence": _opencl_fence,
    "atomic_work_item_fence": _work_item_fence,
    "__builtin_amdgcn_fence": _amd_fence,
    "__atomic_thread_fence": _fence(Scope.SYSTEM),
    "__atomic_signal_fence": _fence(Scope.THREAD),
    "__c11_atomic_thread_fence": _fence(Scope.SYSTEM),
    "__sync_synchronize": _fence(Scope.SYSTEM),
    "__scoped_atomic_thread_fence": _scoped_fence,
    "__hip_atomic_thread_fence": _hip_fence,
    "atomic_thread_fence": _fence(Scope.SYSTEM),
    "__mbarrier_arrive": _mbarrier("arrive"),
    "__mbarrier_arrive_and_drop": _mbarrier("arrive"),
    "__mbarrier_test_wait": _mbarrier("wait"),
    "__mbarrier_test_wait_parity": _mbarrier("wait"),
    "__mbarrier_try_wait": _mbarrier("wait"),
    "__mbarrier_try_wait_parity": _mbarrier("wait"),
    "cudaGridDependencySynchronize": lambda ctx: grid_dependency(ctx.span, ctx.type),
    "__pipeline_arrive_on": _mbarrier("arrive"),
}
