"""What host code, tests and helpers in sight say of sizes: where they leave no fault, nothing is said, else it is."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange
from kernlint_rules.bounds.late_bounds_guard import LateBoundsGuard
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard
from kernlint_rules.bounds.negative_index import NegativeIndex
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from kernlint.finding import Severity
from tests.rules.marked import assert_marked, findings

ROWS = """
__global__ void scale_rows(const float *x, float *y, int rows, int cols) {
    int at = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    float4 v = *reinterpret_cast<const float4 *>(x + at);  // {mark}
    v.x *= 2.0f;
    if (at < rows * cols) *reinterpret_cast<float4 *>(y + at) = v;
}
void run(const float *x, float *y, int rows, int cols) {
    {launch}
}
"""

LAUNCHES = {
    "a block for each row, as wide as the row": ("scale_rows<<<rows, cols / 4>>>(x, y, rows, cols);", False),
    "the same in the cases of a switch": (
        """switch (cols) {
    case 64: scale_rows<<<rows, cols / 4>>>(x, y, rows, 64); break;
    case 128: scale_rows<<<rows, cols / 4>>>(x, y, rows, 128); break;
    default: throw 1;
    }""",
        False,
    ),
    "more blocks than rows": ("scale_rows<<<rows + 1, cols / 4>>>(x, y, rows, cols);", True),
    "a grid that is rounded up": ("scale_rows<<<(rows * cols + 255) / 256, 64>>>(x, y, rows, cols);", True),
}


@pytest.mark.parametrize("name", LAUNCHES)
def test_a_test_that_no_thread_of_the_launches_fails_is_no_evidence(name: str) -> None:
    launch, fault = LAUNCHES[name]
    text = ROWS.replace("{launch}", launch).replace("// {mark}", "// bad" if fault else "")
    assert_marked(LateBoundsGuard, text)


PLANES = """
#include <cuda_runtime.h>
__global__ void fill(char *all, int length, int copies) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    {test}
    for (int i = 0; i < length; ++i) all[i * copies + t] = 0;
}
void run(int length, int copies, int blocks, int threads) {
    char *all;
    cudaMalloc(&all, (size_t)length * copies);
    {check}
    fill<<<{launch}>>>(all, length, copies);
    cudaFree(all);
}
"""


def _planes(launch: str, check: str = "", test: str = "") -> str:
    return PLANES.replace("{launch}", launch).replace("{check}", check).replace("{test}", test)


def test_threads_and_memory_that_callers_choose_apart_are_not_compared() -> None:
    for launch in ("blocks, threads", "1, 32"):
        assert all(one.severity is Severity.NOTE for one in findings(MissingBoundsGuard, _planes(launch)))


def test_threads_that_follow_from_the_memory_are_compared_with_it() -> None:
    assert any(
        one.severity is not Severity.NOTE for one in findings(MissingBoundsGuard, _planes("copies / 64 + 1, 64"))
    )
    assert findings(WrongBoundsGuard, _planes("blocks, threads", test="if (t > copies) return;"))


SPANS = """
__device__ bool sound(long start, long count, long total) {
    return start >= 0 && {filled} start <= total && count <= total - start;
}
__global__ void firsts(const long *starts, const long *counts, const float *times, float *out, long spans, long total) {
    long s = (long)blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= spans) return;
    long start = starts[s], count = counts[s];
    if (!sound(start, count, total)) return;
    out[s] = times[start];  // {mark}
}
"""


def test_two_tests_together_keep_an_index_below_the_size() -> None:
    assert_marked(WrongBoundsGuard, SPANS.replace("{filled}", "count > 0 &&").replace("// {mark}", ""))


def test_a_limit_that_keeps_a_product_from_wrapping_is_no_extent() -> None:
    text = """
#include <climits>
__global__ void mark(int *state, int area, int width) {
    int image = blockIdx.y, p = blockIdx.x * blockDim.x + threadIdx.x;
    if (image <= INT_MAX / area && p < width) state[image * area] = p;
}
"""
    assert not findings(WrongBoundsGuard, text)


def test_the_ends_of_a_filter_are_no_count() -> None:
    text = """
__kernel void blur(__global const float *in, __global float *out, __global const float *mask, int maskSize) {
    const int half_ = (maskSize - 1) / 2;
    float sum = 0.0f;
    for (int x = -half_; x <= half_; ++x) sum += mask[x + half_] * in[get_global_id(0) + x];
    out[get_global_id(0)] = sum;
}
"""
    assert not findings(WrongBoundsGuard, text, "opencl")
    assert findings(
        WrongBoundsGuard,
        """
