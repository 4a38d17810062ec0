"""Blocks along z for the product of two sizes, of a kernel that goes through it in steps of the grid."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.launch_limits import LaunchLimits

from tests.rules.marked import assert_marked

TEXT = """
#include <algorithm>
__global__ void shift(const float *in, float *out, int h, int w, PLANES planes) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    BODY
}
void run(const float *in, float *out, int n, int channels, int h, int w) {
    const PLANES planes = (PLANES)n * channels;
    const dim3 block(32, 8), grid((w + 31) / 32, (h + 7) / 8, BLOCKS);
    shift<<<grid, block>>>(in, out, h, w, planes);MARK
}
"""
STEPS = "for (PLANES p = blockIdx.z; p < planes; p += gridDim.z) out[(p * h + y) * w + x] = in[(p * h + y) * w];"
ONE = "out[(blockIdx.z * h + y) * w + x] = in[(blockIdx.z * h + y) * w];"


@pytest.mark.parametrize(
    ("body", "planes", "blocks", "mark"),
    [
        (STEPS, "long long", "planes", " // bad"),
        (STEPS, "size_t", "(unsigned)planes", " // bad"),
        (STEPS, "long long", "std::min(planes, 65535LL)", ""),
        (STEPS, "int", "planes", ""),
        (ONE, "long long", "planes", ""),
    ],
)
def test_planes(body: str, planes: str, blocks: str, mark: str) -> None:
    text = TEXT.replace("BODY", body).replace("PLANES", planes).replace("BLOCKS", blocks)
    assert_marked(LaunchLimits, text.replace("MARK", mark))


ALONE = """
__global__ void scale(const float *by, float *x, int cells) {
    const float factor = by[blockIdx.y];
    float *row = x + (size_t)blockIdx.y * cells;
    for (int i = FIRST; i < cells; i += STEP) row[i] *= factor;
}
void run(const float *by, float *x, int rows, int cells) {
    scale<<<dim3(1, rows), 256>>>(by, x, cells);MARK
}
"""


@pytest.mark.parametrize(
    ("first", "step", "mark"),
    [
        ("threadIdx.x", "256", " // bad"),
        ("blockIdx.x * 256 + threadIdx.x", "gridDim.x * 256", ""),
    ],
)
def test_one_block_along_x_of_a_kernel_that_counts_them(first: str, step: str, mark: str) -> None:
    text = ALONE.replace("FIRST", first).replace("STEP", step)
    assert_marked(LaunchLimits, text.replace("MARK", mark))


PLANES = """
__global__ void blur(const float *in, float *out, int h, int w) {
    const int y = blockIdx.x * 4 + threadIdx.y;
    if (y >= h) return;
    const float *from = in + (size_t)blockIdx.y * PLANE;
    float *to = out + (size_t)blockIdx.y * PLANE;
    for (int x = threadIdx.x; x < w; x += 64) to[PLACE] = 0.5f * from[PLACE];
}
void run(const float *in, float *out, int n, int channels, int h, int w) {
    blur<<<dim3((h + 3) / 4, n * channels), dim3(64, 4)>>>(in, out, h, w);MARK
}
"""


@pytest.mark.parametrize(
    ("plane", "place", "mark"),
    [
        ("h * w", "y * w + x", ""),
        ("w", "x", " // bad"),
    ],
)
def test_an_index_that_is_widened_for_whole_planes(plane: str, place: str, mark: str) -> None:
    text = PLANES.replace("PLANE", plane).replace("PLACE", place)
    assert_marked(LaunchLimits, text.replace("MARK", mark))
