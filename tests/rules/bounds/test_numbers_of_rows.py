"""Rows that results are stored in under a test of their number, and inputs are read from without it."""

import pytest

from kernlint import registry
from tests.rules.marked import assert_marked, findings

LATE, MISSING = registry.load().get("KL103"), registry.load().get("KL101")

PROJECT = """\
#include <cstdint>
__global__ void project(const float *in, int64_t in_row, float *out, int64_t out_row, int rows) {
    const int first = blockIdx.x * 8;
    float kept[8];
    for (int r = 0; r < 8; ++r)
%s
    for (int r = 0; r < 8; ++r) {
        if (first + r >= rows) break;
        out[(first + r) * out_row + threadIdx.x] = kept[r] * 2.0f;
    }
}
"""


def test_each_array_has_a_pitch_of_its_own():
    read = "        kept[r] = in[(first + r) * in_row + threadIdx.x]; // bad"
    assert_marked(LATE, PROJECT % read)


def test_a_launch_in_sight_may_have_only_whole_tiles():
    host = """\
int go(const float *in, float *out, int rows, int width) {
    if (rows % 8 != 0) return 1;
    project<<<(rows + 7) / 8, 64>>>(in, width, out, width, rows);
    return 0;
}
"""
    assert_marked(LATE, PROJECT % "        kept[r] = in[(first + r) * in_row + threadIdx.x];" + host)


@pytest.mark.parametrize(
    "read",
    [
        "kept[r] = first + r < rows ? in[(first + r) * in_row + threadIdx.x] : 0.0f;",
        "kept[r] = in[min(first + r, rows - 1) * in_row + threadIdx.x];",
        "kept[r] = in[r * in_row + threadIdx.x];",
        "kept[r] = first + r > 0 ? in[(first + r - 1) * in_row + threadIdx.x] : 0.0f;",
    ],
)
def test_rows_that_are_kept_inside_are_right(read):
    assert_marked(LATE, PROJECT % f"        {read}")


def test_a_pitch_in_bytes_counted_in_elements():
    assert_marked(
        LATE,
        """\
__global__ void twice(const char *in, char *out, int in_bytes, int out_floats, int rows) {
    const int first = blockIdx.x * 4;
    const float2 *from = (const float2 *)(in + in_bytes * first);
    float *to = (float *)out;
    for (int r = 0; r < 4; ++r) {
        float2 v = from[r * (in_bytes / sizeof(float2)) + threadIdx.x]; // bad
        if (first + r < rows) to[(first + r) * out_floats + threadIdx.x] = v.x + v.y;
    }
}
""",
    )


def test_a_test_against_one_number_holds_nothing():
    assert_marked(
        LATE,
        """\
__global__ void twice(const float *in, float *out, int in_row, int out_row, int rows) {
    const int first = blockIdx.x * 4;
    for (int r = 0; r < 4; ++r) {
        float v = first + r ? in[(first + r) * in_row + threadIdx.x] : 0.0f; // bad
        if (first + r < rows) out[(first + r) * out_row + threadIdx.x] = v;
    }
}
""",
    )


def test_parts_of_a_pool_that_data_choose_may_be_longer():
    found = findings(
        LATE,
        """\
__global__ void totals(const float *pool, const int *where, int in_row, float *out, int out_row, int parts, int n) {
    int i = blockIdx.x * 8 + threadIdx.y;
    float sum = 0;
    for (int p = 0; p < parts; ++p) sum += pool[where[p] + i * in_row + threadIdx.x];
    if (i < n) out[i * out_row + threadIdx.x] = sum;
}
""",
    )
    assert not any("its index is below n" in one.message for one in found)


def test_optional_arrays_are_as_long_as_whoever_passes_them_likes():
    assert_marked(
        LATE,
        """\
__global__ void add(const float *mask, int mask_row, float *out, int out_row, int rows) {
    int r = blockIdx.x * 8 + threadIdx.y;
    float m = mask ? mask[r * mask_row + threadIdx.x] : 0.0f;
    if (r < rows) out[r * out_row + threadIdx.x] = m;
}
""",
    )


def test_the_tail_of_a_loop_along_another_dimension_than_the_tested_one():
    code = """\
__global__ void columns(const float *b, const float *a, float *c, int n, int k) {
    const int col = blockIdx.x * 16 + threadIdx.x %% 16;
    float sum = 0;
    for (int at = 0; at < k; at += 8) {
        float w = at + threadIdx.x %% 8 < k ? a[at + threadIdx.x %% 8] : 0.0f;
        float v = %s ? b[(at + threadIdx.x / 16) * n + col] : 0.0f;%s
        sum += v * w;
    }
    if (col < n) atomicAdd(c + col, sum);
}
"""
    assert_marked(MISSING, code % ("col < n", " // bad"))
    assert_marked(MISSING, code % ("col < n && at + threadIdx.x / 16 < k", ""))
