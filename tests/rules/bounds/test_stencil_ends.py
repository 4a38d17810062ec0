"""Stencils that look past the end at which their tests stop, and what a loop has filled to the end."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import findings

AHEAD = """
__global__ void slopes(const float *q, float *s, int w, int h) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    const int at = y * PITCH + x;
    if (x < w - TESTED) {
        s[at] = 2.0f * q[at + 1] - 0.5f * q[at + FAR] - 1.5f * q[at];
    } LAST
}
"""


@pytest.mark.parametrize(
    ("pitch", "tested", "far", "last", "bad"),
    [
        ("w", "1", "2", "else { s[at] = s[at - 1] + q[at]; }", True),
        ("w", "2", "3", "else { s[at] = q[at]; }", False),  # nothing is read that ends where the test does
        ("w", "2", "2", "else { s[at] = q[at]; }", False),
        ("w", "1", "2", "else { s[at] = 0.0f; }", False),  # the last place is never read
        ("pitch", "1", "2", "else { s[at] = q[at]; }", False),
    ],
)
def test_a_test_for_the_next_neighbour_is_none_for_the_one_after(
    pitch: str, tested: str, far: str, last: str, bad: bool
) -> None:
    code = AHEAD.replace("PITCH", pitch).replace("TESTED", tested).replace("FAR", far).replace("LAST", last)
    if pitch == "pitch":
        code = code.replace("int w,", "int pitch, int w,")
    assert bool(findings(WrongBoundsGuard, code)) is bad


AXES = """
struct Size { int nx, ny, nz; };
__kernel void gradient(__global const float *f, __global float4 *g, const int nx, const int ny, const int nz) {
    const int i = get_global_id(0), j = get_global_id(1), k = get_global_id(2);
    if (i >= nx || j >= ny || k >= nz) return;
    const int c = (k * ny + j) * nx + i;
    float4 d = (float4)(0.0f);
    ALONG_X d.x = f[c + 1] - f[c];
    ALONG_Y d.y = f[c + nx] - f[c];
    ALONG_Z d.z = f[c + nx * ny] - f[c];
    g[c] = d;
}
"""


@pytest.mark.parametrize(
    ("x", "y", "z", "bad"),
    [
        ("if (i + 1 < nx)", "if (j + 1 < ny)", "", True),
        ("if (i + 1 < nx)", "", "if (k + 1 < nz)", True),
        ("if (i + 1 < nx)", "if (j + 1 < ny)", "if (k + 1 < nz)", False),
        ("", "", "", False),  # nothing says that there is no more
    ],
)
def test_neighbours_along_all_axes_are_kept_inside_or_none(x: str, y: str, z: str, bad: bool) -> None:
    code = AXES.replace("ALONG_X", x).replace("ALONG_Y", y).replace("ALONG_Z", z)
    assert bool(findings(WrongBoundsGuard, code, "opencl")) is bad


CORNERS = """
__global__ void sample(const float2 *at, const float *grid, float *out, int n, int m, int points) {
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= points) return;
    const float2 u = at[p];
    const int c0 = min((int)(u.x * (m - 1)), LAST);
    const int r0 = min((int)(u.y * (n - 1)), n - 2);
    for (int k = 0; k < 4; ++k)
        out[4 * p + k] = grid[4 * (r0 * m + NEXT) + k] - grid[4 * (r0 * m + c0) + k];
}
"""


@pytest.mark.parametrize(
    ("last", "step", "bad"),
    [
        ("m - 1", "c0 + 1", True),
        ("m - 2", "c0 + 1", False),
        ("m - 1", "min(c0 + 1, m - 1)", False),
        ("m - 2", "c0 + 2", True),
    ],
)
def test_the_neighbour_of_a_coordinate_that_is_clamped_to_the_last(last: str, step: str, bad: bool) -> None:
    assert bool(findings(WrongBoundsGuard, CORNERS.replace("LAST", last).replace("NEXT", step))) is bad


WORD = """
#define ROOM 24
__global__ void keys(const char *text, const int *begin, int *out, int rows) {
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    char key[ROOM];
    const char *line = text + begin[r];
    int n = 0;
    COPY
    STORE
    int h = 0;
    for (int k = 0; key[k]; ++k) h = h * 31 + key[k];
    out[r] = h;
}
"""


@pytest.mark.parametrize(
    ("copy", "store", "bad"),
    [
        ("while (n < ROOM && line[n] != ',') { key[n] = line[n]; ++n; }", "key[n] = 0;", True),
        ("for (; n < ROOM; ++n) { if (line[n] == ',') break; key[n] = line[n]; }", "key[n] = 0;", True),
        ("while (n + 1 < ROOM && line[n] != ',') { key[n] = line[n]; ++n; }", "key[n] = 0;", False),
        ("while (n < ROOM && line[n] != ',') { key[n] = line[n]; ++n; }", "if (n < ROOM) key[n] = 0;", False),
        ("while (n < ROOM && line[n] != ',') { key[n] = line[n]; ++n; }", "key[min(n, ROOM - 1)] = 0;", False),
    ],
)
def test_one_place_more_behind_a_loop_that_stops_at_the_size(copy: str, store: str, bad: bool) -> None:
    found = findings(ArrayIndexOutOfRange, WORD.replace("COPY", copy).replace("STORE", store))
    assert bool(found) is bad, [one.message for one in found]


DIGITS = """
__global__ void digits(const unsigned *x, char *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    char text[12];
    unsigned v = x[i];
    int k = 0;
    while (v != 0 && k < 12) { text[k++] = '0' + v % 10; v /= 10; }
    text[k] = 0;
    for (int j = 0; text[j]; ++j) out[i * 12 + j] = text[j];
}
"""


def test_a_number_that_gets_less_may_end_a_loop_before_the_size() -> None:
    assert not findings(ArrayIndexOutOfRange, DIGITS)