__kernel void clear(__global float *out, int size) {
    int i = get_global_id(0);
    if (i <= size) out[i] = 0.0f;
}
""",
        "opencl",
    )


POLYNOMIAL = """
struct Coefficients { float low[3]; float high[6]; int low_degree, high_degree; };
__device__ float value(float x, const float *c, int degree) {
    if (degree <= 2) return c[0] + x * (c[1] + x * c[2]);
    return c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * (c[4] + x * c[5]))));
}
__device__ Coefficients loaded(const float *from) {
    Coefficients p;
    for (int i = 0; i < 3; ++i) p.low[i] = from[i];
    for (int i = 0; i < 6; ++i) p.high[i] = from[3 + i];
    p.low_degree = (int)from[9];
    p.high_degree = (int)from[10];
    return p;
}
__global__ void apply(const float *from, const float *x, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Coefficients p = loaded(from);
    out[i] = value(x[i], p.low, p.low_degree){more};
}
"""


def test_a_case_of_a_helper_may_be_for_the_larger_array_that_another_call_hands_over() -> None:
    both = POLYNOMIAL.replace("{more}", " + value(x[i], p.high, p.high_degree)")
    assert not findings(ArrayIndexOutOfRange, both)
    assert findings(ArrayIndexOutOfRange, POLYNOMIAL.replace("{more}", ""))


LAST = """
#define SIDE 16
__global__ void slope(const float *in, float *out, int n) {
    __shared__ float row[4][SIDE];
    int t = threadIdx.x;
    int last = SIDE - 1;
    {choice}
    row[threadIdx.y][t] = in[blockIdx.x * (SIDE - 2) + t];
    __syncthreads();
    if (t > 0 && t < last) out[blockIdx.x * (SIDE - 2) + t] = row[threadIdx.y][t + 1] - row[threadIdx.y][t - 1];
}
void run(const float *in, float *out, int n) {
    slope<<<(n - 2 + SIDE - 3) / (SIDE - 2), dim3(SIDE, 4)>>>(in, out, n);
}
"""


def test_a_limit_that_each_block_chooses_keeps_what_it_says() -> None:
    choice = "if (blockIdx.x == gridDim.x - 1) last = n - 2 - (SIDE - 2) * blockIdx.x + 1;"
    assert not findings(ArrayIndexOutOfRange, LAST.replace("{choice}", choice))
    wrong = LAST.replace("{choice}", "").replace("t < last", "blockIdx.x * (SIDE - 2) + t < n")
    assert findings(ArrayIndexOutOfRange, wrong)


NAMED = """
__kernel void spread(__global const float *from, __global float *to, int size) {
    int i = get_global_id(0);
    to[i] = 2 * from[i];
}
"""


def test_the_name_of_an_argument_is_enough_only_where_groups_have_a_size() -> None:
    sized = NAMED.replace("__kernel", "__kernel __attribute__((reqd_work_group_size(64, 1, 1)))")
    assert [one.severity for one in findings(MissingBoundsGuard, NAMED, "opencl")] == [Severity.NOTE]
    assert [one.severity for one in findings(MissingBoundsGuard, sized, "opencl")] == [Severity.WARNING]


GRID = """
__global__ void east(const float *h, float *slope, int width, int height, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float left = i > 0 ? h[i - 1] : h[i];
    slope[i] = {test} ? h[i + 1] - left : 0.0f;
}
"""


def test_a_neighbour_within_the_row_is_within_the_array() -> None:
    assert not findings(WrongBoundsGuard, GRID.replace("{test}", "i % width < width - 1"))
    assert findings(WrongBoundsGuard, GRID.replace("{test}", "h[i] > 0.0f"))


def test_what_is_counted_back_from_the_end_of_a_row_begins_behind_the_start() -> None:
    text = """
