"""Neighbours by a list of which some are none, in an array that is written in place."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace

from tests.rules.marked import findings

CELLS = """
__kernel void spread(__global KIND *x, __global KIND *next, __global const int *near, const KIND rate, const int n) {
    const int c = get_global_id(0);
    if (c >= n) return;
    KIND sum = 0;
    for (int k = 0; k < 6; ++k) {
        const int o = near[c * 6 + k];
        TAKE
    }
    TO[c] = x[c] + rate * sum;
}
"""


@pytest.mark.parametrize(
    ("kind", "take", "to", "told"),
    [
        ("float", "if (o >= 0) sum += x[o] - x[c];", "x", True),
        ("float", "if (o >= 0) sum += x[o] - x[c];", "next", False),
        ("float", "if (o >= 0 && x[o] > sum) sum = x[o];", "x", False),
        ("int", "if (o >= 0) sum += x[o] - x[c];", "x", False),
    ],
)
def test_where_there_is_one(kind: str, take: str, to: str, told: bool) -> None:
    code = CELLS.replace("KIND", kind).replace("TAKE", take).replace("TO[", to + "[")
    assert bool(findings(GlobalMemoryRace, code, "opencl")) == told
