"""Blocks that all work out one result, as none of them asks which it is."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace

from tests.rules.marked import findings

CODE = """
__global__ void largest(const float *x, int n, float *result) {
    __shared__ float most[128];
    float mine = x[0];
    for (int i = FIRST; i < n; i += blockDim.x) mine = x[i] > mine ? x[i] : mine;
    most[threadIdx.x] = mine;
    for (int half = 64; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half && most[threadIdx.x + half] > most[threadIdx.x])
            most[threadIdx.x] = most[threadIdx.x + half];
    }
    if (threadIdx.x == 0) STORE;
}
void run(const float *x, int n, float *result) { largest<<<128, 128>>>(x, n, result); }
"""


@pytest.mark.parametrize(
    ("first", "store", "told"),
    [
        ("threadIdx.x", "*result = most[0]", False),
        ("threadIdx.x", "*result += most[0]", True),
        ("blockIdx.x + threadIdx.x", "*result = most[0]", True),
    ],
)
def test_one_result_of_blocks_that_are_alike(first: str, store: str, told: bool) -> None:
    assert bool(findings(GlobalMemoryRace, CODE.replace("FIRST", first).replace("STORE", store))) is told
