"""Tests that go as far as somebody meant them to: heads of arrays, faces between cells, vectors tested as a whole."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import findings

HEADS = """
__global__ void pack(float *out, const float *x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    FIRST
    out[HEAD + i] = 2 * x[i];
}
"""


def test_what_stands_behind_a_head_is_as_long_as_the_head_makes_it() -> None:
    assert not findings(WrongBoundsGuard, HEADS.replace("FIRST", "").replace("HEAD", "4"))
    assert findings(WrongBoundsGuard, HEADS.replace("FIRST", "out[i] = 0;").replace("HEAD", "1"))


def test_a_head_of_one_element_is_used() -> None:
    code = HEADS.replace("HEAD", "1")
    assert findings(WrongBoundsGuard, code.replace("FIRST", ""))
    assert not findings(WrongBoundsGuard, code.replace("FIRST", "if (i == 0) out[0] = n;"))
    assert not findings(WrongBoundsGuard, code.replace("FIRST", "").replace("2 *", "out[i] +"))


FACES = """
#include <cuda_runtime.h>
__global__ void faces(float *v, const float *p, int nx, int ny) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= nx || j > ny) return;
    BODY
}
void run(float *v, const float *p, int nx, int ny) {
    faces<<<dim3((nx + 31) / 32, (ny + MORE + 7) / 8), dim3(32, 8)>>>(v, p, nx, ny);
}
"""


@pytest.mark.parametrize(
    "body",
    [
        "if (j == 0 || j == ny) v[j * nx + i] = 0; else v[j * nx + i] -= p[j * nx + i] - p[(j - 1) * nx + i];",
        "v[j * nx + i] = (j < ny ? p[j * nx + i] : 0) - (j > 0 ? p[(j - 1) * nx + i] : 0);",
        "v[j * nx + i] = j == ny ? 0 : j;",
    ],
    ids=["walls", "chosen", "value"],
)
def test_there_is_one_face_more_than_there_are_cells(body: str) -> None:
    assert not findings(WrongBoundsGuard, FACES.replace("BODY", body).replace("MORE", "1"))


def test_faces_that_no_launch_has_threads_for_are_none() -> None:
    body = "v[j * nx + i] = j < ny ? p[j * nx + i] : 0;"
    assert findings(WrongBoundsGuard, FACES.replace("BODY", body).replace("MORE", "0"))


AROUND = """
kernel void blur(global const float *src, global float *dst, int2 dims) {
    const int2 pos = (int2)(get_global_id(0), get_global_id(1));
    if (any(pos >= dims)) return;
    float sum = 0;
    for (int y = -1; y <= 1; ++y)
        for (int x = -1; x <= 1; ++x) {
            const int2 at = pos + (int2)(x, y);
            if (TEST) sum += src[at.y * dims.x + at.x];
        }
    dst[pos.y * dims.x + pos.x] = sum;
}
"""


@pytest.mark.parametrize(
    "test",
    [
        "all(at >= 0) && all(at < dims)",
        "all(at >= (int2)(0) && at < dims)",
        "!any((at < 0) | (at >= dims))",
        "all((at >= 0) & isless(convert_float2(at), convert_float2(dims)))",
    ],
)
def test_lanes_that_are_tested_together_are_each_tested(test: str) -> None:
    assert not findings(WrongBoundsGuard, AROUND.replace("TEST", test), "opencl")


def test_one_lane_inside_is_not_enough() -> None:
    assert findings(WrongBoundsGuard, AROUND.replace("TEST", "all(at >= 0)"), "opencl")


PIXELS = """
#include <cuda_runtime.h>
__global__ void grade(unsigned char *image, const float *gain, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x OVER width || y OVER height) return;
    unsigned char *pixel = image + ((size_t)y * width + x) * 3;
    for (int c = 0; c < 3; ++c) pixel[2 - c] = gain[c] * pixel[2 - c];
}
void run(unsigned char *image, const float *gain, int width, int height) {
    grade<<<dim3((width + 15) / 16, (height + 15) / 16), dim3(16, 16)>>>(image, gain, width, height);
}
"""


@pytest.mark.parametrize(("over", "told"), [(">", True), (">=", False)])
def test_pixels_of_several_channels_are_places_in_rows(over: str, told: bool) -> None:
    assert bool(findings(WrongBoundsGuard, PIXELS.replace("OVER", over))) is told


TWO = """
__global__ void ease(float *h, const float *g, SIZES, int pitch) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= 1 && i WITHIN ACROSS && j >= 1 && j WITHIN DOWN) h[j * pitch + i] = g[j * pitch + i] / 2;
}
"""


@pytest.mark.parametrize("within", ["<", "<="])
@pytest.mark.parametrize(
    ("sizes", "across", "down"), [("int nx, int ny", "nx", "ny"), ("int2 dims", "dims.x", "dims.y")]
)
def test_a_size_that_is_passed_is_put_to_use(sizes: str, across: str, down: str, within: str) -> None:
    code = TWO.replace("SIZES", sizes).replace("ACROSS", across).replace("WITHIN", within)
    assert findings(WrongBoundsGuard, code.replace("DOWN", across))
    assert not findings(WrongBoundsGuard, code.replace("DOWN", down))
    square = code.replace("DOWN", across).replace(sizes, "int n").replace(across, "n")
    assert not findings(WrongBoundsGuard, square)


def test_tests_in_floating_point_are_no_sums_of_integers() -> None:
    code = """
