"""Arrays of constant length at places that tests against numbers let reach past their end."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange

from tests.rules.marked import findings

ATLAS = """
constexpr int SIDE = 24, EDGE = SIDE + 1;
struct Atlas { float scale; float field[ROOM]; };
__global__ void paint(Atlas *atlas, float by, int pages) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (TEST) return;
    atlas[blockIdx.y].field[at] = by * atlas[blockIdx.y].scale;
}
"""


@pytest.mark.parametrize(
    ("room", "test", "bad"),
    [
        ("SIDE * SIDE", "at >= EDGE * EDGE", True),
        ("SIDE * SIDE", "at > SIDE * SIDE", True),
        ("EDGE * EDGE", "at >= EDGE * EDGE", False),
        ("SIDE * SIDE", "at >= EDGE * EDGE || at >= SIDE * SIDE", False),
        ("SIDE * SIDE", "at >= EDGE * EDGE || at >= pages", False),  # how many there are is the launch's to know
        ("SIDE * SIDE", "at >= EDGE * EDGE || at % EDGE == SIDE", False),
        ("1", "at >= EDGE", False),  # the end of a structure that goes on
    ],
)
def test_an_array_in_a_structure(room: str, test: str, bad: bool) -> None:
    assert bool(findings(ArrayIndexOutOfRange, ATLAS.replace("ROOM", room).replace("TEST", test))) is bad


LAUNCH = """
void run(Atlas *atlas, int pages) { paint<<<dim3(GRID, pages), 64>>>(atlas, 2.0f, pages); }
"""


@pytest.mark.parametrize(("grid", "bad"), [("9", False), ("10", True), ("(EDGE * EDGE + 63) / 64", True)])
def test_grids_of_constant_size(grid: str, bad: bool) -> None:
    code = ATLAS.replace("ROOM", "SIDE * SIDE").replace("TEST", "at >= EDGE * EDGE") + LAUNCH.replace("GRID", grid)
    assert bool(findings(ArrayIndexOutOfRange, code)) is bad


DELAYS = """
#define TAPS 48
typedef struct { int lag; int rows; } Echo;
__constant float window[TAPS] = {1.0f};
__kernel void shape(__global const float *x, __global float *y, const Echo echo, const int n) {
    const int k = get_global_id(0), row = get_global_id(1);
    if (TEST || row >= echo.rows) return;
    y[row * TAPS + k] = x[row * TAPS + k] * window[k] * window[PLACE];
}
"""


@pytest.mark.parametrize(
    ("test", "place", "bad"),
    [
        ("k >= TAPS", "k + echo.lag", True),
        ("k >= TAPS", "k", False),
        ("k + echo.lag >= TAPS", "k + echo.lag", False),
        ("k >= TAPS - echo.lag", "k + echo.lag", False),
        ("k >= TAPS || k + echo.lag >= TAPS", "k + echo.lag", False),
        ("k >= TAPS / 2", "k + echo.lag", False),  # half of them is left for the lag
        ("k >= TAPS", "(k + echo.lag) % TAPS", False),
        ("k >= TAPS", "min(k + echo.lag, TAPS - 1)", False),
        ("k >= TAPS", "k - echo.lag + TAPS - 1", False),
    ],
)
def test_what_an_argument_adds(test: str, place: str, bad: bool) -> None:
    code = DELAYS.replace("TEST", test).replace("PLACE", place)
    assert bool(findings(ArrayIndexOutOfRange, code, "opencl")) is bad


TRIANGLE = """
template <int L> __global__ void moments(const float *x, float *y, int n) {
    float r[L + 1], s = 0.0f;
    for (int a = 0; a <= L; ++a) r[a] = x[a * n + threadIdx.x];
    for (int a = 0; a <= L; ++a)
        for (int b = 0; b <= L - a; ++b) s += r[b];
    y[threadIdx.x] = s;
}
void run(const float *x, float *y, int n, int l) {
    if (l == 0) moments<0><<<1, 64>>>(x, y, n);
    else moments<1><<<1, 64>>>(x, y, n);
}
"""


def test_a_triangle_of_one_row_is_no_tile() -> None:
    assert not findings(ArrayIndexOutOfRange, TRIANGLE)
