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


TILE = """
#define COLS 320
__global__ void cut(const int *best, const float *a, int rows, int cols, float *out) {
    if (threadIdx.x >= 9 || threadIdx.y >= 9) return;
    const int at = best[blockIdx.x];
    const int r = at / PITCH - 4 + (int)threadIdx.y, c = at % PITCH - BACK + (int)threadIdx.x;
    float v = 0.0f;
    if (TEST) v = a[r * PITCH + c];
    out[(blockIdx.x * 9 + threadIdx.y) * 9 + threadIdx.x] = v;
}
"""


@pytest.mark.parametrize(
    ("pitch", "back", "test", "bad"),
    [
        ("cols", "4", "r < rows && c < cols", True),
        ("COLS", "4", "r < rows && c < COLS", True),
        ("COLS", "4", "r < rows && c < COLS && r >= 0 && c >= 0", False),
        ("cols", "0", "r >= 0 && r < rows && c < cols", False),
        ("cols", "4", "r < rows && c < cols && threadIdx.x >= 4", False),
    ],
)
def test_what_threads_add(pitch: str, back: str, test: str, bad: bool) -> None:
    found = findings(NegativeIndex, TILE.replace("PITCH", pitch).replace("BACK", back).replace("TEST", test))
    assert bool(found) is bad, [one.message for one in found]


def test_rows_of_constant_length() -> None:
    text = FLOOD.replace("TABLE", "#define WIDE 200\n" + STEPS).replace("cell % cols", "cell % WIDE")
    text = text.replace("cell / cols", "cell / WIDE").replace("PITCH", "WIDE").replace("BEFORE", "")
    text = text.replace("STEP", "MOVES[k].x").replace("DOWN", "MOVES[k].y")
    assert findings(WrongBoundsGuard, text.replace("TEST", "nc < 0 || nr < 0"))
    assert not findings(WrongBoundsGuard, text.replace("TEST", "nc < 0 || nr < 0 || nc >= WIDE || nr >= rows"))
