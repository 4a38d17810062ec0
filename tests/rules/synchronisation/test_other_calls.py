"""A barrier in a helper, in a case that only another call of the helper is for."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.barrier_divergence import BarrierDivergence

from tests.rules.marked import findings

ALIGN = """
template <int REGS> __global__ void align(const int *table, const int *lengths, int *best) {
    __shared__ int scores[441];
    const int length = lengths[blockIdx.x * blockDim.x + threadIdx.x];
    const int passes = ceil((1.0 * length) / (32 * REGS));
    int most = 0;
    auto profile = [&](const auto &offset) {
        if (!offset) {
            for (int i = threadIdx.x; i < 441; i += blockDim.x) scores[i] = table[i];
            __syncthreads();
        }
        for (int i = 0; i < REGS; i++) most = max(most, scores[(offset + i) % 441]);
    };
    profile(0);
    for (int pass = FIRST; pass < passes - 1; pass++) profile(PLACE);
    best[blockIdx.x * blockDim.x + threadIdx.x] = most;
}
void run(const int *t, const int *l, int *b, int n) { align<14><<<n, 256>>>(t, l, b); }
"""


@pytest.mark.parametrize(
    ("first", "place", "bad"),
    [
        ("1", "pass * (32 * REGS)", False),
        ("0", "pass * (32 * REGS) + 3", False),
        ("0", "pass * (32 * REGS)", True),
        ("1", "(pass - 1) * (32 * REGS)", True),
        ("1", "(pass - 4) * (32 * REGS)", True),
    ],
)
def test_first_pass_alone(first: str, place: str, bad: bool) -> None:
    assert bool(findings(BarrierDivergence, ALIGN.replace("FIRST", first).replace("PLACE", place))) is bad
