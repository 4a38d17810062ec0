"""Values that a thread reads and does nothing with."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace
from kernlint_rules.synchronisation.missing_warp_sync import MissingWarpSync
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import findings

LARGEST = """
__global__ void largest(const float *v, float *out, int n) {
    __shared__ float best[4];
    const int lane = threadIdx.x % 32, w = threadIdx.x / 32;
    if (lane == 0) best[w] = 0.0f;
    __syncthreads();
    const int i = blockIdx.x * 128 + threadIdx.x;
    float x = i < n ? v[i] : 0.0f;
    for (int d = 16; d > 0; d /= 2) x = fmaxf(x, __shfl_down_sync(~0u, x, d));
    USE
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = fmaxf(fmaxf(best[0], best[1]), fmaxf(best[2], best[3]));
}
"""


@pytest.mark.parametrize(
    ("use", "told"),
    [
        ("if (x > best[w] && lane == 0) best[w] = x;", False),
        ("if (x > best[w] && lane < 2) best[w] = x;", True),
        ("const float b = best[w]; if (lane == 0) best[w] = fmaxf(x, b);", False),
        ("const float b = best[w]; if (lane == 0) best[w] = fmaxf(x, b); if (b < 0.0f) out[i] = b;", True),
        ("float b = best[w]; if (lane == 0) best[w] = x; b += x; if (lane == 1) out[i] = b;", True),
        ("if (best[w] < x) { if (lane == 0) best[w] = x; } else { out[i] = x; }", True),
        ("for (float b = best[w]; b < x; b += 1.0f) x *= 0.5f; if (lane == 0) best[w] = x;", True),
        ("const bool up = x > best[w]; if (lane == 0) best[w] = x; if (__any_sync(~0u, up)) out[i] = x;", True),
    ],
)
def test_lanes_that_read_for_one(use: str, told: bool) -> None:
    assert bool(findings(MissingWarpSync, LARGEST.replace("USE", use))) is told


CARRIED = """
__global__ void halves(const float *in, float *state, float *out, int rounds) {
    const int t = threadIdx.x, pair = t / 2;
    float kept = state[pair];
    for (int r = 0; r < rounds; ++r) {
        const float v = in[r * 256 + t];
        if (t % 2 == 1) kept = 0.5f * (kept + v);
    }
    AFTER
    if (t % 2 == 1) state[pair] = kept;
}
void run(const float *in, float *state, float *out, int rounds) { halves<<<1, 256>>>(in, state, out, rounds); }
"""


@pytest.mark.parametrize(
    ("after", "told"), [("", False), ("out[t] = kept;", True), ("if (t % 4 == 0) out[t] = kept;", True)]
)
def test_what_one_of_two_goes_on_with(after: str, told: bool) -> None:
    assert bool(findings(GlobalMemoryRace, CARRIED.replace("AFTER", after))) is told


FIRST = """
__global__ void sums(const float *in, float *out) {
    __shared__ float part[128];
    const int t = threadIdx.x;
    part[t] = in[blockIdx.x * 128 + t];
    const float next = part[(t + 64) % 128];
    if (t < LIMIT) out[blockIdx.x * 128 + t] = next;
}
"""


@pytest.mark.parametrize("limit", [1, 64, 128])
def test_who_needs_it_needs_a_barrier(limit: int) -> None:
    assert findings(SharedMemoryRace, FIRST.replace("LIMIT", str(limit)))
