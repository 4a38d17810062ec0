"""Planes that are fetched ahead by a kernel that keeps margins of a stencil's radius."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import findings

MARCH = """
#define H 2
__global__ void heat(const float *t, float *next, int w, int h, int d) {
    const int x = blockIdx.x * 16 + threadIdx.x + H;
    const int y = blockIdx.y * 16 + threadIdx.y + H;
    if (x >= w - H || y >= h - H) return;
    const int plane = w * h;
    int at = FIRST * plane + y * w + x;
    float below = t[at - 1 * plane], here = t[at], above = t[at + 1 * plane], far = t[at + H * plane];
    for (int z = FIRST; z < d - LAST; ++z, at += plane) {
        next[at] = here + 0.1f * (below + above + far + t[at - 1] + t[at + 1] + t[at - w] + t[at + w] - 6.0f * here);
        below = here; here = above; above = far;
        FETCH
    }
}
"""
PLAIN = "far = t[at + (H + 1) * plane];"


@pytest.mark.parametrize(
    ("first", "last", "fetch", "bad"),
    [
        ("H", "H", PLAIN, True),
        ("2", "2", "if (z > 2) " + PLAIN, True),
        ("H", "H", "if (z + H + 1 < d) " + PLAIN, False),
        ("H", "H", "if (z < d - H - 1) " + PLAIN, False),
        ("H", "H", "far = t[at + min(H + 1, d - 1 - z) * plane];", False),
        ("H", "H", "far = t[at + H * plane];", False),
        ("H", "(H + 1)", PLAIN, False),
        ("1", "1", "far = t[at + 2 * plane];", False),  # another margin than along the rows: nobody says where d ends
    ],
)
def test_planes(first: str, last: str, fetch: str, bad: bool) -> None:
    code = MARCH.replace("FIRST", first).replace("LAST", last).replace("FETCH", fetch)
    found = findings(WrongBoundsGuard, code)
    assert bool(found) is bad, [one.message for one in found]
