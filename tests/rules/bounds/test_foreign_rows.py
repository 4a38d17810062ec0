"""Coordinates that are tested against the size of another axis, in rows of their own."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import findings

VOLUME = """
struct Box { int w, h, d, frames; };
__global__ void scale(const float *in, float *out, const Box box, int frame) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (TEST) return;
    float sum = 0.0f;
    for (int t = 0; t < box.frames; ++t) sum += in[((t * ROW + z) * box.h + y) * box.w + x];
    out[(z * box.h + y) * box.w + x] = sum;
}
__global__ void clear(float *out, Box b) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int z = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= b.w || z >= CLEARED) return;
    for (int y = 0; y < b.h; ++y) out[(z * b.h + y) * b.w + x] = 0.0f;
}
"""


@pytest.mark.parametrize(
    ("test", "row", "cleared", "bad"),
    [
        ("x >= box.w || y >= box.h || z >= box.w", "box.d", "b.d", True),
        ("x >= box.w || y >= box.h || z >= box.h", "box.d", "b.d", True),
        ("x >= box.w || y >= box.h || z >= box.d", "box.d", "b.d", False),
        ("x >= box.w || y >= box.h || z >= box.w || z >= box.d", "box.d", "b.d", False),
        ("x >= box.w || y >= box.h || z >= box.w", "box.d", "4", False),  # a pitch, for all that is said
        ("x >= box.w || y >= box.h || z >= box.w", "box.w", "b.d", False),  # a cube
        ("x >= box.w || y >= box.h || z >= min(box.d, box.w)", "box.d", "b.d", False),
    ],
)
def test_a_volume(test: str, row: str, cleared: str, bad: bool) -> None:
    code = VOLUME.replace("TEST", test).replace("ROW", row).replace("CLEARED", cleared)
    found = findings(WrongBoundsGuard, code)
    assert bool(found) is bad, [one.message for one in found]


SQUARE = """
__kernel void lower(__global const float *a, __global float *c, const int n, const int lda) {
    const int i = get_global_id(1), j = get_global_id(0);
    if (i >= n || j >= n) return;
    c[j * n + i] = a[i * lda + j];
}
__kernel void ones(__global float *c, const int n, const int m) {
    const int i = get_global_id(0);
    if (i < n) for (int j = 0; j < m; ++j) c[j * n + i] = 1.0f;
}
"""


def test_rows_that_are_longer_than_what_is_asked_are_none() -> None:
    assert not findings(WrongBoundsGuard, SQUARE, "opencl")


LAUNCHED = (
    VOLUME
    + """
void run(const float *in, float *out, Box box) {
    CHECK
    dim3 block(8, 8, 4), grid((box.w + 7) / 8, (box.h + 7) / 8, GRID);
    scale<<<grid, block>>>(in, out, box, 0);
}
"""
)


@pytest.mark.parametrize(
    ("check", "grid", "bad"),
    [("", "(box.d + 3) / 4", True), ("if (box.d % 4) return;", "box.d / 4", False)],
)
def test_the_launch_has_a_say(check: str, grid: str, bad: bool) -> None:
    code = LAUNCHED.replace("CHECK", check).replace("GRID", grid).replace("ROW", "box.d").replace("CLEARED", "b.d")
    found = findings(WrongBoundsGuard, code.replace("TEST", "x >= box.w || y >= box.h || z >= box.w"))
    assert bool(found) is bad, [one.message for one in found]


PLANES = """
__global__ void blur(const float *in, float *out, int n, int h, int w, int planes) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        const int x = i % w, y = i / w % h, p = i / w / h;
        float sum = 0.0f;
        for (int k = 0; k < 3; ++k)
            for (int j = 0; j < 3; ++j) {
                const int u = x + j, v = y + k;
                if (TEST) sum += in[(p * h + v) * w + u];
            }
        out[i] = sum;
    }
}
"""


@pytest.mark.parametrize(
    ("test", "bad"),
    [
        ("u < w && v < w", True),
        ("u < w && v < h", False),
        ("u < w && v < w && v < h", False),
        ("u < w && v < min(w, h)", False),
    ],
)
def test_two_coordinates_in_one_index(test: str, bad: bool) -> None:
    found = findings(WrongBoundsGuard, PLANES.replace("TEST", test))
    assert any("another axis" in one.message for one in found) is bad, [one.message for one in found]


TILES = """
__kernel void product(__global const float *a, __global const float *b, __global float *c,
                      const int rows, const int depth, const int cols) {
    __local float left[16][16], right[16][16];
    const int x = get_local_id(0), y = get_local_id(1);
    const int row = get_group_id(1) * 16 + y, col = get_group_id(0) * 16 + x;
    float sum = 0.0f;
    LOOP {
        left[y][x] = ASKED ? a[row * depth + AT + x] : 0.0f;
        right[y][x] = AT + y < depth && col < cols ? b[(AT + y) * cols + col] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; ++k) sum += left[y][k] * right[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < rows && col < cols) c[row * cols + col] = sum;
}
"""


@pytest.mark.parametrize(
    ("loop", "at"),
    [
        ("for (int k = 0; k < depth; k += 16)", "k"),
        ("for (int t = 0; t < (depth + 15) / 16; ++t)", "t * 16"),
        ("for (int t = 0; t < ((depth + 15) >> 4); ++t)", "t * 16"),
    ],
)
@pytest.mark.parametrize(
    ("asked", "bad"),
    [
        ("row < rows && AT + x < cols", True),
        ("row < rows && AT + x < depth", False),
        ("row < rows", False),  # whole tiles, as far as anybody says
        ("row < cols && AT + x < cols", False),  # a square one with a pitch
    ],
)
def test_tiles_of_a_product_of_matrices(loop: str, at: str, asked: str, bad: bool) -> None:
    found = findings(WrongBoundsGuard, TILES.replace("LOOP", loop).replace("ASKED", asked).replace("AT", at), "opencl")
    assert any("another axis" in one.message for one in found) is bad, [one.message for one in found]


PADDED = """
__global__ void sums(const float *a, const float *b, float *c, int rows, int pitch, int width) {
    __shared__ float part[8][33];
    const int row = blockIdx.y * 8 + threadIdx.y;
    for (int k = 0; k < pitch; k += 32) {
        part[threadIdx.y][threadIdx.x] = row < rows && k + threadIdx.x < width ? a[row * pitch + k + threadIdx.x] : 0;
        __syncthreads();
        if (row < rows && k + threadIdx.x < width) c[row * width + k + threadIdx.x] = part[threadIdx.y][threadIdx.x];
        __syncthreads();
    }
}
"""


def test_a_row_with_padding_at_its_end() -> None:
    assert not findings(WrongBoundsGuard, PADDED)
