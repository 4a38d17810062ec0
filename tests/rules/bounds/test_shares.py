"""Tests of whole groups where elements are used, of what the loop has tested, of a row by the length of one, of the
first of the places that a thread has in an array of its own."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import findings

BLOCKS = """
struct Plane { const float *cells; int wide, high; };
__device__ float corner(const Plane &p, int gx, int gy) {
    float most = 0.0f;
    for (int k = 0; k < 16; ++k) {
        const int x = PLACE, y = gy * 4 + k / 4;
        TEST most = fmaxf(most, p.cells[(size_t)y * p.wide + x]);
    }
    return most;
}
__global__ void shrink(Plane p, float *out, int across, int down) {
    const int gx = blockIdx.x * blockDim.x + threadIdx.x, gy = blockIdx.y * blockDim.y + threadIdx.y;
    if (gx >= across || gy >= down) return;
    out[gy * across + gx] = corner(p, gx, gy);
}
void run(const float *cells, int wide, int high, float *out) {
    CHECK
    Plane p = {cells, wide, high};
    int across = ACROSS, down = (high + 3) / 4;
    shrink<<<dim3((across + 15) / 16, (down + 7) / 8), dim3(16, 8)>>>(p, out, across, down);
}
"""


@pytest.mark.parametrize(
    "place, test, check, across, bad",
    [
        ("gx * 4 + (k & 3)", "", "", "(wide + 3) / 4", True),
        ("4 * gx + k % 4", "", "", "(wide - 1) / 4 + 1", True),
        ("gx * 4 + (k & 3)", "", "", "wide / 4", False),
        ("gx * 4 + (k & 3)", "", "if (wide % 4 != 0) return;", "(wide + 3) / 4", False),
        ("min(gx * 4 + (k & 3), p.wide - 1)", "", "", "(wide + 3) / 4", False),
        ("gx * 4 + (k & 3)", "if (x < p.wide)", "", "(wide + 3) / 4", False),
        ("gx * 4", "", "", "(wide + 3) / 4", False),
    ],
)
def test_groups_that_the_launch_rounds_a_row_up_to(place: str, test: str, check: str, across: str, bad: bool) -> None:
    code = BLOCKS.replace("PLACE", place).replace("TEST", test).replace("CHECK", check).replace("ACROSS", across)
    assert bool(findings(WrongBoundsGuard, code)) is bad


MARCH = """
__kernel void decay(__global const float *now, __global float *next, const int across, const int down) {
    const int x = get_global_id(0);
    if (x >= across) return;
    float ahead = now[x];
    for (int y = 0; y < down; ++y) {
        const float own = ahead;
        if (TEST) ahead = now[(y + 1) * across + x];
        next[y * across + x] = 0.5f * (own + ahead);
    }
}
"""


@pytest.mark.parametrize("test, bad", [("y < down", True), ("y + 1 < down", False), ("y < down - 1", False)])
def test_a_read_ahead_behind_what_the_loop_has_tested(test: str, bad: bool) -> None:
    assert bool(findings(WrongBoundsGuard, MARCH.replace("TEST", test), "opencl")) is bad


RANGES = """
__global__ void lengths(const int *first, int *length, int rows) {
    for (int r = threadIdx.x; r < rows; r += blockDim.x)
        if (r < rows) length[r] = first[r + 1] - first[r];
}
"""


def test_ends_of_ranges_are_one_more() -> None:
    assert not findings(WrongBoundsGuard, RANGES)


ROWS = """
__global__ void level(const float *in, float *out, int across, int down) {
    const int y = blockIdx.x * blockDim.x + threadIdx.x;
    if (y >= LIMIT) return;
    const float *row = in + (size_t)y * across;
    float sum = 0.0f;
    for (int x = 0; x < across; ++x) sum += row[x];
    for (int x = 0; x < across; ++x) out[(size_t)y * across + x] = sum / across;
}
"""
LAUNCH = """
void run(const float *in, float *out, int across, int down) {
    level<<<(down + 63) / 64, 64>>>(in, out, across, down);
}
"""


def test_a_row_is_tested_against_the_length_of_one() -> None:
    (found,) = findings(WrongBoundsGuard, ROWS.replace("LIMIT", "across") + LAUNCH)
    assert "down, passed for their number, is put to no use" in found.message
    assert not findings(WrongBoundsGuard, ROWS.replace("LIMIT", "down") + LAUNCH)
    square = ROWS.replace("LIMIT", "across").replace(", int down", "")
    assert not findings(WrongBoundsGuard, square)


OWN = """
__global__ void twist(uint4 *states, const unsigned *keys, int count) {
    const int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (first >= count) return;
    int at[4];
    for (int v = 0; v < 4; ++v) at[v] = PLACE;
    MORE
    unsigned sum = keys[at[0]] + keys[at[1]] + keys[at[2]] + keys[at[3]];
    for (int v = 0; v < 4; ++v) {
        TEST states[at[v]].x = sum;
    }
}
"""


@pytest.mark.parametrize(
    "place, more, test, bad",
    [
        ("first + v", "", "", True),
        ("v + first", "", "if (at[v] < count)", True),  # what is read is not tested
        ("min(first + v, count - 1)", "", "", False),
        ("first", "", "", False),
        ("first + v", "for (int v = 0; v < 4; ++v) at[v] = min(at[v], count - 1);", "", False),
        ("first + v", "if (first + 3 >= count) return;", "", False),
        ("first + v", "change(at);", "", False),
    ],
)
def test_places_in_an_array_of_the_threads_own(place: str, more: str, test: str, bad: bool) -> None:
    code = "__device__ void change(int *at);\n" + OWN
    code = code.replace("PLACE", place).replace("MORE", more).replace("TEST", test)
    assert bool(findings(WrongBoundsGuard, code)) is bad
