"""Extents that comments give, and indices that the tests before them let past those."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import findings

ENDS = """
// SAID
__global__ void lengths(const int *start, int *length, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) length[i] = start[i + 1] - start[i];
}
"""


@pytest.mark.parametrize(
    ("said", "bad"),
    [
        ("start has n + 1 entries", False),
        ("start has n entries", True),
        ("start: [n]", True),
        ("start holds the first places of n items", False),
        ("nothing is said", False),
    ],
)
def test_one_element_more_than_there_is(said: str, bad: bool) -> None:
    assert bool(findings(WrongBoundsGuard, ENDS.replace("SAID", said))) is bad


HALVED = """
/* small is (w + 1) / 2 by (h + 1) / 2 pixels, each row step bytes apart. */
__kernel void halve(__global const uchar *large, __global uchar *small, int w, int h, uint step) {
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= ACROSS || y >= DOWN) return;
    small[(size_t)y * step + x] = large[(size_t)min(2 * y, h - 1) * w + min(2 * x, w - 1)];
}
"""


@pytest.mark.parametrize(
    ("across", "down", "bad"),
    [
        ("(w + 1) / 2", "(h + 1) / 2", False),
        ("w", "(h + 1) / 2", True),
        ("(w + 1) / 2", "h", True),
        ("w / 2", "h / 2", False),
        ("(w + 1) >> 1", "(h + 1) >> 1", False),
    ],
)
def test_of_a_smaller_image(across: str, down: str, bad: bool) -> None:
    code = HALVED.replace("ACROSS", across).replace("DOWN", down)
    assert bool(findings(WrongBoundsGuard, code, "opencl")) is bad


TILED = """
// cells: nx x ny values, faces: nx x (ny + 1) values; pitches are in bytes
__kernel void step(__global const float *cells, int cells_pitch, __global float *faces, int faces_pitch,
                   int nx, int ny) {
    __local float tile[9][16];
    const int tx = get_local_id(0), ty = get_local_id(1);
    for (int j = ty; j < 9; j += 8) {
        const int y = 8 * get_group_id(1) + j - 1, x = 16 * get_group_id(0) + tx;
        __global const float *row = (__global const float *)((__global const char *)cells + (long)cells_pitch * y);
        tile[j][tx] = x < nx && y >= 0 && y < ROWS ? row[x] : 0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int x = get_global_id(0), y = get_global_id(1);
    if (x < nx && y < ny + 1) {
        __global float *row = (__global float *)((__global char *)faces + (long)faces_pitch * y);
        row[x] = tile[ty + 1][tx] - tile[ty][tx];
    }
}
"""


@pytest.mark.parametrize(("rows", "bad"), [("ny + 1", True), ("ny", False)])
def test_rows_that_are_bytes_apart(rows: str, bad: bool) -> None:
    assert bool(findings(WrongBoundsGuard, TILED.replace("ROWS", rows), "opencl")) is bad


PARTS = """
struct Sizes { int rows, cols, heads, width; };
__global__ void scale(float *x,           // [rows, COLS]
                      const float *by,    // [cols]
                      Sizes s) {
    for (int r = blockIdx.x; r < s.rows; r += gridDim.x)
        for (int c = threadIdx.x; c < BOUND; c += blockDim.x) x[r * PITCH + c] *= by[0];
}
"""


@pytest.mark.parametrize(
    ("cols", "bound", "pitch", "bad"),
    [
        ("cols", "s.cols", "s.cols", False),
        ("cols", "s.cols + 1", "s.cols", True),
        ("cols", "s.rows", "s.cols", True),
        ("cols", "s.heads * s.width", "s.cols", False),  # callers know
        ("2 * cols", "s.cols", "2 * s.cols", False),
        ("cols", "s.cols + 1", "s.width", True),  # rows with room at their end belong to nobody
    ],
)
def test_parts_of_rows(cols: str, bound: str, pitch: str, bad: bool) -> None:
    code = PARTS.replace("COLS", cols).replace("BOUND", bound).replace("PITCH", pitch)
    assert bool(findings(WrongBoundsGuard, code)) is bad


ENTRIES = """
// sums has n entries
__kernel void add(__global float *sums, __global const float *x, int n) {
    const int i = get_global_id(0);
    if (i >= n) return;
    for (int p = 0; p < 4; ++p) sums[4 * i + p] += x[i];
}
"""


def test_an_entry_may_be_several_elements() -> None:
    assert not findings(WrongBoundsGuard, ENTRIES, "opencl")


FLAT = """
__global__ void fill(int *local,  // parts * 32 * 4
                     const int *all,  // [parts, 32, 4]
                     int parts) {
    const size_t first = (size_t)blockIdx.x * 32 * 4;
    for (int k = threadIdx.x; k < 32 * 4; k += 32) local[first + k] = all[first + k];
}
"""


def test_rows_of_fixed_length_are_run_through() -> None:
    assert not findings(WrongBoundsGuard, FLAT)


SUMS = """
// sums: (h + MORE) rows of (w + 1) values
__kernel void box(__global const float *sums, __global float *mean, int w, int h, int r) {
    const int x = get_global_id(0), y = get_global_id(1), p = w + 1;
    if (x >= w || y >= h) return;
    const int x1 = min(x + r + 1, w), y1 = min(y + r + 1, h);
    mean[y * w + x] = sums[y1 * p + x1] - sums[y * p + x];
}
"""


@pytest.mark.parametrize(("more", "last", "bad"), [("1", "y1", False), ("1", "(y + 1)", False), ("0", "(y + 1)", True)])
def test_a_row_more_than_the_size(more: str, last: str, bad: bool) -> None:
    code = SUMS.replace("MORE", more).replace("sums[y1 *", f"sums[{last} *")
    assert bool(findings(WrongBoundsGuard, code, "opencl")) is bad


SCALES = """
// scales: [rows, (cols + 31) / 32]
__global__ void scale(float *x, const float *scales, int rows, int cols) {
    const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y, groups = (cols + 31) / 32;
    if (c < cols) x[r * cols + c] *= scales[r * groups + AT];
}
"""


@pytest.mark.parametrize(("at", "bad"), [("c / 32", False), ("c", True)])
def test_a_group_of_several_columns(at: str, bad: bool) -> None:
    assert bool(findings(WrongBoundsGuard, SCALES.replace("AT", at))) is bad


TILES = """
// mask: w * h pixels
// means: ((w + 7) / 8) * ((h + 7) / 8) tile averages as scores
__kernel void averages(__global const uchar *mask, __global float *means, const int w, const int h) {
    const int tx = get_global_id(0), ty = get_global_id(1), across = (w + 7) / 8;
    if (tx >= across || ty >= (h + 7) / 8) return;
    int sum = 0;
    for (int i = 0; i < 64; ++i) {
        const int x = COLUMN, y = ROW;
        sum += mask[y * w + x];
    }
    means[ty * across + tx] = sum / 64.0f;
}
"""


@pytest.mark.parametrize(
    ("column", "row", "bad"),
    [
        ("8 * tx + i % 8", "8 * ty + i / 8", True),
        ("min(8 * tx + i % 8, w - 1)", "8 * ty + i / 8", True),
        ("min(8 * tx + i % 8, w - 1)", "min(8 * ty + i / 8, h - 1)", False),
    ],
)
def test_what_whole_tiles_reach_of_the_last_partial_ones(column: str, row: str, bad: bool) -> None:
    code = TILES.replace("COLUMN", column).replace("ROW", row)
    assert bool(findings(WrongBoundsGuard, code, "opencl")) is bad
    # a clamp of the other coordinate says so too
    told = findings(WrongBoundsGuard, code.replace("// mask: w * h pixels", ""), "opencl")
    assert bool(told) is ("min(" in column and "min(" not in row)


SHIFTED = """
/* at    ITEMS offsets, where the part of each item begins in the sum of all
   n     a multiple of two */
__global__ void begins(const uint2 *sizes, const unsigned *before, unsigned *at, unsigned n, bool closed) {
    const unsigned pair = blockIdx.x * blockDim.x + threadIdx.x;
    if (pair >= n / 2) return;
    const uint2 two = sizes[pair];
    const unsigned first = 2 * pair + (closed ? 0 : 1);
    if (pair == 0 && !closed) at[0] = 0;
    at[first] = before[pair] + two.x;
    TEST at[first + 1] = before[pair] + two.x + two.y;
}
"""


@pytest.mark.parametrize(
    ("items", "test", "bad"),
    [("n", "", True), ("n", "if (first + 1 < n)", False), ("n + 1", "", False), ("n", "if (closed)", False)],
)
def test_places_that_are_shifted_by_what_a_flag_says(items: str, test: str, bad: bool) -> None:
    code = SHIFTED.replace("ITEMS offsets", f"{items} values").replace("TEST", test)
    assert bool(findings(WrongBoundsGuard, code)) is bad


STAGGERED = """
// SAID
#define NX 640
#define NY 360
#define AT(y, x) ((y) * NX + (x))
__kernel void density(__global const TYPE *restrict a, __global TYPE *restrict b) {
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= NX || y >= NY) return;
    b[AT(y, x)] = a[AT(y, x)] * a[AT(y, x)];
}
__kernel void curl(__global const TYPE *restrict a, __global TYPE *restrict b) {
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= ACROSS || y >= DOWN) return;
    b[AT(y, x)] = a[AT(y + 1, x)] - a[AT(y, x)];
}
"""


@pytest.mark.parametrize(
    ("said", "kind", "across", "down", "bad"),
    [
        ("All fields hold NX * NY values.", "float", "NX", "NY", True),
        ("Every array has NX * NY doubles, one row after the other.", "double", "NX", "NY", True),
        ("All fields hold NX * NY values.", "float", "NX", "NY - 1", False),
        ("All fields hold NX * (NY + 1) values.", "float", "NX", "NY", False),
        ("All fields hold NX * NY values.", "int", "NX", "NY", False),  # positions and offsets may be more
        ("The first fields hold NX * NY values.", "float", "NX", "NY", False),
    ],
)
def test_what_is_said_of_all_fields(said: str, kind: str, across: str, down: str, bad: bool) -> None:
    text = STAGGERED.replace("SAID", said).replace("TYPE", kind).replace("ACROSS", across).replace("DOWN", down)
    assert bool(findings(WrongBoundsGuard, text, "opencl")) is bad


CELLS = """
struct Grid { int nx, ny, nz; float cell; };
// heat holds nx * ny * nz values
__global__ void warm(Grid g, const float *sun, int days, float *heat) {
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c TEST g.nx * g.ny * g.nz) return;
    const int z = c / (g.nx * g.ny);
    const float depth = z * g.cell;
    if (depth > 4.0f) return;
    const int day = (int)(depth * 7.0f);
    if (day < 0 || day >= days) return;
    if (sun[day] - depth < -1.0f) return;
    heat[c] += sun[day];
}
"""


@pytest.mark.parametrize(("test", "bad"), [(">", True), (">=", False)])
def test_what_data_let_pass_behind_the_test(test: str, bad: bool) -> None:
    assert bool(findings(WrongBoundsGuard, CELLS.replace("TEST", test))) is bad


LIMITED_BY_DATA = """
// heat holds n values
__global__ void warm(const int *length, int n, float *heat) {
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c > n) return;
    if (c < length[0]) heat[c] = 0.0f;
}
"""


def test_a_number_from_memory_may_keep_it_inside() -> None:
    assert not findings(WrongBoundsGuard, LIMITED_BY_DATA)


PATCHES = """
#define SIDE 6
#define PARTS ((SIDE + 1) / 2)
#define FACE (SIDE * SIDE)
// src: planes * FACE values, dst: 9 * planes * PARTS * PARTS values
__kernel void patches(__global const float *src, __global float *dst, const int planes) {
    const int u = get_global_id(0), v = get_global_id(1), p = get_global_id(2);
    if (u >= PARTS || v >= PARTS || p >= planes) return;
    for (int k = 0; k < 9; ++k) {
        const int x = 2 * u + k % 3, y = 2 * v + k / 3;
        const float value = INSIDE ? src[p * FACE + y * SIDE + x] : 0.0f;
        dst[((k * planes + p) * PARTS + v) * PARTS + u] = value;
    }
}
"""


@pytest.mark.parametrize(("inside", "bad"), [("y >= 0", True), ("x < SIDE && y < SIDE", False)])
def test_extents_of_constants_that_are_made_of_others(inside: str, bad: bool) -> None:
    assert bool(findings(WrongBoundsGuard, PATCHES.replace("INSIDE", inside), "opencl")) is bad


TAIL = """
// SAID
__kernel void lift(__global const float *in, __global float *out, const int n) {
    const int i = get_global_id(0) * 4;
    if (i >= n) return;
    const float4 v = vload4(0, in + i);
    if (i + 4 <= n) vstore4(v * 2.0f, 0, out + i);
    else for (int k = 0; i + k < n; ++k) out[i + k] = in[i + k] * 2.0f;
}
"""


@pytest.mark.parametrize(
    ("said", "bad"),
    [
        ("Inputs are allocated with 4 floats after the last element.", False),
        ("Outputs are allocated with 4 floats after the last element.", True),
        ("in is padded with 3 values past the end", False),
        ("Nothing is said.", True),
    ],
)
def test_memory_behind_the_last_element(said: str, bad: bool) -> None:
    assert bool(findings(WrongBoundsGuard, TAIL.replace("SAID", said), "opencl")) is bad
