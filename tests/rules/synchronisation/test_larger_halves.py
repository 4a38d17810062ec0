"""Loops that take the smaller half of what is left: trees over any number of elements."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.missing_warp_sync import MissingWarpSync
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import findings

TREE = """
extern "C" __global__ void sum(const float *x, float *y, COUNT n) {
    extern __shared__ float part[];
    float *own = part + threadIdx.x * blockDim.y * blockDim.z + threadIdx.y * blockDim.z;
    const int t = threadIdx.z;
    own[t] = x[t];
    __syncthreads();
    assert(n == blockDim.z);
    COUNT left = n;
    while (left > 1) {
        COUNT half = left / 2;
        if (t < half) own[t] += own[AT];
        __syncthreads();
        LESS
    }
    if (t == 0) y[threadIdx.x * blockDim.y + threadIdx.y] = own[0];
}
void run(const float *x, float *y) { sum<<<1, dim3(4, 8, 8), 1024>>>(x, y, 8); }
"""


@pytest.mark.parametrize(
    ("count", "less"),
    [
        ("int", "left = left - half;"),
        ("int", "left -= left / 2;"),
        ("unsigned", "left = left - half;"),
        ("unsigned", "left = (left + 1) / 2;"),
        ("unsigned", "left = (left + 1) >> 1;"),
        ("unsigned", "left -= left >> 1;"),
    ],
)
@pytest.mark.parametrize(("at", "told"), [("left - t - 1", False), ("left - half - t - 1", True)])
def test_elements_from_the_other_end(count: str, less: str, at: str, told: bool) -> None:
    code = TREE.replace("COUNT", count).replace("LESS", less).replace("AT]", f"{at}]")
    found = [*findings(SharedMemoryRace, code, "cuda"), *findings(MissingWarpSync, code, "cuda")]
    assert bool(found) is told
