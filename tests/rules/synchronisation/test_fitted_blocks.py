"""Blocks of a required size of which one thread stores what the block has made."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace

from kernlint.finding import Severity
from tests.rules.marked import findings

REDUCED = """
__kernel REQUIRED void means(__global const float *in, __global float *out, int rows, int columns) {
    __local float part[64];
    const int row = get_global_id(1), lane = get_local_id(0);
    float sum = 0.0f;
    const int each = (rows + 63) / 64, first = get_global_id(0) * each;
    for (int k = first; k < min(first + each, rows); ++k) sum += in[k * columns + row];
    part[lane] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 32; s > 0; s >>= 1) {
        if (lane < s) part[lane] += part[lane + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    TEST out[row] = part[0] + first;
}
"""


FOR_64 = "__attribute__((reqd_work_group_size(64, 1, 1)))"


@pytest.mark.parametrize(
    ("required", "test", "level"),
    [
        (FOR_64, "if (lane == 0)", {Severity.NOTE}),
        (FOR_64, "", {Severity.WARNING, Severity.ERROR}),
        ("", "if (lane == 0)", {Severity.WARNING, Severity.ERROR}),
    ],
)
def test_blocks_that_a_host_fits_to_the_work(required: str, test: str, level: set[Severity]) -> None:
    text = REDUCED.replace("REQUIRED", required).replace("TEST", test)
    found = findings(GlobalMemoryRace, text, "opencl")
    assert found and {one.severity for one in found} <= level
