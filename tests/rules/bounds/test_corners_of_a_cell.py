"""Corners of a cell that data choose, one for each round of a loop whose digits say which."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import assert_marked

SAMPLED = """
__device__ float at(const float *d, int w, int h, int x, int y, int z) { return d[((size_t)z * h + y) * w + x]; }%s
__global__ void sample(const float *volume, int w, int h, int deep, const float3 *where, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float3 p = where[i];
    int x = (int)floorf(p.x), y = (int)floorf(p.y), z = (int)floorf(p.z);
    if (x < 0 || y < 0 || z < 0 || %s) { out[i] = 0; return; }
    float sum = 0;
    for (int c = 0; c < 8; ++c) sum += at(volume, w, h, x + (c & 1), y + ((c >> 1) & 1), z + (c >> 2));
    out[i] = sum;
}
"""


@pytest.mark.parametrize(
    ("test", "wrong"),
    [("x >= w || y >= h || z >= deep", True), ("x >= w - 1 || y >= h - 1 || z >= deep - 1", False)],
)
def test_the_corner_behind_the_last(test: str, wrong: bool) -> None:
    assert_marked(WrongBoundsGuard, SAMPLED % ("  // bad" if wrong else "", test))
