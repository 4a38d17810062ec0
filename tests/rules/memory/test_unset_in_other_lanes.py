"""Values that some threads never set and hand to the other lanes of their warp."""

from __future__ import annotations

import pytest
from kernlint_rules.memory.uninitialised_private import UninitialisedPrivate

from tests.rules.marked import findings

SUM = """
__device__ float total(float v) {
    for (int d = FIRST; d > 0; d >>= 1) v += OPERATION;
    return v;
}
__global__ void add(const float *x, const unsigned *valid, float *out, int n) {
    __shared__ float parts[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    float v DECLARED;
    if (CONDITION) v = x[i];
    v = total(v);
    if (lane == 0) parts[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(out, parts[0]);
}
"""
DOWN = "__shfl_down_sync(0xffffffffu, v, d)"


@pytest.mark.parametrize(
    ("condition", "declared", "operation", "first", "told"),
    [
        ("i < n", "", DOWN, 16, True),
        ("i < n", "= 0", DOWN, 16, False),
        ("i < n", "", "__shfl_xor_sync(0xffffffffu, v, d)", 16, True),
        ("lane < 8", "", DOWN, 4, False),
        ("i < n", "", "__shfl_sync(0xffffffffu, v, 0)", 16, False),
    ],
)
def test_lanes_that_put_their_values_together(
    condition: str, declared: str, operation: str, first: int, told: bool
) -> None:
    code = SUM.replace("CONDITION", condition).replace("DECLARED", declared)
    code = code.replace("OPERATION", operation).replace("FIRST", str(first))
    assert any("other lanes" in one.message for one in findings(UninitialisedPrivate, code)) is told


def test_one_lane_fetches_for_all() -> None:
    code = """
__global__ void pack(int *count, int *where, const float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, at;
    unsigned m = __ballot_sync(0xffffffffu, i < n && x[i] > 0);
    if (lane == 0) at = atomicAdd(count, __popc(m));
    at = __shfl_sync(0xffffffffu, at, 0);
    if (i < n && x[i] > 0) where[at + __popc(m & ((1u << lane) - 1))] = i;
}"""
    assert not findings(UninitialisedPrivate, code)
