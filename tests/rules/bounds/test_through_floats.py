"""Integers that go through floating point and back: what is asked of them before holds afterwards."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import assert_marked

NEAREST = """
__device__ bool nearest(float2 p, const float *map, unsigned width, unsigned height, float *out) {
    int u = (int)(p.x + 0.5f), v = (int)(p.y + 0.5f);
    if (u < 0 || u > width || v < 0 || v > height) return false;
    *out = map[v * width + u];MARK
    return true;
}
__global__ void slopes(const float *map, unsigned width, unsigned height, float *dx) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        int at = y * width + x;
        dx[at] = 0.0f;
        if (INSIDE) {
            float a, b;
            if (!nearest(make_float2(x - 1, y - 1), map, width, height, &a)) return;
            if (!nearest(make_float2(x + STEP, y + STEP), map, width, height, &b)) return;
            dx[at] = b - a;
        }
    }
}
"""
INTERIOR = "x > 0 && x < width - 1 && y > 0 && y < height - 1"


@pytest.mark.parametrize(
    ("inside", "step", "told"),
    [(INTERIOR, "1", False), (INTERIOR, "2", True), ("x > 0 && y > 0", "1", True), (INTERIOR, "1.5f", True)],
)
def test_the_nearest_pixel(inside: str, step: str, told: bool) -> None:
    code = NEAREST.replace("INSIDE", inside).replace("STEP", step).replace("MARK", "  // bad" * told)
    assert_marked(WrongBoundsGuard, code)
