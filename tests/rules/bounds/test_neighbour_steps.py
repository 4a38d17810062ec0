"""Neighbours along a row of cells, tested at one end of it."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.negative_index import NegativeIndex
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import findings

FLOOD = """
TABLE
__global__ void flood(const int *open, int count, const unsigned char *ground, int cols, int rows, int *reached) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const int cell = open[i], c = cell % cols, r = cell / cols;
    BEFORE
    for (int k = 0; k < 4; ++k) {
        const int nc = c + STEP, nr = r + DOWN;
        if (TEST) continue;
        const int to = nr * PITCH + nc;
        if (ground[to]) atomicMin(&reached[to], i);
    }
}
"""
STEPS = "__constant__ int2 MOVES[4] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};"
BACK = "__constant__ int2 MOVES[4] = {{-1, -1}, {-1, 0}, {-1, 1}, {0, -1}};"


@pytest.mark.parametrize(
    ("table", "test", "pitch", "before", "bad"),
    [
        (STEPS, "nc < 0 || nr < 0", "cols", "", True),
        (STEPS, "nc <= -1 || nr <= -1", "cols", "", True),
        (STEPS, "nc >= cols || nr >= rows", "cols", "", True),
        (STEPS, "nc < 0 || nr < 0 || nc >= cols || nr >= rows", "cols", "", False),
        (STEPS, "(unsigned)nc >= cols || (unsigned)nr >= rows", "cols", "", False),
        (STEPS, "nc < 0 || nr < 0", "(cols + 2)", "", False),
        (STEPS, "nc < 0 || nr < 0", "cols", "if (cell % cols == cols - 1) return;", False),
        (BACK, "nc < 0 || nr < 0", "cols", "", False),
        ("__constant__ int2 MOVES[4];", "nc < 0 || nr < 0", "cols", "", False),
    ],
)
def test_steps_of_a_table(table: str, test: str, pitch: str, before: str, bad: bool) -> None:
    text = FLOOD.replace("TABLE", table).replace("TEST", test).replace("PITCH", pitch).replace("BEFORE", before)
    text = text.replace("STEP", "MOVES[k].x").replace("DOWN", "MOVES[k].y")
    found = [*findings(WrongBoundsGuard, text), *findings(NegativeIndex, text)]
    assert bool(found) is bad, [one.message for one in found]


AROUND = """
__kernel void count(__global const int *cells, const int n, __global const uchar *alive, const int wide,
                    const int high, __global int *near) {
    const int i = get_global_id(0);
    if (i >= n) return;
    const int x = cells[i] % wide, y = cells[i] / wide;
    int sum = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= LAST; ++dx) {
            const int px = x + dx, py = y + dy;
            if (TEST) sum += alive[py * wide + px];
        }
    near[i] = sum;
}
"""


@pytest.mark.parametrize(
    ("last", "test", "bad"),
    [
        ("1", "px >= 0 && py >= 0 && py < high", True),
        ("1", "px >= 0 && py >= 0 && px < wide && py < high", False),
        ("0", "px >= 0 && py >= 0 && py < high", False),
    ],
)
def test_steps_of_a_loop(last: str, test: str, bad: bool) -> None:
    found = findings(WrongBoundsGuard, AROUND.replace("LAST", last).replace("TEST", test), "opencl")
    assert bool(found) is bad, [one.message for one in found]
