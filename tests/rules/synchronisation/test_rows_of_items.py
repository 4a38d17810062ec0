"""Barriers that rows of a work-group come to each for itself, by what the row has gathered."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.barrier_divergence import BarrierDivergence

from kernlint.finding import Severity
from tests.rules.marked import findings

FLUSHED = """
__kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void near(__global const float4 *at, __global uint *out, __global uint *count, const float cut, const uint blocks) {
    __local uint hit[128], first[4];
    const uint lid = get_local_id(0), lane = lid % 32, row = lid / 32;
    uint held = 0;
    for (uint y = 0; y < blocks; ++y) {
        hit[lid] = HIT;
        barrier(CLK_LOCAL_MEM_FENCE);
        uint found = 0;
        for (uint k = 0; k < 32; ++k) found += hit[FROM + k];
        held += found;
        if (held > 32) {
            if (lane == 0) first[row] = atomic_add(count, held);
            barrier(CLK_LOCAL_MEM_FENCE);
            if (lane < held) out[first[row] + lane] = y;
            held = 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
"""


@pytest.mark.parametrize(
    ("hit", "start", "bad"),
    [
        ("at[y * 128 + lid].w < cut", "row * 32", True),
        ("at[y * 128 + lid].w < cut", "lid / 64 * 64", True),
        ("at[y * 128 + lid].w < cut", "0", False),
        ("at[y].w < cut", "row * 32", False),
    ],
)
def test_rows_do_not_fill_at_one_pace(hit: str, start: str, bad: bool) -> None:
    text = FLUSHED.replace("HIT", hit).replace("FROM", start)
    assert any(one.severity is Severity.WARNING for one in findings(BarrierDivergence, text, "opencl")) is bad


SUMS = """
typedef struct { int some[16]; } column;
int sum_of(__local column *at, int v) {
    const int t = get_local_id(1);
    at->some[t] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 8; step > 0; step >>= 1) {
        if (t < step) at->some[t] += at->some[t + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const int sum = at->some[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum;
}
__kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void medians(__global const float *in, __global int *out, const int rows, const int width) {
    __local column columns[16];
    const int x = get_global_id(0);
    int zeros = 0;
    for (int y = get_local_id(1); y < rows; y += 16) zeros += in[y * width + COLUMN] == 0.0f;
    const int all = sum_of(&columns[OF], zeros);
    int rank = all / 2;
    if (all & 1) rank += sum_of(&columns[OF], zeros + 1);
    out[get_global_id(1) * width + x] = rank;
}
"""


@pytest.mark.parametrize(("of", "bad"), [("get_local_id(0)", True), ("0", False)])
def test_sums_of_columns_differ(of: str, bad: bool) -> None:
    text = SUMS.replace("OF", of).replace("COLUMN", "x")
    assert any(one.severity is Severity.WARNING for one in findings(BarrierDivergence, text, "opencl")) is bad
