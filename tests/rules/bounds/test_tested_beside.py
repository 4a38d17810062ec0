"""Coordinates that are tested for one corner of an interpolation and not for another one at the same coordinate."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.negative_index import NegativeIndex
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import findings

WARP = """
__device__ float sample(const float *img, int rows, int cols, float y, float x) {
    if (y <= -1.0f || x <= -1.0f || y >= rows || x >= cols) return 0.0f;
    const int top = (int)floorf(y), left = (int)floorf(x), low = top + 1, right = left + 1;
    float a = 0.0f, b = 0.0f, c = 0.0f, d = 0.0f;
    if (top >= 0 && left >= 0) a = img[top * cols + left];
    if (top >= 0 && right < cols) b = img[top * cols + right];
    if (THIRD) c = img[low * cols + left];
    if (FOURTH) d = img[low * cols + right];
    return a + b + c + d;
}
__global__ void warp(const float *img, const float2 *flow, float *out, int rows, int cols, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = sample(img, rows, cols, flow[i].y, flow[i].x);
}
"""

THIRD, FOURTH = "low < rows && left >= 0", "low < rows && right < cols"


@pytest.mark.parametrize(
    ("third", "fourth", "bad"),
    [
        (THIRD, FOURTH, ""),
        (THIRD, "low < rows", "WrongBoundsGuard"),
        (THIRD, "right < cols", "WrongBoundsGuard"),
        ("low < rows", FOURTH, "NegativeIndex"),
        (THIRD, "low < rows && left < cols - 1", ""),
        (THIRD, "low < rows && x + 1.0f < cols", ""),
        (THIRD, "low < rows && cols > right", ""),
    ],
)
def test_corners(third: str, fourth: str, bad: str) -> None:
    code = WARP.replace("THIRD", third).replace("FOURTH", fourth)
    for rule in (NegativeIndex, WrongBoundsGuard):
        found = [one.message for one in findings(rule, code) if "another access to the array" in one.message]
        assert bool(found) is (rule.__name__ == bad), found


CHOICE = """
__kernel void lookup(__global const int2 *at, __global const float *table, __global float *out, int rows, int cols,
                     int n) {
    const int i = get_global_id(0);
    if (i >= n) return;
    const int2 p = at[i];
    const float here = p.x < cols && p.y < rows ? table[p.y * cols + p.x] : 0.0f;
    const float under = TEST ? table[(p.y + 1) * cols + p.x] : 0.0f;
    out[i] = here + under;
}
"""


@pytest.mark.parametrize(
    ("test", "bad"),
    [("p.y + 1 < rows", True), ("p.y + 1 < rows && p.x < cols", False), ("here > 0.0f", False)],
)
def test_choices(test: str, bad: bool) -> None:
    found = findings(WrongBoundsGuard, CHOICE.replace("TEST", test), "opencl")
    assert any("another access to the array" in one.message for one in found) is bad, [one.message for one in found]
