"""Sizes of the wrong axis: of blocks, of halves, and of steps to neighbours."""

from __future__ import annotations

import pytest
from kernlint_rules.indexing.mixed_launch_dimensions import MixedLaunchDimensions
from kernlint_rules.indexing.swapped_axes import SwappedAxes

from tests.rules.marked import assert_marked, findings

ROWS = """
__global__ void lift(float *a, const float *b, int w, int h) {
    int x = blockIdx.x * blockDim.y + threadIdx.y;
    int y = blockIdx.y * blockDim.y + threadIdx.x;
    if (x < w && y < h) a[y * w + x] = b[y * w + x];
}
void run(float *a, const float *b, int w, int h) {
    lift<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(BLOCK)>>>(a, b, w, h);
}
"""


@pytest.mark.parametrize("block, bad", [("8, 32", True), ("16, 16", False)])
def test_threads_of_another_axis_need_square_blocks(block: str, bad: bool) -> None:
    assert bool(findings(MixedLaunchDimensions, ROWS.replace("BLOCK", block))) is bad


TURNED = """
__global__ void turn(float *a, const float *b, int w, int h) {
    __shared__ float tile[32][33];
    FILL
    __syncthreads();
    int y = blockIdx.y * 32 + threadIdx.x;
    if (y >= h) return;
    EMPTY
}
void run(float *a, const float *b, int w, int h) {
    turn<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, ROWS)>>>(a, b, w, h);
}
"""
IN_TWO = """
    int x = blockIdx.x * blockDim.x + threadIdx.y;
    if (x < w) a[x * h + y] = tile[threadIdx.x][threadIdx.y];
    x = blockIdx.x * blockDim.x + threadIdx.y + blockDim.y;
    if (x < w) a[x * h + y] = tile[threadIdx.x][threadIdx.y + blockDim.y];
"""
IN_A_LOOP = """
    for (int j = 0; j < 32; j += blockDim.y) {
        int x = blockIdx.x * blockDim.x + threadIdx.y + j;
        if (x < w) a[x * h + y] = tile[threadIdx.x][threadIdx.y + j];
    }
"""
AT_ONCE = """
    int x = blockIdx.x * blockDim.x + threadIdx.y;
    if (x < w) a[x * h + y] = tile[threadIdx.x][threadIdx.y];
"""


@pytest.mark.parametrize(
    "empty, rows, bad",
    [(IN_TWO, 16, False), (IN_A_LOOP, 8, False), (AT_ONCE, 32, False), (AT_ONCE, 16, True)],
)
def test_a_tile_is_turned_in_as_many_steps_as_it_has_rows_for_each_thread(empty: str, rows: int, bad: bool) -> None:
    fill = """
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = threadIdx.y; j < 32; j += blockDim.y)
        if (column < w && blockIdx.y * 32 + j < h) tile[j][threadIdx.x] = b[(blockIdx.y * 32 + j) * w + column];
"""
    code = TURNED.replace("FILL", fill).replace("EMPTY", empty).replace("ROWS", str(rows))
    assert bool(findings(MixedLaunchDimensions, code)) is bad


def test_a_required_group_says_how_many_threads_there_are() -> None:
    code = """
__kernel __attribute__((reqd_work_group_size(4, 64, 1)))
void count(__global int *out, const int n) {
    const int row = get_group_id(1) * get_local_size(1) + get_local_id(0);
    if (row < n) out[row] = get_group_id(1);  // bad
}
"""
    assert_marked(MixedLaunchDimensions, code, "opencl")


NEIGHBOURS = {
    "one of eight is read twice": """
__global__ void erode(const unsigned char *a, unsigned char *b, int pitch, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pitch + 1 || i >= n - pitch - 1) return;
    int s = a[i - 1] + a[i + 1];
    s += a[i - pitch] + a[i + pitch];
    s += a[i - pitch - 1] + a[i + pitch + 1];
    s += a[i - pitch] + a[i + pitch - 1];  // bad
    b[i] = s == 8;
}
""",
    "the slip is the one beside what lacks its other": """
__global__ void slopes(const float *z, float *d, int nx, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < nx + 1 || i >= n - nx - 1) return;
    d[i] = z[i + 1] - z[i - 1];
    d[i] += z[i + nx + 1] - z[i - nx];  // bad
    d[i] += z[i + nx + 1] - z[i - nx + 1] - z[i + nx - 1] + z[i - nx - 1];
}
""",
    "derivatives to one side, and a neighbour that is read again": """
__global__ void flow(const float *a, float *b, int w, int p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p || i >= n - w) return;
    float back = a[i] - a[i - p];
    float dx = a[i + 1] - a[i - 1], dy = a[i + w] - a[i - w];
    b[i] = back + dx * dy + fmaxf(a[i + 1], 0.0f);
}
""",
    "second derivatives that read neighbours again": """
__global__ void smooth(const float *a, float *b, int w, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < w + 1 || i >= n - w - 1) return;
    float dx = a[i + 1] - a[i - 1], dy = a[i + w] - a[i - w];
    float xx = a[i + 1] + a[i - 1], yy = a[i + w] + a[i - w];
    b[i] = dx * dx + dy * dy + xx + yy + a[i + w + 1];
}
""",
}


@pytest.mark.parametrize("name", NEIGHBOURS)
def test_neighbours(name: str) -> None:
    assert_marked(SwappedAxes, NEIGHBOURS[name])


HALVES = """
__kernel void fold(__global const float *in, __global float *out, const int wide, const int high) {
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= wide || y >= high >> 1) return;
    out[y * wide + x] = in[y * wide + x] - in[(y + (SIZE >> 1)) * wide + x];
}
"""


@pytest.mark.parametrize("size, bad", [("wide", True), ("high", False)])
def test_a_row_is_moved_by_rows(size: str, bad: bool) -> None:
    assert bool(findings(SwappedAxes, HALVES.replace("SIZE", size), "opencl")) is bad


def test_a_matrix_below_a_square_one_begins_after_as_many_rows_as_that_has() -> None:
    code = """
__global__ void below(float *a, const float *b, int n, int m) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
    if (c < n && r < m) a[(r + n) * n + c] = b[r * n + c];
}
"""
    assert not findings(SwappedAxes, code)
