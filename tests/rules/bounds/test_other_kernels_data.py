"""Tiles of which another kernel tests the columns, and coordinates that another kernel clamps."""

import pytest

from kernlint import registry
from tests.rules.marked import assert_marked

RULE = registry.load().get("KL101")
WRONG = registry.load().get("KL102")

TILES = """\
#define SIDE 8
__kernel void write_tiles(__global const uchar *tile, __global uchar *screen, const int width, const int height,
                          const int across) {
    const int t = get_group_id(0), lx = get_local_id(0);
    const int x = %s, top = t / across * SIDE;
    %sfor (int r = 0; r < SIDE; ++r) {
        %sscreen[(top + r) * width + x] = tile[(t * SIDE + r) * SIDE + lx];%s
    }
}

__kernel void invert(__global uchar *screen, const int width, const int height) {
    const int x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height) screen[y * width + x] ^= 255;
}
"""
ROW = "if (top + r >= height) break;\n        "


@pytest.mark.parametrize(
    ("x", "column", "row", "mark"),
    [
        ("t % across * SIDE + lx", "", ROW, "  // bad"),
        ("t % across * SIDE + lx", "if (x >= width) return;\n    ", ROW, ""),
        ("t % across * SIDE + lx", "if (t % across * SIDE + lx + 1 > width) return;\n    ", ROW, ""),
        ("get_global_id(0)", "", ROW, ""),
    ],
)
def test_tiles_of_which_the_rows_alone_are_cut_off(x, column, row, mark):
    assert_marked(RULE, TILES % (x, column, row, mark), "opencl")


BINNED = """\
struct Bins { int across, down; float side; };
__device__ int row_of(Bins b, float2 p) { return (int)floorf(p.y / b.side); }

__global__ void count(const float2 *at, int *bin, Bins b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = ((int)floorf(at[i].x / b.side) %% b.across + b.across) %% b.across;
    int y = %s;
    atomicAdd(&bin[y * b.across + x], 1);%s
}

__global__ void density(const float2 *at, const int *bin, float *out, Bins b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = ((int)floorf(at[i].x / b.side) %% b.across + b.across) %% b.across;
    int y = min(max(row_of(b, at[i]), 0), b.down - 1);
    out[i] = bin[y * b.across + x] / (b.side * b.side);
}
"""


@pytest.mark.parametrize(
    ("y", "mark"),
    [
        ("row_of(b, at[i])", "  // bad"),
        ("min(max(row_of(b, at[i]), 0), b.down - 1)", ""),
        ("max(0, min(row_of(b, at[i]), b.down - 1))", ""),
        ("row_of(b, at[i]);\n    if (y < 0 || y >= b.down) return", ""),
        ("(int)floorf(at[i].y)", ""),  # made otherwise
    ],
)
def test_a_coordinate_that_the_other_kernel_clamps(y, mark):
    assert_marked(WRONG, BINNED % (y, mark))
