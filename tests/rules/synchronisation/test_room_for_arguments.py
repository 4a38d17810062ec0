"""Arguments in places of fixed shared arrays: those under which the last thread leaves the array are no evidence."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import assert_pair, findings

RIMS = """
__global__ void rims(const float *x, float *y, int radius) {
    __shared__ float rows[2 * 80];
    int at = threadIdx.y * 80 + threadIdx.x + radius;
    rows[at] = x[threadIdx.y * 64 + threadIdx.x];
    if (threadIdx.x < radius) rows[threadIdx.y * 80 + threadIdx.x] = 0.f;
    __syncthreads();  // only good
    y[threadIdx.y * 64 + threadIdx.x] = rows[at] + rows[threadIdx.y * 80 + 63 - threadIdx.x + radius];  // bad
}
void run(const float *x, float *y, int radius) { rims<<<1, dim3(64, 2)>>>(x, y, radius); }
"""

APART = """
__global__ void rows_of_their_own(const float *x, float *y, int radius) {
    __shared__ float rows[4 * 48];
    int at = threadIdx.y * 48 + threadIdx.x + radius;
    rows[at] = x[threadIdx.y * 32 + threadIdx.x];
    rows[threadIdx.y * 48] = 0.f;
    __syncwarp();
    y[threadIdx.y * 32 + threadIdx.x] = rows[threadIdx.y * 48] + rows[at];
}
void run(const float *x, float *y, int radius) {
    if (radius > 0) rows_of_their_own<<<1, dim3(32, 4)>>>(x, y, radius);
}
"""


def test_a_barrier_that_is_missing_for_a_small_radius() -> None:
    assert_pair(SharedMemoryRace, RIMS)


@pytest.mark.parametrize("test", ["", "if (threadIdx.x < 16) ", "if (threadIdx.x < radius) "])
def test_rows_that_meet_only_beyond_the_end(test: str) -> None:
    assert not findings(SharedMemoryRace, APART.replace("rows[at] = x", f"{test}rows[at] = x"))
