"""Places that a loop clamps in every round but the first."""

import pytest

from kernlint import registry
from tests.rules.marked import assert_marked

RULE = registry.load().get("KL101")

WALK = """\
struct Shape { int rows, cols; };
__device__ inline int2 cell(float2 p, Shape s) {
    return make_int2((int)floorf(p.x * s.cols), (int)floorf(p.y * s.rows));
}
__device__ inline int2 inside(int2 c, Shape s) {
    return make_int2(max(min(c.x, s.cols - 1), 0), max(min(c.y, s.rows - 1), 0));
}
__global__ void walk(const float *height, const float4 *ways, float *climb, Shape s, int ways_count, int steps) {
    int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= ways_count) return;
    float4 way = ways[w];
    int2 from = %s;
    int last = from.y * s.cols + from.x;
    float sum = 0.0f;
    for (int k = 1; k <= steps; ++k) {
        int2 to = %s;
        int at = to.y * s.cols + to.x;
        if (%s) sum += fabsf(height[last]);%s
        last = at;
    }
    climb[w] = sum;
}
"""

START = "cell(make_float2(way.x, way.y), s)"
NEXT = "cell(make_float2(way.x + k * way.z, way.y + k * way.w), s)"


def test_all_further_places_are_clamped():
    assert_marked(RULE, WALK % (START, f"inside({NEXT}, s)", "at != last", "  // bad"))


@pytest.mark.parametrize(
    "first, further, asked",
    [
        (f"inside({START}, s)", f"inside({NEXT}, s)", "at != last"),
        (START, NEXT, "at != last"),
        (START, f"inside({NEXT}, s)", "last >= 0 && last < s.rows * s.cols"),
        ("make_int2(0, 0)", f"inside({NEXT}, s)", "at != last"),
        ("make_int2(w % s.cols, w / s.cols % s.rows)", f"inside({NEXT}, s)", "at != last"),
    ],
    ids=["clamped", "none is clamped", "tested", "the first cell", "a cell for each thread"],
)
def test_first_places_inside(first, further, asked):
    assert_marked(RULE, WALK % (first, further, asked, ""))