__global__ void tails(unsigned *x, int length) {
    int t = threadIdx.x;
    unsigned *row = x + blockIdx.x * length;
    row[length - 64 + t] = t;
}
void run(unsigned *x, int length, int rows) { tails<<<rows, 64>>>(x, length); }
"""
    assert not findings(NegativeIndex, text)
    assert findings(NegativeIndex, text.replace("length - 64 + t", "t - 64"))


PARENTS = """
__global__ void trace(const int *ids, const int *parents, int *out, int beams, int steps) {
    int beam = blockIdx.x * blockDim.x + threadIdx.x;
    if (beam >= beams) return;
    int parent = parents[(steps - 1) * beams + beam]{first};
    for (int step = steps - 2; step >= 0; --step) {
        if (parent < 0 || parent > beams) {
            out[step * beams + beam] = -1;
            parent = -1;
        } else {
            out[step * beams + beam] = ids[step * beams + parent];
            parent = parents[step * beams + parent]{then};
        }
    }
}
"""


def test_a_remainder_is_never_as_large_as_what_divides_it() -> None:
    rest = PARENTS.replace("{first}", " % beams").replace("{then}", " % beams")
    assert not findings(WrongBoundsGuard, rest)
    assert findings(WrongBoundsGuard, PARENTS.replace("{first}", "").replace("{then}", ""))


IMAGE = """
__global__ void invert(const unsigned char *in, unsigned char *out, int pitch) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    out[y * pitch + x] = 255 - in[y * pitch + x];
}
void run(const unsigned char *in, unsigned char *out, int width, int height, int pitch) {
    invert<<<dim3((width + 63) / 64, height), 64>>>(in, out, {pitch});
}
"""


def test_rows_with_a_pitch_of_their_own_may_be_padded_to_whole_blocks() -> None:
    def loud(text: str) -> bool:
        return any(one.severity is not Severity.NOTE for one in findings(MissingBoundsGuard, text))

    assert not loud(IMAGE.replace("{pitch}", "pitch"))
    assert loud(IMAGE.replace("{pitch}", "width"))


TILES = """
__global__ void turn(const float *in, float *out, int rows, int cols) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    {read}tile[threadIdx.y][threadIdx.x] = in[y * cols + x];
    __syncthreads();
    out[(blockIdx.x * 32 + threadIdx.y) * rows + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
void run(const float *in, float *out, int rows, int cols) {
    turn<<<dim3((cols + 31) / 32, (rows + 31) / 32), dim3(32, 32)>>>(in, out, rows, cols);
}
"""


def test_a_kernel_that_takes_tiles_for_whole_ones_is_launched_for_parts_of_them() -> None:
    def levels(text: str) -> set[Severity]:
        return {one.severity for one in findings(MissingBoundsGuard, text)}

    assert levels(TILES.replace("{read}", "")) == {Severity.WARNING}
    assert levels(TILES.replace("{read}", "if (x < cols && y < rows) ")) == {Severity.WARNING}
    checked = TILES.replace("    turn<<<", "    if (rows % 32 || cols % 32) return;\n    turn<<<")
    assert not levels(checked.replace("{read}", ""))
    alone = TILES.replace("void run", "static void run") + "int main() { float *p; run(p, p, 64, 96); }"
    assert Severity.WARNING not in levels(alone.replace("{read}", ""))


def test_what_is_read_before_its_test_is_told_once() -> None:
    text = """
__global__ void sums(const float *a, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float before = out[i];
    if (i < n) out[i] = a[i] + before;
}
void run(const float *a, float *out, int n) { sums<<<(n + 255) / 256, 256>>>(a, out, n); }
"""
    assert len(findings(MissingBoundsGuard, text)) + len(findings(LateBoundsGuard, text)) == 1


LAYERS = """
#include <cuda_runtime.h>
__global__ void heat(const float *flux, float *rate, int cols, int layers, int lit) {
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    for (int k = 0; k < LAST; ++k) rate[k * cols + c] = flux[(k + 1) * cols + c] - flux[k * cols + c];
}
int run(const float *from, int cols, int layers, int lit, float **rate) {
    CHECK
    float *flux;
    cudaMalloc(&flux, sizeof(float) * cols * (lit + 1));
    cudaMalloc(rate, sizeof(float) * cols * lit);
    cudaMemcpy(flux, from, sizeof(float) * cols * (lit + 1), cudaMemcpyHostToDevice);
    heat<<<(cols + 127) / 128, 128>>>(flux, *rate, cols, layers, lit);
    cudaFree(flux);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("last", "check", "told"),
    [
        ("layers", "if (cols <= 0 || lit <= 0 || lit > layers) return 1;", True),
        ("lit", "if (cols <= 0 || lit <= 0 || lit > layers) return 1;", False),
        ("layers", "if (cols <= 0 || lit <= 0 || lit != layers) return 1;", False),
        ("layers", "if (cols <= 0 || lit <= 0 || layers <= 0) return 1;", False),  # how they go together, callers know
        ("layers", "if (cols <= 0 || layers <= 0 || layers > lit) return 1;", False),
    ],
)
def test_sizes_that_a_check_says_may_differ(last: str, check: str, told: bool) -> None:
    text = LAYERS.replace("LAST", last).replace("CHECK", check)
    rules = (WrongBoundsGuard, MissingBoundsGuard, ArrayIndexOutOfRange)
    found = [one for rule in rules for one in findings(rule, text) if one.severity is not Severity.NOTE]
    assert bool(found) is told, [one.message for one in found]
