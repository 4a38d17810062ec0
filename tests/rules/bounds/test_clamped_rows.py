"""Coordinates clamped to the length of their row, and the other branch of a test of the index and of data."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import findings

CELLS = """
__global__ void count(const float2 *p, int *cells, int n, int w, int h) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int y = min(max((int)p[i].y, 0), h - 1);
    int x = COLUMN;
    TEST atomicAdd(&cells[y * PITCH + x], 1);
}
"""


@pytest.mark.parametrize(
    ("column", "pitch", "test", "bad"),
    [
        ("min(max((int)p[i].x, 0), w)", "w", "", True),
        ("min(max((int)p[i].x, 0), w - 1)", "w", "", False),
        ("min(max((int)p[i].x, 0), w)", "(w + 1)", "", False),
        ("min(max((int)p[i].x, 0), w)", "w", "if (x < w)", False),
        ("min(max((int)p[i].x, 0), w)", "w", "if (x != w)", False),
        ("(int)(__saturatef(p[i].x) * w)", "w", "", True),
        ("(int)(__saturatef(p[i].x) * (w - 1))", "w", "", False),
        ("min((int)(__saturatef(p[i].x) * w), w - 1)", "w", "", False),
        ("min((int)(__saturatef(p[i].x) * w), n)", "w", "", False),
        ("(int)fminf(fmaxf(p[i].x, 0.0f), 64.0f)", "64", "", True),
        ("(int)fminf(fmaxf(p[i].x, 0.0f), 63.0f)", "64", "", False),
        ("(int)fminf(fmaxf(p[i].x, 1.0f), 64.0f) - 1", "64", "", False),
        ("(int)fminf(fmaxf(p[i].x, 0.0f), 63.0f) + 1", "64", "", True),
        ("(int)fminf(fmaxf(p[i].x, 0.0f), 64.0f)", "64", "if (x < 64)", False),
        ("(int)fminf(fmaxf(p[i].x, 0.0f), 64.0f)", "65", "", False),
    ],
)
def test_a_clamp_to_the_length_of_the_row(column: str, pitch: str, test: str, bad: bool) -> None:
    source = CELLS.replace("COLUMN", column).replace("PITCH", pitch).replace("TEST", test)
    assert bool(findings(WrongBoundsGuard, source)) is bad


MARKS = """
__global__ void marks(const int *live, const float *value, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && live[i] != 0) out[i] = value[i];
    ELSE
}
void run(const int *live, const float *value, float *out, int n) {
    marks<<<BLOCKS, 256>>>(live, value, out, n);
}
"""


@pytest.mark.parametrize(
    ("other", "blocks", "bad"),
    [
        ("else out[i] = 0.0f;", "(n + 255) / 256", True),
        ("else if (i < n) out[i] = 0.0f;", "(n + 255) / 256", False),
        ("", "(n + 255) / 256", False),
    ],
)
def test_the_other_branch_takes_the_surplus_threads(other: str, blocks: str, bad: bool) -> None:
    assert bool(findings(MissingBoundsGuard, MARKS.replace("ELSE", other).replace("BLOCKS", blocks))) is bad


SPLIT = """
__global__ void split(float *out, const float *in, int width, int first) {
    int row = blockIdx.y, x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width) return;
    if (row < first) out[row * width + x] = in[row * width + x];
    else out[row * width + x] = 2.0f * in[row * width + x];
}
void run(float *out, const float *in, int width, int height, int first) {
    split<<<dim3((width + 127) / 128, height), 128>>>(out, in, width, first);
}
"""


def test_two_branches_for_two_parts_of_the_rows() -> None:
    assert not findings(MissingBoundsGuard, SPLIT)


LAST_OF_COPY = """
__kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void sums(__global const float *in, __global float *out, const int n) {
    __local float part[32];
    float sum = 0.0f;
    for (int at = 0; at < n; at += 32) {
        const int count = min(32, n - at);
        event_t come = async_work_group_copy(part, in + at, (size_t)count, 0);
        wait_group_events(1, &come);
        for (int j = 0; j < count; ++j) sum += part[j];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = sum;
}
"""


def test_the_last_of_as_many_as_are_left() -> None:
    assert not findings(WrongBoundsGuard, LAST_OF_COPY, language="opencl")


BITS = """
#define SIDE 32
__device__ bool marked(const unsigned *bits, float3 at, int slab) {
    const int x = (int)fminf(fmaxf(at.x * SIDE, 0.0f), MOST);
    const int y = (int)fminf(fmaxf(at.y * SIDE, 0.0f), MOST);
    const int cell = (slab * SIDE + y) * SIDE + x;
    return (bits[WORD] >> (cell & 31)) & 1u;
}
__global__ void look(const float3 *at, const unsigned *bits, int *seen, int n, int slab) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) seen[i] = marked(bits, at[i], slab);
}
"""


@pytest.mark.parametrize(
    ("most", "word", "bad"),
    [
        ("SIDE", "cell >> 5", True),
        ("SIDE", "cell / 32", True),
        ("SIDE - 1.0f", "cell >> 5", False),
        ("SIDE", "min(cell, SIDE * SIDE * SIDE - 1) >> 5", False),
    ],
)
def test_words_of_bits(most: str, word: str, bad: bool) -> None:
    assert bool(findings(WrongBoundsGuard, BITS.replace("MOST", most).replace("WORD", word))) is bad


RUNS = """
__global__ void near(const int *first, const float *x, const int *row_of, float *sum, int n, int cols) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int row = row_of[i] * cols, c = (int)x[i];
    float s = 0.0f;
    const int from = first[row + max(c - 1, 0)], to = first[row + min(c + 1, cols - 1) + 1];
    USE
    sum[i] = s;
}
"""


@pytest.mark.parametrize(
    ("use", "bad"),
    [
        ("for (int q = from; q < to; ++q) s += x[q];", False),
        ("s = to - from;", True),  # as far as that says, first may hold sums along each row
        ("if (from < to) s = x[from];", True),
    ],
)
def test_where_runs_begin_and_end(use: str, bad: bool) -> None:
    assert bool(findings(WrongBoundsGuard, RUNS.replace("USE", use))) is bad
