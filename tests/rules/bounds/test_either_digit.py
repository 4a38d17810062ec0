"""``||`` over the parts that an index is divided into, one of which is below its size whatever the index is."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import assert_marked

FLAT = """
__device__ void parts(int const &i, int const &nx, int const &ny, int &x, int &y, int &z) {
    z = i / (nx * ny);
    y = (i - z * nx * ny) / nx;
    x = i - z * nx * ny - y * nx;
}
__global__ void twice(const float *in, float *out, int nx, int ny, int nz) {
    int block = blockIdx.x + blockIdx.y * gridDim.x;
    int i = threadIdx.x + block * blockDim.x;
    int x, y, z;
    parts(i, nx, ny, x, y, z);
    %s
    out[i] = 2 * in[i];%s
}
"""
PLANE = """
__global__ void twice(const float *in, float *out, int w, int h) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = i %% w, y = i / w;
    %s
    out[y * w + x] = 2 * in[i];%s
}
"""


@pytest.mark.parametrize(
    ("code", "guard", "wrong"),
    [
        (FLAT, "if (x >= nx && y >= ny && z >= nz) return;", True),
        (FLAT, "if (x >= nx || y >= ny || z >= nz) return;", False),
        (FLAT, "if (x >= nx && z >= nz) return;", True),
        (FLAT, "if (z >= nz) return; if (x >= nx && y >= ny) return;", False),
        (PLANE, "if (x < w || y < h)", True),
        (PLANE, "if (x < w && y < h)", False),
        (PLANE, "if (i >= w * h) return; if (x < w || y < h)", False),
        (PLANE, "if (x < h || y < h)", False),
    ],
)
def test_a_rest_is_below_what_was_divided_by(code: str, guard: str, wrong: bool) -> None:
    assert_marked(WrongBoundsGuard, code % (guard, "  // bad" if wrong else ""))
