"""Items that are dealt out to rows in turn: those of one row meet."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace

from tests.rules.marked import findings

DEALT = """
__kernel void gather(__global const float *x, __global float *sums, const int items, const int rows, const int cols,
                     const int head) {
    const int c = get_global_id(0), item = get_global_id(1);
    if (c >= cols || item >= ITEMS) return;
    UPDATE
}
"""


@pytest.mark.parametrize(
    ("items", "update", "bad"),
    [
        ("items", "sums[(item % rows) * cols + c] += x[item * cols + c];", True),
        ("items", "sums[c * rows + item % rows] *= x[item * cols + c];", True),
        ("rows", "sums[(item % rows) * cols + c] += x[item * cols + c];", False),
        ("items", "sums[((head + item) % rows) * cols + c] += x[item * cols + c];", False),  # a ring
        ("items", "sums[(item % rows) * cols + c] = x[item * cols + c];", False),  # the last of each, or one alone
        ("items", "sums[((item % rows) * items + item / rows) * cols + c] += x[item * cols + c];", False),
        ("items", "sums[item * cols + c] += x[(item % rows) * cols + c];", False),
    ],
)
def test_rows_in_turn(items: str, update: str, bad: bool) -> None:
    code = DEALT.replace("ITEMS", items).replace("UPDATE", update)
    assert bool(findings(GlobalMemoryRace, code, "opencl")) is bad
