"""Elements that are read to the left of the test of their index."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.late_bounds_guard import LateBoundsGuard

from tests.rules.marked import assert_marked

CASES = {
    "the last of a global array": """
__global__ void find(const int *keys, int *out, int key, int n) {
    int i = threadIdx.x;
    while (keys[i] < key && i < n) i++; // bad
    out[threadIdx.x] = i;
}
""",
    "a part of shared memory with another one behind": """
__global__ void find(const int *keys, int *out, int key) {
    extern __shared__ int shared[];
    int *low = shared;
    int *last = &low[256];
    low[threadIdx.x] = keys[threadIdx.x];
    if (threadIdx.x == 0) last[0] = keys[blockDim.x];
    __syncthreads();
    int i = threadIdx.x;
    while (low[i] < key && i < 256) i++;
    out[threadIdx.x] = i + last[0];
}
""",
}


@pytest.mark.parametrize("name", CASES)
def test_case(name: str) -> None:
    assert_marked(LateBoundsGuard, CASES[name])
