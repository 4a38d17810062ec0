"""Squares that a thread paints around its own place, as wide as a number from memory says."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.negative_index import NegativeIndex

from tests.rules.marked import findings

PAINT = """
__global__ void grow(const float *size, int *out, int w, int h, int most) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (OUTSIDE) return;
    const float s = size[y * w + x];
    if (s <= 0.f) return;
    const int r = RADIUS;
    for (int dy = -r; dy <= r; ++dy)
        for (int dx = -r; dx <= r; ++dx)
            if (TEST) PUT
}
"""
ROUND = "dx * dx + dy * dy <= s * s"
STORE = "out[(y + dy) * w + x + dx] = 1;"


@pytest.mark.parametrize(
    ("outside", "radius", "test", "put", "bad"),
    [
        ("x >= w || y >= h", "(int)ceilf(s)", ROUND, STORE, True),
        ("x >= w || y >= h", "(int)s", "true", STORE.replace("+ dy) * w", "- r + dy + r) * w"), True),
        ("x >= w || y >= h", "(int)ceilf(s)", ROUND, "atomicAdd(&out[(y + dy) * w + x + dx], 1);", True),
        ("x >= w || y >= h", "(int)s", "x + dx >= 0 && x + dx < w && y + dy >= 0 && y + dy < h", STORE, False),
        ("x >= w || y >= h", "(int)s", "(unsigned)(x + dx) < w && (unsigned)(y + dy) < h", STORE, False),
        ("x >= w || y >= h", "min((int)s, min(min(x, y), min(w - 1 - x, h - 1 - y)))", ROUND, STORE, False),
        ("x >= w || y >= h", "(int)s", ROUND, "out[max(y + dy, 0) * w + max(x + dx, 0)] = 1;", False),
        ("x < most || y < most || x >= w - most || y >= h - most", "(int)s", ROUND, STORE, False),
    ],
)
def test_around_a_place(outside: str, radius: str, test: str, put: str, bad: bool) -> None:
    code = PAINT
    for name, text in (("OUTSIDE", outside), ("RADIUS", radius), ("TEST", test), ("PUT", put)):
        code = code.replace(name, text)
    assert any("own place" in one.message for one in findings(NegativeIndex, code)) is bad


BALL = """
__kernel void fill(__read_only image3d_t width, sampler_t near, __global uchar *out) {
    const int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
    const int r = (int)read_imagef(width, near, at).x;
    for (int z = -r; z <= r; ++z)
        for (int y = -r; y <= r; ++y)
            for (int x = -r; x <= r; ++x) {
                const int4 p = at + (int4)(x, y, z, 0);
                TEST out[(p.z * get_global_size(1) + p.y) * get_global_size(0) + p.x] = 255;
            }
}
"""
INSIDE = """if (p.x >= 0 && p.y >= 0 && p.z >= 0 && p.x < get_global_size(0) && p.y < get_global_size(1)
    && p.z < get_global_size(2))"""


@pytest.mark.parametrize(("test", "bad"), [("", True), (INSIDE, False)])
def test_a_ball_in_the_volume_of_the_range(test: str, bad: bool) -> None:
    assert bool(findings(NegativeIndex, BALL.replace("TEST", test), "opencl")) is bad
