"""Coordinates that count from the last place of a row downwards: their upper end is held by what they are made of."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import assert_marked

MIRRORED = """
kernel void turn(global const uchar *src, int rows, int cols, int pitch, global uchar *dst) {
    int x = get_global_id(0) << 2, y = get_global_id(1);
    if (y >= rows || x >= cols) return;
    int last = cols - x - 4, up = UP;
    global const uchar *row = src + up * pitch;
    uchar v = 0;
    if (last >= 0) {
        v = row[last];
    } else {
        v = row[last + 3];
        if (last >= 0) v = row[last];MARK
    }
    dst[y * pitch + x] = v;
}
"""


@pytest.mark.parametrize(("up", "told"), [("rows - y - 1", False), ("rows - y - 4", False), ("rows - y + 1", True)])
def test_backwards_through_a_row(up: str, told: bool) -> None:
    assert_marked(WrongBoundsGuard, MIRRORED.replace("UP", up).replace("MARK", "  // bad" * told), "opencl")
