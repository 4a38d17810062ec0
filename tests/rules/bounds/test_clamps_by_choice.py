"""Clamps that a helper makes of comparisons, and that end at the size itself."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import findings

TEXT = """
__device__ inline int inside(int v, int low, int high) { BODY }
__global__ void soften(const float *in, float *out, int width, int height, int pitch) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0.0f;
    for (int j = -2; j <= 2; ++j)
        for (int i = -2; i <= 2; ++i)
            sum += in[inside(y + j, 0, ROWS) * pitch + inside(x + i, 0, width - 1)];
    out[y * width + x] = sum / 25.0f;
}
"""


@pytest.mark.parametrize(
    "body",
    [
        "return v < low ? low : (v > high ? high : v);",
        "if (v < low) return low; if (v > high) return high; return v;",
        "return v > high ? high : (v > low ? v : low);",
        "return v <= high ? (v >= low ? v : low) : high;",
        "return max(low, min(v, high));",
    ],
)
@pytest.mark.parametrize(("rows", "bad"), [("height", True), ("height - 1", False)])
def test_clamps(body: str, rows: str, bad: bool) -> None:
    assert bool(findings(WrongBoundsGuard, TEXT.replace("BODY", body).replace("ROWS", rows))) is bad