__global__ void draw(float *out, const float *x, float rate, int rows, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x * 0.5f + 1.5f < rate && i < n) out[blockIdx.y * n + i] = x[i];
    if (i < n) out[i] += x[blockIdx.y * n + i];
}
"""
    assert not findings(WrongBoundsGuard, code)


CORNER = """
__global__ void corner(float *m, const float *sum, float top, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n + 1) return;
    if (i == 0) m[0] = top;
    else m[i] = sum[i - 1];
}
void run(float *m, const float *s, int n) { corner<<<(COUNT + 31) / 32, 32>>>(m, s, 1.0f, n); }
"""


@pytest.mark.parametrize(("count", "bad"), [("n + 1", False), ("n", True)])
def test_one_element_more_is_meant_where_the_host_counts_it(count: str, bad: bool) -> None:
    assert bool(findings(WrongBoundsGuard, CORNER.replace("COUNT", count))) is bad


ENDS = """
#include <cuda_runtime.h>
__global__ void totals(int n, const int *start, const float *weight, float *out) {
    __shared__ int local[65];
    const int first = blockIdx.x * 64, rows = min(64, n - first);
    for (int r = threadIdx.x; r <= rows; r += 128) local[r] = start[first + r];
    __syncthreads();
    for (int k = local[0] + threadIdx.x; k < local[END]; k += 128) atomicAdd(out, weight[k]);
}
void run(int n, const int *start, const float *weight, float *out) {
    totals<<<(n + 63) / 64, 128>>>(n, start, weight, out);
}
"""


def test_the_end_of_the_last_range_is_read_by_its_number() -> None:
    assert not findings(WrongBoundsGuard, ENDS.replace("END", "rows"))
    assert findings(WrongBoundsGuard, ENDS.replace("END", "rows - 1"))
    floats = ENDS.replace("int local", "float local").replace("const int *start", "const float *start")
    assert findings(WrongBoundsGuard, floats.replace("END", "rows"))


def test_parts_of_a_tile_need_room_for_their_end() -> None:
    assert not findings(ArrayIndexOutOfRange, ENDS.replace("END", "rows"))
    assert findings(ArrayIndexOutOfRange, ENDS.replace("END", "rows").replace("local[65]", "local[64]"))
    strict = ENDS.replace("END", "rows - 1").replace("r <= rows", "r < rows").replace("local[65]", "local[64]")
    assert not findings(ArrayIndexOutOfRange, strict)


ROWS = """
static inline int whole(int n) { return ((n + 31) / 32) * 32; }

__kernel void nearest(__global const float *coords, __global float *out, const int dims, const int n, const int pitch) {
    const int i = get_global_id(0);
    if (i >= LIMIT) return;
    float sum = 0.0f;
    for (int d = 0; d < dims; ++d) sum += coords[d * PITCH + i];
    out[i] = sum;
}
"""


@pytest.mark.parametrize(
    ("limit", "pitch", "bad"),
    [
        ("whole(n)", "n", True),
        ("(n + 31 & ~31)", "n", True),
        ("n", "n", False),
        ("whole(n)", "whole(n)", False),
        ("whole(n)", "pitch", False),
        ("whole(n) || coords[i] < 0.0f", "n", False),
    ],
)
def test_rows_are_not_padded_where_the_index_says_so(limit: str, pitch: str, bad: bool) -> None:
    found = findings(WrongBoundsGuard, ROWS.replace("LIMIT", limit).replace("PITCH", pitch), "opencl")
    assert bool(found) is bad, [one.message for one in found]


BINS = """
__global__ void count(const float *x, int *hist, int n, int bins, float low, float width) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int at = (int)((x[i] - low) / width);
    TEST
}
"""


@pytest.mark.parametrize(
    ("test", "told"),
    [
        ("if (at >= 0 || at < bins) atomicAdd(&hist[at], 1);", True),
        ("if (at < 0 && at >= bins) return; atomicAdd(hist + at, 1);", True),
        ("if (at >= 0 && at < bins) atomicAdd(&hist[at], 1);", False),
        ("if (at < 0 || at >= bins) return; atomicAdd(&hist[at], 1);", False),
        ("if ((at >= 0 || at < bins) && at < 64) atomicAdd(&hist[at], 1);", False),  # which is another question
        ("if (i >= 0 || at < bins) atomicAdd(&hist[at], 1);", False),
    ],
)
def test_one_end_of_the_range_is_not_enough(test: str, told: bool) -> None:
    found = [one for one in findings(WrongBoundsGuard, BINS.replace("TEST", test)) if "at one end" in one.message]
    assert bool(found) == told
