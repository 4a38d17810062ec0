"""Two coordinates that data choose, of which one is tested at both ends."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.negative_index import NegativeIndex
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import findings

STAMP = """

__kernel void stamp(__global const int4 *dabs, __global int *canvas, const int width, const int height, const int n) {
    const int i = get_global_id(0);
    if (i >= n) return;
    const int4 dab = dabs[i];
    for (int v = -2; v <= 2; ++v)
        for (int u = -2; u <= 2; ++u) {
            const int x = dab.x + u, y = COLUMN;
            if (TEST) continue;
            atomic_add(&canvas[y * width + x], dab.w);
        }
}
"""


@pytest.mark.parametrize(
    ("column", "test", "bad"),
    [
        ("dab.y + v", "y < 0 || y >= height || x >= width", True),
        ("dab.y + v", "x < 0 || x >= width || y >= height", True),
        ("dab.y + v", "x < 0 || y < 0 || x >= width || y >= height", False),
        ("dab.y + v", "x >= width || y >= height", False),
        ("dab.y + v", "y < 0 || y >= height || (uint)x >= (uint)width", False),
        ("dab.y + v", "y < 0 || y >= height || x >= width || dab.x < 2", False),
        ("abs(dab.y + v)", "x < 0 || x >= width || y >= height", False),
        ("max(dab.y + v, 0)", "x < 0 || x >= width || y >= height", False),
        ("get_global_id(1) + v", "x < 0 || x >= width || y >= height", False),
    ],
)
def test_coordinates_of_a_position(column: str, test: str, bad: bool) -> None:
    found = findings(NegativeIndex, STAMP.replace("COLUMN", column).replace("TEST", test), "opencl")
    assert any("coordinate" in one.message for one in found) is bad, [one.message for one in found]


BINS = """
constexpr int ROWS = 24, COLS = 40;
__global__ void deposit(const float *px, const float *py, const float *mass, float *out, int n) {
    __shared__ float cells[ROWS * COLS];
    for (int k = threadIdx.x; k < ROWS * COLS; k += blockDim.x) cells[k] = 0.0f;
    __syncthreads();
    for (int p = threadIdx.x; p < n; p += blockDim.x) {
        const int cx = (int)floorf(px[p]) - blockIdx.x * 32, cy = (int)floorf(py[p]) - blockIdx.y * 16;
        if (TEST) atomicAdd(&cells[cy * COLS + cx], mass[p]);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < ROWS * COLS; k += blockDim.x) atomicAdd(&out[k], cells[k]);
}
"""


@pytest.mark.parametrize(
    ("test", "bad"),
    [
        ("cy >= 0 && cy < ROWS && cx < COLS", True),
        ("cx >= 0 && cy >= 0 && cy < ROWS && cx < COLS", False),
        ("cx > -1 && cy > -1 && cy < ROWS && cx < COLS", False),
        ("cy >= 0 && cy < ROWS && cx < COLS && px[p] >= 0.0f", False),
    ],
)
def test_cells_of_positions_in_arrays_of_their_own(test: str, bad: bool) -> None:
    found = findings(NegativeIndex, BINS.replace("TEST", test))
    assert any("coordinate" in one.message for one in found) is bad, [one.message for one in found]


@pytest.mark.parametrize(
    ("test", "bad"),
    [
        ("x < 0 || x >= width || y < 0", True),
        ("y < 0 || y >= height || x < 0", True),
        ("x < 0 || x >= width || y < 0 || y >= height", False),
        ("x < 0 || x >= width || y < 0 || y * width >= n", False),
        ("x < 0 || x >= width || y < 0 || dab.y > height - 3", False),
        ("x < 0 || y < 0", False),
    ],
)
def test_coordinates_that_are_only_kept_from_being_negative(test: str, bad: bool) -> None:
    code = STAMP.replace("COLUMN", "dab.y + v").replace("TEST", test)
    found = findings(WrongBoundsGuard, code, "opencl")
    assert any("coordinate" in one.message for one in found) is bad, [one.message for one in found]


WARPED = """
struct Frame { float scale, turn; int side; };
__device__ float2 bend(float2 at, const float3 *masses, int count) {
    float x = at.x, y = at.y;
    for (int k = 0; k < count; ++k) {
        const float dx = at.x - masses[k].x, dy = at.y - masses[k].y, s = masses[k].z / (dx * dx + dy * dy + 1e-9f);
        x -= s * dx;
        y -= s * dy;
    }
    return MADE;
}
__global__ void collect(const float3 *masses, int count, Frame frame, int width, int height, unsigned *seen) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= width || j >= height) return;
    const float2 at = bend(make_float2(i * 0.1f - 3.0f, j * 0.1f - 3.0f), masses, count);
    const int u = (int)floorf(at.x * frame.scale), v = (int)floorf(at.y * frame.scale);
    if (TEST) return;
    atomicAdd(&seen[(size_t)v * frame.side + u], 1u);
}
"""

PLAIN = "make_float2(x, y)"
TURNED = "make_float2(0.8f * x - 0.6f * y, 0.6f * x + 0.8f * y)"


@pytest.mark.parametrize(
    ("made", "test", "bad"),
    [
        (PLAIN, "u < 0 || u >= frame.side || v >= frame.side", True),
        (TURNED, "u < 0 || u >= frame.side || v >= frame.side", True),
        (TURNED, "u < 0 || u >= frame.side || v < 0", True),
        (PLAIN, "u < 0 || u >= frame.side || v < 0 || v >= frame.side", False),
        (PLAIN, "u < 0 || u >= frame.side || v >= frame.side || at.y < 0.0f", False),
        ("make_float2(x, fabsf(y))", "u < 0 || u >= frame.side || v >= frame.side", False),
    ],
)
def test_coordinates_that_are_computed(made: str, test: str, bad: bool) -> None:
    code = WARPED.replace("MADE", made).replace("TEST", test)
    found = [*findings(NegativeIndex, code), *findings(WrongBoundsGuard, code)]
    assert any("coordinate" in one.message for one in found) is bad, [one.message for one in found]


SPLAT = """
__global__ void splat(float *img, const float2 *at, const float *weight, const int *row, int w, int h, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = (int)floorf(at[i].x), y = ROW;
    if (TEST) return;
    atomicAdd(&img[y * w + x], weight[i]);
}
"""


@pytest.mark.parametrize(
    ("row", "test", "bad"),
    [
        ("(int)floorf(at[i].y)", "x < 0 || x >= w", True),
        ("(int)floorf(at[i].y)", "x < 0 || x >= w || y < 0 || y >= h", False),
        ("(int)floorf(at[i].y)", "x < 0 || x >= w || at[i].y < 0.0f || at[i].y >= h", False),
        ("row[i]", "x < 0 || x >= w", False),
        ("min(max((int)floorf(at[i].y), 0), h - 1)", "x < 0 || x >= w", False),
    ],
)
def test_a_coordinate_of_a_position_that_nothing_tests(row: str, test: str, bad: bool) -> None:
    found = findings(WrongBoundsGuard, SPLAT.replace("ROW", row).replace("TEST", test))
    assert any("nothing tests" in one.message for one in found) is bad, [one.message for one in found]


STAMPS = """
__kernel void paste(__global const float *tile, __global const int4 *place, __global const int *row,
                    __global float *sheet, const int w, const int h) {
    const int t = get_group_id(0);
    for (int j = get_local_id(1); j < 16; j += get_local_size(1))
        for (int i = get_local_id(0); i < 16; i += get_local_size(0)) {
            const int x = place[t].x + i, y = ROW + j;
            if (TEST) continue;
            sheet[y * w + x] = tile[(t * 16 + j) * 16 + i];
        }
}
"""


@pytest.mark.parametrize(
    ("row", "test", "bad"),
    [
        ("place[t].y", "x < 0 || x >= w", True),
        ("place[t].y", "x < 0 || x >= w || y < 0 || y >= h", False),
        ("row[t]", "x < 0 || x >= w", False),
        ("clamp(place[t].y, 0, h - 16)", "x < 0 || x >= w", False),
    ],
)
def test_a_number_of_the_same_element_that_nothing_tests(row: str, test: str, bad: bool) -> None:
    found = findings(WrongBoundsGuard, STAMPS.replace("ROW", row).replace("TEST", test), "opencl")
    assert any("nothing tests" in one.message for one in found) is bad, [one.message for one in found]


VOLUME = """
struct Field { const float *data; int nx, ny, nz; };
__device__ float at(const Field &f, int x, int y, int z) { return f.data[((size_t)z * f.ny + y) * f.nx + x]; }
__global__ void trace(Field f, const float3 *points, float *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float3 p = points[i];
    const int x = (int)floorf(p.x), y = (int)floorf(p.y), z = (int)floorf(p.z);
    if (x < 0 || y < 0 || z < 0) return;
    if (x + 1 >= f.nx || y + 1 >= f.ny LAST) return;
    out[i] = at(f, x, y, z) + at(f, x + 1, y, z + 1) + at(f, x + 1, y + 1, z + 1);
}
"""


@pytest.mark.parametrize(
    ("last", "bad"),
    [
        ("", True),
        ("|| z + 1 >= f.nz", False),
        ("|| z >= f.nz - 1", False),
        ("|| p.z >= f.nz - 1", False),
    ],
)
def test_neighbours_are_tested_for_one_another(last: str, bad: bool) -> None:
    found = findings(WrongBoundsGuard, VOLUME.replace("LAST", last))
    assert any("coordinate" in one.message for one in found) is bad, [one.message for one in found]


BOXES = """
struct Box { int n; float scale; float *cell; };
__global__ void splat(const float3 *at, const float *mass, int count, Box box) {
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= count) return;
    int x0 = (int)floorf(at[p].x * box.scale), y0 = (int)floorf(at[p].y * box.scale), z0 = ROW;
    for (int k = 0; k < 8; ++k) {
        int x = x0 + k / 4, y = y0 + k / 2 % 2, z = z0 + k % 2;
        if (TEST) continue;
        atomicAdd(&box.cell[(x * box.n + y) * box.n + z], mass[p]);
    }
}
"""
FLOORED = "(int)floorf(at[p].z * box.scale)"


@pytest.mark.parametrize(
    ("row", "test", "bad"),
    [
        (FLOORED, "x < 0 || y < 0 || x >= box.n || y >= box.n", True),
        (FLOORED, "x < 0 || y < 0 || z < 0 || x >= box.n || y >= box.n || z >= box.n", False),
        (FLOORED, "x < 0 || y < 0 || x >= box.n || y >= box.n || (unsigned)z >= box.n", False),
        (
            "min(max((int)floorf(at[p].z * box.scale), 0), box.n - 2)",
            "x < 0 || y < 0 || x >= box.n || y >= box.n",
            False,
        ),
        ("(int)blockIdx.y", "x < 0 || y < 0 || x >= box.n || y >= box.n", False),
    ],
)
def test_neighbours_that_one_loop_counts_for_all_axes(row: str, test: str, bad: bool) -> None:
    found = findings(WrongBoundsGuard, BOXES.replace("ROW", row).replace("TEST", test))
    assert any("nothing tests" in one.message for one in found) is bad, [one.message for one in found]
