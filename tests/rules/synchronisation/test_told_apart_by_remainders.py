"""Conditions that compare a remainder with an argument, or the outcome of a comparison of data with another truth."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import findings

SWEEP = """
struct Grid { int wide, high, pass; };
__global__ void sweep(double *p, const double *rhs, Grid g) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i == 0 || j == 0 || i >= g.wide - 1 || j >= g.high - 1) return;
    if (%s) p[j * g.wide + i] = 0.5 * (p[(j - 1) * g.wide + i] + p[(j + 1) * g.wide + i]) - rhs[j * g.wide + i];
}
"""

NETWORK = """
#define N 128
__global__ void network(float *x) {
    __shared__ float v[N];
    const int t = threadIdx.x;
    v[t] = x[t];
    v[t + N / 2] = x[t + N / 2];
    for (int run = 2; run <= N; run *= 2) {
        const bool rising = (t & (run >> 1)) == 0;
        for (int gap = run / 2; gap > 0; gap /= 2) {
            __syncthreads();
            const int at = 2 * t - (t & (gap - 1));
            const float a = v[at], b = v[at + gap];
            if (%s) {
                v[at] = b;
                v[at + gap] = a;
            }
        }
    }
    %s
    x[t] = v[t];
    x[t + N / 2] = v[t + N / 2];
}
void sort(float *x) { network<<<1, N / 2>>>(x); }
"""


@pytest.mark.parametrize(
    ("told_apart", "bad"),
    [
        ("(i & 1) == g.pass", True),
        ("(i % 2) != g.pass", True),
        ("((i + j) & 1) == g.pass", False),
        ("(j & 1) == g.pass", False),
        ("j % 3 == g.pass", False),
    ],
)
def test_every_other_place_along_the_wrong_axis(told_apart: str, bad: bool) -> None:
    assert bool(findings(GlobalMemoryRace, SWEEP % told_apart)) is bad


@pytest.mark.parametrize(
    "swap", ["(a > b) == rising", "rising ? a > b : a < b", "(rising && a > b) || (!rising && a < b)"]
)
def test_the_last_round_of_a_sorting_network(swap: str) -> None:
    assert findings(SharedMemoryRace, NETWORK % (swap, ""))
    assert not findings(SharedMemoryRace, NETWORK % (swap, "__syncthreads();"))
