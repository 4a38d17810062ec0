"""Exchanges of pairs in rounds: each thread has a pair of its own, and a barrier stands between two rounds."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import findings

BUTTERFLY = """
__device__ void exchange(float *s, int step, int down) {
    int size = 1 << step, half = 1 << (step - 1);
    int one = (threadIdx.x >> (step - 1)) * size + (threadIdx.x & (half - 1));
    int other = one + (size >> 1);
    if (down == 0 && s[one] > s[other]) {
        float kept = s[one];
        s[one] = s[other];
        s[other] = kept;
    }
}
template <int STEPS> __device__ void sort(float *s) {
    for (int major = 1; major < STEPS; major++)
        for (int minor = major; minor > 0; minor--) {
            exchange(s, minor, (threadIdx.x >> (major - 1)) & 1);
            WAIT;
        }
}
__global__ void sorted(const float *x, float *y) {
    __shared__ float s[512];
    s[threadIdx.x] = x[threadIdx.x];
    s[threadIdx.x + 256] = x[threadIdx.x + 256];
    __syncthreads();
    sort<10>(s);
    y[threadIdx.x] = s[threadIdx.x];
}
void run(const float *x, float *y) { sorted<<<1, 256>>>(x, y); }
"""


@pytest.mark.parametrize(("wait", "bad"), [("__syncthreads()", False), ("__syncwarp()", True)])
def test_pairs_of_one_round_are_apart(wait: str, bad: bool) -> None:
    assert bool(findings(SharedMemoryRace, BUTTERFLY.replace("WAIT", wait))) is bad
