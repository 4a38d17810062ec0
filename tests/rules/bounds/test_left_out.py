"""Tests that leave a part of the index out, or a coordinate, or the length of one of two arrays."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import findings

PARTS = """
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void gather(__global const float *value, __global const int *begin, __global float *out) {
    __local float part[512];
    const int lane = get_local_id(0), group = get_group_id(0);
    const int first = FIRST, last = LAST;
    for (int k = 0; k < 512; k += 64) {
        part[k + lane] = 0.0f;
        if (TEST) part[k + lane] = value[first + k + lane];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 256; s > 0; s >>= 1) {
        for (int k = lane; k < s; k += 64) part[k] += part[k + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane == 0) out[group] = part[0];
}
"""
BEGIN, END = "begin[group]", "begin[group + 1]"


@pytest.mark.parametrize(
    ("first", "last", "test", "bad"),
    [
        (BEGIN, END, "first + k < last", True),
        (BEGIN, END, "first + k + lane < last", False),
        (BEGIN, END, "k < 512", False),
        ("group * 512", "(group + 1) * 512", "first + k < last", False),  # whole groups
    ],
)
def test_what_the_thread_adds(first: str, last: str, test: str, bad: bool) -> None:
    code = PARTS.replace("FIRST", first).replace("LAST", last).replace("TEST", test)
    found = findings(WrongBoundsGuard, code, "opencl")
    assert any("leaves out" in one.message for one in found) is bad, [one.message for one in found]


STREAM = """
__global__ void __launch_bounds__(128) rows(const float *value, const int *begin, const int *firsts, float *out) {
    __shared__ float staged[1024];
    const int row = firsts[blockIdx.x], behind = firsts[blockIdx.x + 1], lane = threadIdx.x;
    const int first = begin[row], last = begin[behind];
    LOOP staged[AT - first] = value[AT];
    __syncthreads();
    for (int r = row + lane; r < behind; r += 128) {
        float sum = 0.0f;
        for (int k = LENGTHS[r]; k < LENGTHS[r + 1]; ++k) sum += staged[k - first];
        out[r] = sum;
    }
}
"""


@pytest.mark.parametrize(
    ("loop", "at", "lengths", "bad"),
    [
        ("for (int i = first; i < last; i += 128)", "i + lane", "begin", True),
        ("for (int i = 0; i < last - first; i += 128)", "first + i + lane", "begin", True),
        (
            "for (int i = 0; i < last - first; i += 128) if (i + lane < last - first)",
            "first + i + lane",
            "begin",
            False,
        ),
        ("for (int i = first + lane; i < last; i += 128)", "i", "begin", False),
        ("for (int i = first; i < last; i += 128)", "i + lane", "firsts", False),  # whole groups, for all that is said
        ("for (int i = first; i < last; ++i)", "i + lane * 2048", "begin", False),  # a plane for each thread
    ],
)
def test_parts_of_any_length(loop: str, at: str, lengths: str, bad: bool) -> None:
    found = findings(WrongBoundsGuard, STREAM.replace("LOOP", loop).replace("AT", at).replace("LENGTHS", lengths))
    assert any("leaves out" in one.message for one in found) is bad, [one.message for one in found]


CUBES = """
struct Grid { const float *cells; int nx, ny, nz; };
__device__ float whole(const Grid &g, int x, int y, int z) {
    float sum = 0.0f;
    for (int k = 0; k < 2; ++k) for (int j = 0; j < 2; ++j) for (int i = 0; i < 2; ++i)
        sum += g.cells[((size_t)(z + k) * g.ny + y + j) * g.nx + x + i];
    return sum;
}
__device__ float edge(const Grid &g, int x, int y, int z) {
    float sum = 0.0f;
    for (int k = 0; k < 2; ++k) for (int j = 0; j < 2; ++j) for (int i = 0; i < 2; ++i)
        sum += g.cells[((size_t)DEEP * g.ny + min(y + j, g.ny - 1)) * g.nx + min(x + i, g.nx - 1)];
    return sum;
}
__global__ void halve(Grid g, float *out, int bx, int by, int blocks) {
    const int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= blocks) return;
    const int x = b % bx * 2, y = b / bx % by * 2, z = b / (bx * by) * 2;
    out[b] = TEST ? edge(g, x, y, z) : whole(g, x, y, z);
}
"""


@pytest.mark.parametrize(
    ("deep", "test", "bad"),
    [
        ("min(z + k, g.nz - 1)", "(x + 2 > g.nx || y + 2 > g.ny)", True),
        ("min(z + k, g.nz - 1)", "(x + 2 > g.nx || y + 2 > g.ny || z + 2 > g.nz)", False),
        ("(z + k)", "(x + 2 > g.nx || y + 2 > g.ny)", False),  # as many planes as blocks take
        ("min(z + k, g.nz - 1)", "(b / (bx * by) == blocks / (bx * by) - 1 || x + 2 > g.nx || y + 2 > g.ny)", False),
    ],
)
def test_an_index_that_another_access_clamps(deep: str, test: str, bad: bool) -> None:
    found = findings(WrongBoundsGuard, CUBES.replace("DEEP", deep).replace("TEST", test))
    assert any("another access clamps" in one.message for one in found) is bad, [one.message for one in found]


ROWS = """
__global__ void match(const char *text, const int *text_length, const char *word, const int *word_length, int *best,
                      int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int letters = word_length[i], length = text_length[i];
    if (TEST) { best[i] = -1; return; }
    short row[65];
    for (int k = 0; k <= END; ++k) row[k] = k;
    for (int t = 1; t <= length; ++t)
        for (int k = 1; k <= letters; ++k) row[k] = min(row[k - 1], row[k]) + (word[k - 1] != text[t - 1]);
    best[i] = row[letters];
}
"""


@pytest.mark.parametrize(
    ("test", "end", "bad"),
    [
        ("letters > 64", "length", True),
        ("letters > 64", "letters", False),
        ("letters > 64 || length > 64", "length", False),
        ("letters > length || letters > 64", "length", False),
        ("letters > 32", "length", False),  # not the length of the array
    ],
)
def test_the_length_of_the_other_one(test: str, end: str, bad: bool) -> None:
    found = findings(ArrayIndexOutOfRange, ROWS.replace("TEST", test).replace("END", end))
    assert any("as far as a number" in one.message for one in found) is bad, [one.message for one in found]
