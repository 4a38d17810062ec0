"""Neighbours of positions in floating point that are tested against the size, and not against the last place."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import findings

WARP = """
__global__ void warp(const float *from, float *to, const float *map, int w, int h, int pitch) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= w || j >= h) return;
    float x = map[0] * i + map[1] * j + map[2], y = map[3] * i + map[4] * j + map[5];
    MORE
    float sum = 0.0f;
    if (TEST) {
        SAMPLE
    }
    to[j * w + i] = sum;
}
"""

INSIDE = "x >= 0 && x < w && y >= 0 && y < h"
FOUR = """const int c = FLOOR, r = (int)y;
        const float u = x - c, v = y - r;
        sum = (1 - v) * ((1 - u) * from[r * LONG + c] + u * from[r * LONG + NEXT])
            + v * ((1 - u) * from[(r + 1) * LONG + c] + u * from[(r + 1) * LONG + NEXT]);"""
PLAIN = FOUR.replace("LONG", "w").replace("NEXT", "c + 1").replace("FLOOR", "(int)floorf(x)")
CLAMPED = FOUR.replace("LONG", "w").replace("NEXT", "min(c + 1, w - 1)").replace("FLOOR", "(int)x")
UP = "sum = from[(int)floorf(y) * w + (int)floorf(x)] + from[(int)ceilf(y) * w + (int)ceilf(x)];"


@pytest.mark.parametrize(
    ("test", "sample", "more", "bad"),
    [
        (INSIDE, PLAIN, "", True),
        (INSIDE.replace("x < w", "x < (float)w"), PLAIN, "", True),
        (INSIDE, UP, "", True),
        (INSIDE, "sum = from[(int)roundf(y) * w + (int)roundf(x)];", "", True),
        (INSIDE.replace("y < h", "y < h - 1"), PLAIN, "", True),
        (INSIDE.replace("x < w", "x < w - 1").replace("y < h", "y < h - 1"), PLAIN, "", False),
        (INSIDE.replace("x < w", "x <= w - 2").replace("y < h", "y <= h - 2"), PLAIN, "", False),
        (INSIDE, "sum = from[(int)y * w + (int)x];", "", False),
        (INSIDE, PLAIN.replace("w +", "pitch +"), "", False),
        (INSIDE, CLAMPED, "", True),
        (INSIDE.replace("y < h", "y < h - 1"), CLAMPED, "", False),
        (INSIDE, "if ((int)x + 1 < w && (int)y + 1 < h) { " + PLAIN + " }", "", False),
        (INSIDE, PLAIN, "x = fminf(x, w - 1.5f); y = fminf(y, h - 1.5f);", False),
        (INSIDE, "sum = from[(int)floorf(y) * w + (int)floorf(x + 0.5f)];", "", False),
    ],
)
def test_positions(test: str, sample: str, more: str, bad: bool) -> None:
    code = WARP.replace("TEST", test).replace("SAMPLE", sample).replace("MORE", more)
    found = [one.message for one in findings(WrongBoundsGuard, code) if "one behind the last" in one.message]
    assert bool(found) == bad, found
