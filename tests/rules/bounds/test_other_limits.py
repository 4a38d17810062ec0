"""Coordinates that are tested against a limit which the host makes of the size of another axis."""

from __future__ import annotations

import pytest

from tests.rules.bounds.test_wrong_axes import codes

INSIDE = """
struct Inside { int left, right, top, bottom; };
__global__ void smooth(const float *in, float *out, int w, int h, Inside r) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x + r.left;
    const int y = blockIdx.y * blockDim.y + threadIdx.y + r.top, z = blockIdx.z;
    if (x >= r.right || y >= LIMIT) return;
    out[((size_t)z * h + y) * w + x] = 0.5f * in[((size_t)z * h + y) * w + x];
}
void run(const float *in, float *out, int w, int h, int planes) {
    if (CHECK) return;
    const Inside r{1, w - 1, 1, h - 1};
    const dim3 block(16, 16), grid((w + 15) / 16, (h + 15) / 16, planes);
    smooth<<<grid, block>>>(in, out, w, h, r);
}
"""


@pytest.mark.parametrize(
    ("limit", "check", "bad"),
    [
        ("r.right", "w < 3 || h < 3", True),
        ("r.bottom", "w < 3 || h < 3", False),
        ("r.right", "w < 3 || w != h", False),
        ("min(r.right, h)", "w < 3", False),
        ("r.right || y >= r.bottom", "w < 3", False),
    ],
)
def test_limits_in_a_struct(limit: str, check: str, bad: bool) -> None:
    assert ("KL102" in codes(INSIDE.replace("LIMIT", limit).replace("CHECK", check), "k.cu")) is bad


SIDES = """
struct Box { int nx, ny, nz, first, end_y, end_z; float *cell; };
__device__ void set(const Box &b, int k, int x, int y, int z) {
    b.cell[(((size_t)k * b.nz + z) * b.ny + y) * b.nx + x] = 1.0f;
}
__global__ void sides(Box b) {
    const int a = threadIdx.y + blockIdx.x * blockDim.y;
    int y, z;
    switch (blockIdx.y) {
    case 0:
        z = a;
        y = 0;
        if (z >= b.nz) return;
        break;
    default:
        y = a + b.first;
        z = b.nz - 1;
        if (y >= END) return;
        break;
    }
    for (int x = threadIdx.x; x < b.nx; x += blockDim.x)
        for (int k = 0; k < 3; ++k) set(b, k, x, y, z);
}
void run(float *cell, int nx, int ny, int nz) {
    if (nx < 3 || ny < 3 || nz < 3) return;
    Box b{nx, ny, nz, 1, ny - 1, nz - 1, cell};
    sides<<<dim3((max(ny, nz) + 7) / 8, 2), dim3(32, 8)>>>(b);
}
"""


@pytest.mark.parametrize(("end", "bad"), [("b.end_z", True), ("b.end_y", False), ("b.ny", False)])
def test_sides_of_a_box_case_by_case(end: str, bad: bool) -> None:
    assert ("KL102" in codes(SIDES.replace("END", end), "k.cu")) is bad


PLANES = """
__global__ void fade(float *v, int across, int down, int last_x, int last_y) {
    const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    if (col > LAST || row > last_y) return;
    for (int p = 0; p < 3; ++p) v[(p * down + row) * across + col] *= 0.9f;
}
void run(float *v, int across, int down) {
    fade<<<dim3((across + 31) / 32, (down + 7) / 8), dim3(32, 8)>>>(v, across, down, across - 1, down - 1);
}
"""


@pytest.mark.parametrize(("last", "bad"), [("last_x", False), ("last_y", True)])
def test_last_places_that_are_let_through(last: str, bad: bool) -> None:
    assert ("KL102" in codes(PLANES.replace("LAST", last), "k.cu")) is bad
