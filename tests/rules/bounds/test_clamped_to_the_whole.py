"""Clamps to the number of all elements of an array in rows, which is one more than its last place."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import findings

BLUR = """
__global__ void blur(const float *in, float *out, int w, int h) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (TEST) return;
    const int size = w * h;
    float sum = 0.f;
    for (int k = -2; k <= 2; ++k) sum += in[min(max(y * w + x + k, 0), END)];
    out[y * w + x] = sum;
}
"""
INSIDE = "x >= w || y >= h"


@pytest.mark.parametrize(
    ("test", "end", "bad"),
    [
        (INSIDE, "size", True),
        (INSIDE, "w * h", True),
        (INSIDE, "size - 1", False),
        (INSIDE, "h * w - 1", False),
        ("x > w || y > h", "size", False),  # one more of each, as both arrays may have
        ("x >= w", "size", False),  # nothing says how many rows there are
    ],
)
def test_an_array_in_rows(test: str, end: str, bad: bool) -> None:
    found = findings(WrongBoundsGuard, BLUR.replace("TEST", test).replace("END", end))
    assert any("clamped" in one.message for one in found) is bad


VOLUME = """
int place(int at, int count) { return clamp(at, 0, END); }
__kernel void shift(__global const float *in, __global float *out, int nx, int ny, int nz, int by) {
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x < nx && y < ny && z < nz) {
        const int at = (z * ny + y) * nx + x;
        out[at] = in[at] - in[place(at + by, nx * ny * nz)];
    }
}
"""


@pytest.mark.parametrize(("end", "bad"), [("count", True), ("count - 1", False)])
def test_a_volume_and_a_helper(end: str, bad: bool) -> None:
    assert bool(findings(WrongBoundsGuard, VOLUME.replace("END", end), "opencl")) is bad
