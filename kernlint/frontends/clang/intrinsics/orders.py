"""Scopes, memory orders and fence flags as the dialects number or spell them.

Where a value is not a constant the widest scope, the strongest order and all spaces are taken: what is not known must
never look like a missing fence.
"""

from __future__ import annotations

from kernlint.frontends.clang.intrinsics.base import ALL_MEMORY, constant
from kernlint.tree.nodes import Expr, Scope, StringLit
from kernlint.tree.types import Space

# OpenCL C 3.0, 6.15.12.4, with the enumerators' values in clang's opencl-c-base.h.
OPENCL_SCOPES = {0: Scope.THREAD, 1: Scope.BLOCK, 2: Scope.GRID, 3: Scope.SYSTEM, 4: Scope.WARP}
# clang's __HIP_MEMORY_SCOPE_* and __MEMORY_SCOPE_*.
HIP_SCOPES = {1: Scope.THREAD, 2: Scope.WARP, 3: Scope.BLOCK, 4: Scope.GRID, 5: Scope.SYSTEM}
CLANG_SCOPES = {0: Scope.SYSTEM, 1: Scope.GRID, 2: Scope.BLOCK, 3: Scope.WARP, 4: Scope.THREAD}
# cuda::thread_scope: 10 is thread in libcu++, 3 in our prelude.
CUDA_SCOPES = {0: Scope.SYSTEM, 1: Scope.GRID, 2: Scope.BLOCK, 3: Scope.THREAD, 10: Scope.THREAD}

AMD_SCOPES = {
    "": Scope.SYSTEM,
    "agent": Scope.GRID,
    "workgroup": Scope.BLOCK,
    "wavefront": Scope.WARP,
    "singlethread": Scope.THREAD,
}

# The same numbers in C11, clang's __ATOMIC_*, OpenCL and libcu++; 1 is consume, which compilers treat as acquire.
_ORDERS = {0: "relaxed", 1: "acquire", 2: "acquire", 3: "release", 4: "acq_rel", 5: "seq_cst"}

# OpenCL C 3.0, 6.15.8: CLK_LOCAL_MEM_FENCE 1, CLK_GLOBAL_MEM_FENCE 2, CLK_IMAGE_MEM_FENCE 4 (images are not modelled).
_FLAG_SPACES = {1: Space.SHARED, 2: Space.GLOBAL}


def order_of(expr: Expr | None) -> str:
    """Memory order that the constant ``expr`` stands for; ``seq_cst`` when it is missing or not known."""
    value = constant(expr)
    return "seq_cst" if value is None else _ORDERS.get(value, "seq_cst")


def scope_of(expr: Expr | None, table: dict[int, Scope], default: Scope = Scope.SYSTEM) -> Scope:
    """Scope that the constant ``expr`` has in ``table``; ``default`` when it is missing, SYSTEM when not known."""
    if expr is None:
        return default
    value = constant(expr)
    return Scope.SYSTEM if value is None else table.get(value, Scope.SYSTEM)


def amd_scope(expr: Expr | None) -> Scope:
    """Scope named by the synchronisation-scope string of an AMD builtin (``"workgroup-one-as"``)."""
    if not isinstance(expr, StringLit):
        return Scope.SYSTEM
    return AMD_SCOPES.get(expr.value.strip('"').removesuffix("-one-as").removesuffix("one-as"), Scope.SYSTEM)


def flag_spaces(expr: Expr | None) -> frozenset[Space]:
    """Spaces that ``cl_mem_fence_flags`` name; both when they are not known."""
    value = constant(expr)
    if value is None:
        return ALL_MEMORY
    return frozenset(space for bit, space in _FLAG_SPACES.items() if value & bit)


def thread_scope(template_argument: str) -> Scope:
    """Scope of a ``cuda::thread_scope`` template argument: ``cuda::thread_scope_block``,
    ``(cuda::thread_scope)2``, ``cuda::std::thread_scope::thread_scope_device``; SYSTEM when not known."""
    text = template_argument.rpartition(")")[2].strip()
    if text.isdigit():
        return CUDA_SCOPES.get(int(text), Scope.SYSTEM)
    tail = text.rpartition("thread_scope_")[2]
    return {"block": Scope.BLOCK, "device": Scope.GRID, "thread": Scope.THREAD}.get(tail, Scope.SYSTEM)
