"""Neighbours that one loop counts through, whose row and column are digits of its rounds."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.negative_index import NegativeIndex
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import findings

WINDOW = """
__global__ void smallest(const int *in, int *out, int w, int h, int pitch) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (TEST) return;
    int least = 1 << 30;
    for (int k = 0; k < SIDE * SIDE; ++k)
        least = min(least, in[(y - SIDE / 2 + k / SIDE) * pitch + x - SIDE / 2 + k % SIDE]);
    out[y * pitch + x] = least;
}
"""


@pytest.mark.parametrize(
    ("side", "test", "bad"),
    [
        ("3", "x < 1 || x >= w - 1 || y < 1 || y >= h - 1", False),
        ("3", "x < 1 || x >= w - 1 || h < 1 || y >= h - 1", True),
        ("3", "x < 1 || x >= w - 1 || y >= h - 1", True),
        ("3", "w < 1 || x >= w - 1 || y < 1 || y >= h - 1", True),
        ("5", "x < 2 || x >= w - 2 || y < 2 || y >= h - 2", False),
        ("5", "x < 2 || x >= w - 2 || h < 2 || y >= h - 2", True),
        ("3", "x >= w - 1 || y >= h - 1", False),  # nobody knows of places before the first
    ],
)
def test_one_axis_is_tested_at_its_start(side: str, test: str, bad: bool) -> None:
    code = WINDOW.replace("SIDE", side).replace("TEST", test)
    assert bool(findings(NegativeIndex, code)) is bad
    assert not findings(WrongBoundsGuard, code)
