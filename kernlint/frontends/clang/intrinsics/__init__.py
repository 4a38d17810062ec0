"""Calls of known device functions as dialect-free nodes of the kernel tree.

The tables are keyed by unqualified name; a function in a namespace counts only when the namespace is one that defines
it (``cuda``, ``std``, ``cooperative_groups``, ``cub``...), so a user's ``mine::clamp`` stays a call.  The lowering asks
for calls of functions *without a body in sight*: one that the file defines is followed, whatever it is called.
"""

from __future__ import annotations

from kernlint.frontends.clang.intrinsics import (
    atomics,
    barriers,
    collectives,
    copies,
    groups,
    launch_values,
    maths,
    matrices,
    memory,
    objects,
    warps,
)
from kernlint.frontends.clang.intrinsics.base import CallContext, Handler, constant
from kernlint.frontends.clang.intrinsics.effects import known_pure, may_sync_by_name, unresolved_effect
from kernlint.frontends.clang.intrinsics.launch_values import LAUNCH_VECTORS, select_lane
from kernlint.frontends.clang.intrinsics.maths import TRAPS
from kernlint.tree.nodes import Expr

FREE_FUNCTIONS: dict[str, Handler] = {
    **maths.TABLE,
    **memory.TABLE,
    **launch_values.TABLE,
    **warps.TABLE,
    **copies.TABLE,
    **atomics.TABLE,
    **barriers.TABLE,
}
"""Handlers of free functions by unqualified name."""

_NAMESPACES = frozenset(
    {"", "std", "cuda", "cuda::std", "thrust", "c10", "std::__detail", "hip", "__gnu_cxx", "c10::cuda", "at::native"}
)
_CK_WITH_ARGUMENTS = {**maths.TABLE, **warps.CK_TILE}
# Names too plain to be taken for OpenCL's outside OpenCL.
_OPENCL_ONLY = frozenset({"barrier", "prefetch", "any", "all", "shuffle", "shuffle2", "step", "sign", "select"})


def lower_call(ctx: CallContext) -> Expr | None:
    """The node that a call stands for, or None when the callee is no known device function.

    Also None for :data:`TRAPS`, which become statements.
    """
    if ctx.name in TRAPS:
        return None
    if ctx.receiver is not None or ctx.receiver_type:
        return groups.lower_method(ctx) or objects.lower_method(ctx) or collectives.lower_method(ctx)
    namespace = ctx.qualified.rpartition("::")[0]
    if namespace not in _NAMESPACES:
        return _qualified(ctx, namespace)
    if namespace and ((found := objects.lower_free(ctx)) is not None or ctx.name in maths.OPENCL_NAMES):
        return found
    handler = FREE_FUNCTIONS.get(ctx.name)
    if handler is None:
        return maths.by_prefix(ctx)
    if ctx.name in _OPENCL_ONLY and ctx.language != "opencl":
        return None
    return handler(ctx)


def _qualified(ctx: CallContext, namespace: str) -> Expr | None:
    root = namespace.partition("::")[0]
    if root in groups.NAMESPACES:
        leaf = namespace.rpartition("::")[2]
        if leaf in groups.NAMESPACES or leaf in ("experimental", "details"):
            handler = groups.FREE.get(ctx.name)
            return handler(ctx) if handler else None
        return groups.lower_method(ctx)
    if root in matrices.NAMESPACES:
        handler = matrices.FREE.get(ctx.name) or FREE_FUNCTIONS.get(ctx.name)
        return handler(ctx) if handler else None
    if root in ("ck", "ck_tile"):
        if ctx.name in ("block_sync_lds", "block_sync_lds_direct_load"):
            return barriers.barrier(ctx)
        if ctx.name in ("type_convert", "bit_cast"):
            return maths.numeric(ctx) if ctx.name == "type_convert" else maths.same_bits(ctx)
        handler = _CK_WITH_ARGUMENTS.get(ctx.name) if ctx.args else launch_values.CK_TILE.get(ctx.name)
        return handler(ctx) if handler else None
    if root in ("cuda", "std"):
        return objects.lower_free(ctx)
    if namespace in collectives.NAMESPACES and ctx.name in collectives.FREE:
        return collectives.FREE[ctx.name](ctx)
    return collectives.lower_method(ctx)


__all__ = [
    "FREE_FUNCTIONS",
    "LAUNCH_VECTORS",
    "TRAPS",
    "CallContext",
    "constant",
    "known_pure",
    "lower_call",
    "may_sync_by_name",
    "select_lane",
    "unresolved_effect",
]
