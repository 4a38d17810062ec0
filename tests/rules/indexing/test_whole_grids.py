"""Cells of grids of constant extents that are numbered in 32 bits."""

from __future__ import annotations

import pytest
from kernlint_rules.indexing.index_overflow import IndexOverflow

from tests.rules.marked import assert_marked

CLAMPED = """
#define SIDE SIZE
inline int3 near(const float4 p, const float scale) {
    return clamp(convert_int3_sat(p.xyz * scale), (int3)(0), (int3)(SIDE - 1));
}
__kernel void mark(__global const float4 *points, const float scale, const int n, __global uint *set) {
    const int i = get_global_id(0);
    if (i >= n) return;
    const int3 c = near(points[i], scale);
    const KIND at = PLACE;
    atomic_or(&set[WORD], 1u << (uint)(at % 32));MARK
}
"""

TESTED = """
constexpr int WIDE = 4096, HIGH = 2048;
__global__ void darken(unsigned char *film, int frames) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int f = blockIdx.z;
    if (x >= WIDE || y >= HIGH || f >= FRAMES) return;
    film[INDEX] >>= 1;MARK
}
"""


@pytest.mark.parametrize(
    ("size", "kind", "place", "word", "bad"),
    [
        (2048, "uint", "c.x + SIDE * (c.y + SIDE * c.z)", "at / 32", True),
        (2048, "uint", "c.x + SIDE * c.y + SIDE * SIDE * c.z", "at >> 5", True),
        (2048, "ulong", "c.x + (ulong)SIDE * (c.y + (ulong)SIDE * c.z)", "at >> 5", False),
        (1024, "uint", "c.x + SIDE * (c.y + SIDE * c.z)", "at >> 5", False),
        (2048, "uint", "c.x + SIDE * (c.y + 16 * (c.z / 64))", "at >> 5", False),
        (2048, "uint", "c.x + SIDE * (c.y + SIDE * c.z)", "at % 4096", False),
    ],
)
def test_clamped(size: int, kind: str, place: str, word: str, bad: bool) -> None:
    text = CLAMPED.replace("SIZE", str(size)).replace("KIND", kind).replace("PLACE", place).replace("WORD", word)
    assert_marked(IndexOverflow, text.replace("MARK", " // bad" if bad else ""), "opencl")


@pytest.mark.parametrize(
    ("frames", "index", "bad"),
    [
        ("512", "(f * HIGH + y) * WIDE + x", True),
        ("512", "((size_t)f * HIGH + y) * WIDE + x", False),
        ("256", "(f * HIGH + y) * WIDE + x", False),
        ("512", "(f / 16 * HIGH + y) * WIDE + x", False),
        ("frames", "(f * HIGH + y) * WIDE + x", False),
    ],
)
def test_tested(frames: str, index: str, bad: bool) -> None:
    text = TESTED.replace("FRAMES", frames).replace("INDEX", index)
    assert_marked(IndexOverflow, text.replace("MARK", " // bad" if bad else ""), "cuda")
