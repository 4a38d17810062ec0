"""Windows around a place that another kernel of the file has found."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.negative_index import NegativeIndex

from tests.rules.marked import findings

BRIGHTEST = """
#define REACH 3
#define SIDE (2 * REACH + 1)
__global__ void brightest(const float *frames, int rows, int cols, int count, int *spot_x, int *spot_y) {
    const int f = blockIdx.x * blockDim.x + threadIdx.x;
    if (f >= count) return;
    float most = -1.0f;
    int x = FIRST, y = FIRST;
    for (int r = FIRST; r < rows - FIRST; ++r)
        for (int c = FIRST; c < cols - FIRST; ++c)
            if (frames[(f * rows + r) * cols + c] > most) {
                most = frames[(f * rows + r) * cols + c];
                x = c;
                y = r;
            }
    spot_x[f] = x;
    spot_y[f] = y;
}
MORE
__global__ void centre(const float *frames, int rows, int cols, const int *spot_x, const int *spot_y, float *out) {
    const int f = blockIdx.x, dx = threadIdx.x, dy = threadIdx.y;
    if (dx >= SIDE || dy >= SIDE) return;
    const int c = spot_x[f] - BACK + dx, r = spot_y[f] - BACK + dy;
    float v = 0.0f;
    if (TEST) v = frames[(f * rows + r) * cols + c];
    out[(f * SIDE + dy) * SIDE + dx] = v;
}
"""
OTHER = """
__global__ void inside(int *spot_x, int *spot_y, int rows, int cols, int count) {
    const int f = blockIdx.x * blockDim.x + threadIdx.x;
    if (f < count) { spot_x[f] = max(spot_x[f], REACH); spot_y[f] = max(spot_y[f], REACH); }
}
"""


@pytest.mark.parametrize(
    ("first", "back", "test", "more", "bad"),
    [
        ("0", "REACH", "r < rows && c < cols", "", True),
        ("1", "REACH", "r < rows && c < cols", "", True),
        ("REACH", "REACH", "r < rows && c < cols", "", False),
        ("0", "0", "r < rows && c < cols", "", False),
        ("0", "REACH", "r >= 0 && c >= 0 && r < rows && c < cols", "", False),
        ("0", "REACH", "(unsigned)r < rows && (unsigned)c < cols", "", False),
        ("0", "REACH", "r < rows && c < cols && spot_x[f] >= REACH && spot_y[f] >= REACH", "", False),
        ("0", "REACH", "r < rows && c < cols", OTHER, False),
    ],
)
def test_windows(first: str, back: str, test: str, more: str, bad: bool) -> None:
    text = BRIGHTEST.replace("FIRST", first).replace("BACK", back).replace("TEST", test).replace("MORE", more)
    found = findings(NegativeIndex, text)
    assert bool(found) is bad, [one.message for one in found]
