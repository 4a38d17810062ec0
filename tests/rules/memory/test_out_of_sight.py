"""What inline assembly that is not known does to memory it is given a pointer to is nobody's to say."""

from __future__ import annotations

import pytest
from kernlint_rules.memory.uninitialised_shared_memory import UninitialisedSharedMemory

from tests.rules.marked import assert_marked

STORE = '"{wmma.store.d.sync.aligned.col.m16n16k16.shared.f16 [%%0], {%%1,%%2,%%3,%%4}, %%5;}"'

OPENCL = (
    """
__kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void tile_out(const __global short *in, __global short *out) {
    __local short tile[256], other[256];
    int lid = get_local_id(0);
    int a = in[lid], b = in[lid + 32], c = in[lid + 64], d = in[lid + 96];
    asm("""
    + STORE
    + """ : : "l"(%s), "r"(a), "r"(b), "r"(c), "r"(d), "r"(16));
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = lid; i < 256; i += 32) out[i] = tile[i];%s
}
"""
)

CUDA = """
__global__ __launch_bounds__(32) void tile_out(const short *in, short *out) {
    __shared__ short tile[256];
    __shared__ short other[256];
    int a = in[threadIdx.x];
    asm volatile("odd.store.shared.b32 [%%0], %%1;" : : "%s"(%s), "r"(a) : "memory");
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += 32) out[i] = tile[i];%s
}
"""


@pytest.mark.parametrize(("given", "mark"), [("tile", ""), ("tile + 16 * (lid / 32)", ""), ("other", "  // bad")])
def test_an_array_that_assembly_gets_at_may_be_written_there(given: str, mark: str) -> None:
    assert_marked(UninitialisedSharedMemory, OPENCL % (given, mark), "opencl")


@pytest.mark.parametrize(
    ("constraint", "given", "mark"),
    [
        ("l", "tile", ""),
        ("r", "(unsigned)__cvta_generic_to_shared(tile)", ""),
        ("l", "other", "  // bad"),
    ],
)
def test_a_number_may_be_an_address(constraint: str, given: str, mark: str) -> None:
    assert_marked(UninitialisedSharedMemory, CUDA % (constraint, given, mark))


GONE = """
HEAD
__global__ void turned(const float4 *q, float *out) {
    __shared__ float4 ex[64];
    __shared__ float4 ey[64];
    const int i = threadIdx.x;
    AXES
    __syncthreads();
    out[i] = ex[63 - i].x + ey[63 - i].y;MARK
}
"""


HEADS = {
    "missing": '#include "axes_of_bodies.h"',
    "of the host": "inline void axes_of(const float4 &q, float4 &x, float4 &y) { x = q; y = q; }",
}


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize(("axes", "mark"), [("axes_of(q[i], ex[i], ey[i]);", ""), ("ex[i] = q[i];", "  // bad")])
def test_what_a_function_out_of_sight_takes_may_be_taken_by_reference(head: str, axes: str, mark: str) -> None:
    code = GONE.replace("HEAD", HEADS[head]).replace("AXES", axes).replace("MARK", mark)
    assert_marked(UninitialisedSharedMemory, code)
