"""Tests that let an index past the end of its row, or that count rows by their length."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.bounds.test_wrong_axes import codes
from tests.rules.marked import findings

WITH_BORDER = """
#define BORDER 2
__kernel void shade(__global const float *wide, __global float *out, int cols, int rows) {
    const int x = get_global_id(0), y = get_global_id(1);
    const int all_cols = cols + 2 * BORDER, all_rows = rows + 2 * BORDER;
    float seen = 0.0f;
    if (x < LIMIT && y < all_rows) seen = wide[y * PITCH + x];
    if (x < cols && y < rows) out[y * cols + x] = seen;
}
"""


@pytest.mark.parametrize(
    ("limit", "pitch", "bad"),
    [
        ("all_cols", "cols", True),
        ("all_cols", "all_cols", False),
        ("cols", "all_cols", False),
        ("cols", "cols", False),
        ("cols + 1", "cols", True),
    ],
)
def test_past_the_end_of_a_row(limit: str, pitch: str, bad: bool) -> None:
    code = WITH_BORDER.replace("LIMIT", limit).replace("PITCH", pitch)
    assert bool(findings(WrongBoundsGuard, code, "opencl")) is bad


WINDOW = """
struct Size { int w, h; };
__device__ float around(const float *in, int w, int x, int y) {
    float sum = 0.0f;
    for (int j = -3; j <= 3; ++j) {
        const float *row = in + (y + j) * w + x;
        for (int i = -3; i <= 3; ++i) sum += row[i];
        if (sum > 1e6f) break;
    }
    return sum;
}
__global__ void mean(const float *in, float *out, Size size) {
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x >= size.w || y >= size.h) return;
    float got = 0.0f;
    if (LEFT && x MEETS size.w - 3 && y >= 3 && y < size.h - 3) got = around(in, size.w, x, y);
    out[y * size.w + x] = got;
}
"""


@pytest.mark.parametrize(
    ("left", "meets", "bad"),
    [("x >= 3", "<=", True), ("x >= 3", "<", False), ("x > 2", "<=", True), ("x >= 0", "<=", False)],
)
def test_a_window_that_is_kept_inside_on_its_left(left: str, meets: str, bad: bool) -> None:
    code = WINDOW.replace("LEFT", left).replace("MEETS", meets)
    assert bool(findings(WrongBoundsGuard, code)) is bad


TILED = """
__global__ void smooth(const float *field, float *result, int width, int height, int radius) {
    __shared__ float tile[8 + 4][32 + 4];
    for (int j = threadIdx.y; j < 8 + 2 * radius; j += 8)
        for (int i = threadIdx.x; i < 32 + 2 * radius; i += 32) {
            const int x = blockIdx.x * 32 + i - radius, y = blockIdx.y * 8 + j - radius;
            float seen = 0.0f;
            if (x >= 0 && x < width && y >= 0 && y < ROWS) seen = field[y * width + x];
            tile[j][i] = seen;
        }
    __syncthreads();
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < width - radius && y < LAST)
        result[y * width + x] = tile[threadIdx.y + radius][threadIdx.x + radius];
}
void run(const float *field, float *result, int width, int height, int radius) {
    dim3 grid((width + 31) / 32, (height + 7) / 8), block(32, 8);
    smooth<<<grid, block>>>(field, result, width, height, radius);
}
"""


@pytest.mark.parametrize(
    ("rows", "last", "bad"),
    [
        ("width", "height - radius", True),
        ("width", "height", True),
        ("height", "height - radius", False),
        ("height - 1", "height", False),
    ],
)
def test_rows_that_are_counted_by_their_length(rows: str, last: str, bad: bool) -> None:
    code = TILED.replace("ROWS", rows).replace("LAST", last)
    assert bool(findings(WrongBoundsGuard, code)) is bad


MIRROR = """
__global__ void mirror(unsigned char *rows, int cols, int count, int pitch) {
    const int r = blockIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= count || TEST) return;
    unsigned char *row = rows + (size_t)r * PITCH;
    const unsigned char left = row[c], right = row[AT];
    row[c] = right;
    row[AT] = left;
}
"""


@pytest.mark.parametrize(
    ("test", "pitch", "at", "bad"),
    [
        ("c >= cols / 2", "cols", "cols - c", True),
        ("c >= cols / 2", "cols", "cols - c - 1", False),
        ("c < 1 || c >= cols / 2", "cols", "cols - c", False),
        ("c == 0 || c >= cols / 2", "cols", "cols - c", False),
        ("c >= cols / 2", "pitch", "cols - c", False),
    ],
)
def test_rows_that_are_counted_from_their_end(test: str, pitch: str, at: str, bad: bool) -> None:
    code = MIRROR.replace("TEST", test).replace("PITCH", pitch).replace("AT", at)
    assert ("KL102" in codes(code, select=("KL102",))) is bad


STRIPS = """
__kernel void darken(__global const uchar *src, __global uchar *dst, int width, int height, int rows) {
    const int x = get_global_id(0), first = get_global_id(1) * rows;
    if (x >= width || first >= height) return;
    for (int r = 0; r < ROUNDS; ++r) {
        const int y = first + r;
        TEST
        dst[y * width + x] = src[y * width + x] / 2;
    }
}
"""


@pytest.mark.parametrize(
    ("rounds", "test", "bad"),
    [
        ("rows", "", True),
        ("rows", "if (y >= height) break;", False),
        ("min(rows, height - first)", "", False),
    ],
)
def test_parts_of_which_the_first_element_is_tested(rounds: str, test: str, bad: bool) -> None:
    code = STRIPS.replace("ROUNDS", rounds).replace("TEST", test)
    assert ("KL102" in codes(code, "k.cl", select=("KL102",))) is bad


SHARES = """
#include <cuda_runtime.h>
__global__ void square(float *x, int n, int part) {
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c * part >= n) return;
    for (int k = 0; k < part; ++k) x[c * part + k] *= x[c * part + k];
}
void run(float *x, int n, int part) { square<<<4, 128>>>(x, n, PART); }
"""


@pytest.mark.parametrize(("part", "bad"), [("(n + 511) / 512", True), ("8", True), ("n / 512", False), ("part", False)])
def test_parts_that_a_launch_chooses(part: str, bad: bool) -> None:
    assert ("KL102" in codes(SHARES.replace("PART", part), select=("KL102",))) is bad
