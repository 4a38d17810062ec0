"""Places and lanes that rest on numbers which a header out of sight, or a text put in before compiling, gives."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.divergent_warp_intrinsic import DivergentWarpIntrinsic
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from kernlint.finding import Severity
from kernlint.rule import RuleClass
from tests.rules.marked import findings

ROWS = """
__global__ void stage(const float *in, float *out, int rows) {
    __shared__ float tile[2048];
    for (int r = 0; r < 4; ++r)
        tile[r * ROW + threadIdx.x] = in[r * rows + threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[3 * threadIdx.x];
}
void run(const float *in, float *out, int rows) { stage<<<1, 256>>>(in, out, rows); }
"""

LAST = """
__global__ void last(const int *x, int *sum) {
    int v = x[threadIdx.x];
    if (threadIdx.x >= WIDTH - 32) {
        for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
        if (threadIdx.x == WIDTH - 1) *sum = v;
    }
}
void run(const int *x, int *sum) { last<<<1, 128>>>(x, sum); }
"""


@pytest.mark.parametrize(
    ("rule", "code", "known"),
    [(SharedMemoryRace, ROWS, "#define ROW 128\n"), (DivergentWarpIntrinsic, LAST, "#define WIDTH 112\n")],
)
def test_a_number_out_of_sight_makes_it_a_note(rule: RuleClass, code: str, known: str) -> None:
    assert all(found.severity is Severity.NOTE for found in findings(rule, code))
    told = [found.severity for found in findings(rule, known + code)]
    assert told and Severity.NOTE not in told


@pytest.mark.parametrize(("test", "parted"), [("< 80", True), (">= 72", True), (">= 96", False), ("< 64", False)])
def test_a_constant_parts_the_lanes_of_a_warp_between_the_first_and_the_last(test: str, parted: bool) -> None:
    code = LAST.replace(">= WIDTH - 32", test).replace("WIDTH", "128").replace("<<<1, 128>>>", "<<<1, 160>>>")
    assert [found.severity for found in findings(DivergentWarpIntrinsic, code)] == [Severity.WARNING] * parted
