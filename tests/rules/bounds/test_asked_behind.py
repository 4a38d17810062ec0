"""Places that data choose, read before the kernel leaves where they are outside."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.late_bounds_guard import LateBoundsGuard

from tests.rules.marked import findings

PIXELS = """
__kernel void paint(__global const uchar *mask, __global const int2 *points, __global float *sum, int w, int h, int n) {
    const int i = get_global_id(0);
    if (i >= n) return;
    const int x = points[i].x, y = points[i].y;
    BODY
    sum[y * w + x] = value + 1.0f;
}
"""
INSIDE = "x < 0 || x >= w || y < 0 || y >= h"


@pytest.mark.parametrize(
    ("body", "bad"),
    [
        (f"uchar value = mask[y * w + x]; if ({INSIDE}) return;", True),
        (f"uchar value = mask[y * w + x]; if (value == 0 || {INSIDE}) return;", True),
        (f"if ({INSIDE}) return; uchar value = mask[y * w + x];", False),
        (f"uchar value = 0; if ({INSIDE}) return; value = mask[y * w + x]; if (value == 0) return;", False),
        ("uchar value = mask[y * w + x]; if (x < 1 || x >= w - 1 || y < 1 || y >= h - 1) return;", False),  # a rim
        ("uchar value = mask[y * w + x]; if (x >= w || y >= h) return;", False),
        (f"if (points[n].x) return; uchar value = mask[(y + 1) * (w + 2) + x + 1]; if ({INSIDE}) return;", False),
    ],
)
def test_points_from_memory(body: str, bad: bool) -> None:
    found = findings(LateBoundsGuard, PIXELS.replace("BODY", body), "opencl")
    assert bool(found) is bad, [one.message for one in found]


WALK = """
__global__ void walk(const float *field, int *visits, const float2 *starts, int w, int h, int steps, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 at = starts[i];
    for (int k = 0; k < steps; ++k) {
        BODY
        at.x += value;
        at.y += 0.5f * value;
    }
}
"""
READ = "const float value = field[(int)floorf(at.y) * w + (int)floorf(at.x)];"
ASKED = "if (at.x < 0.0f || at.x >= w || at.y < 0.0f || at.y >= h) break;"
COUNT = "atomicAdd(&visits[(int)floorf(at.y) * w + (int)floorf(at.x)], 1);"


@pytest.mark.parametrize(
    ("body", "bad"),
    [
        (f"{READ} {ASKED} {COUNT}", True),
        (f"{ASKED} {READ} {COUNT}", False),
        (f"{READ} {COUNT} {ASKED}", False),  # inside, for all that the kernel asks
    ],
)
def test_a_walk(body: str, bad: bool) -> None:
    found = findings(LateBoundsGuard, WALK.replace("BODY", body))
    assert bool(found) is bad, [one.message for one in found]
