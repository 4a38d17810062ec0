"""Shuffles that read from lanes which have returned before them."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.divergent_warp_intrinsic import DivergentWarpIntrinsic

from kernlint.finding import Severity
from tests.rules.marked import assert_pair, findings

COLUMNS = """
__global__ void gather(const int *row, const float *weight, const float *x, float *y, int rows, int width) {
    const int r = blockIdx.x * 8 + threadIdx.y, c = blockIdx.y * 32 + threadIdx.x;
    if (r >= rows || c >= width) return;  // only bad
    if (r >= rows) return;  // only good
    float s = 0.0f;
    for (int k = row[r]; k < row[r + 1]; k += 32) {
        const float own = k + threadIdx.x < row[r + 1] ? weight[k + threadIdx.x] : 0.0f;
        for (int j = 0; j < 32 && k + j < row[r + 1]; ++j) {
            const float w = __shfl_sync(~0u, own, j);  // bad
            if (c < width) s += w * x[(k + j) * width + c];  // only good
            s += w * x[(k + j) * width + c];  // only bad
        }
    }
    if (c < width) y[r * width + c] = s;  // only good
    y[r * width + c] = s;  // only bad
}
void run(const int *row, const float *weight, const float *x, float *y, int rows, int width) {
    gather<<<dim3((rows + 7) / 8, (width + 31) / 32), dim3(32, 8)>>>(row, weight, x, y, rows, width);
}
"""

NEIGHBOURS = """
template <typename T> __device__ T above(T v) { return __shfl_down_sync(0xffffffff, v, 1); }  // bad
__global__ void slopes(const float *z, float *slope, int samples) {
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= samples) return;  // only bad
    const float here = i < samples ? z[i] : 0.0f;
    const float next = above(here);
    if (i < samples) slope[i] = next - here;  // only good
    slope[i] = next - here;  // only bad
}
void run(const float *z, float *slope, int samples) {
    slopes<<<(samples - 1) / 256 + 1, 256>>>(z, slope, samples);
}
"""


@pytest.mark.parametrize("code", [COLUMNS, NEIGHBOURS], ids=["columns", "neighbours"])
def test_lanes_that_others_read_from(code: str) -> None:
    assert_pair(DivergentWarpIntrinsic, code)


SILENT = {
    "the first lane, which is there while any is": """
__global__ void k(const int *x, int *o, int n) {
    const int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n) return;
    o[i] = x[i] - __shfl_sync(0xffffffffu, x[i], 0);
}
void run(const int *x, int *o, int n) { k<<<(n + 127) / 128, 128>>>(x, o, n); }
""",
    "whoever has a neighbour chooses": """
__global__ void k(const int *x, int *o, int n) {
    const int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n) return;
    const int next = __shfl_down_sync(0xffffffffu, x[i], 1);
    o[i] = i + 1 < n ? next - x[i] : 0;
}
void run(const int *x, int *o, int n) { k<<<(n + 127) / 128, 128>>>(x, o, n); }
""",
    "whole warps, by what the host checks": """
__global__ void k(const int *x, int *o, int n) {
    const int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n) return;
    o[i] = x[i] - __shfl_xor_sync(0xffffffffu, x[i], 1);
}
void run(const int *x, int *o, int n) {
    if (n % 32 != 0) return;
    k<<<(n + 127) / 128, 128>>>(x, o, n);
}
""",
    "rows, one for each warp": """
__global__ void k(const int *x, int *o, int rows) {
    const int r = blockIdx.x * 4 + threadIdx.x / 32;
    if (r >= rows) return;
    int v = x[r * 32 + threadIdx.x % 32];
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
    if (threadIdx.x % 32 == 0) o[r] = v;
}
void run(const int *x, int *o, int rows) { k<<<(rows + 3) / 4, 128>>>(x, o, rows); }
""",
}


@pytest.mark.parametrize("code", SILENT.values(), ids=SILENT)
def test_lanes_of_which_nobody_keeps_anything(code: str) -> None:
    assert not findings(DivergentWarpIntrinsic, code)


BRANCH = """
__global__ void k(const int *x, int *o, int n) {
    const int i = blockIdx.x * 128 + threadIdx.x;
    if (i < n) {
        int v = x[i];
        STEP
        if (threadIdx.x % 8 == 0) o[i / 8] = v;
    }
    AFTER
}
"""
DOWN = "for (int d = 4; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d, 8);"
UP = "for (int d = 1; d < 8; d *= 2) { int w = __shfl_up_sync(0xffffffffu, v, d); if (i % 8 >= d) v = max(v, w); }"
COUNT = "v = __popc(__ballot_sync(0xffffffffu, v > 0));"


@pytest.mark.parametrize(
    ("step", "after", "rank"),
    [
        (UP, "", Severity.NOTE),
        (UP, "o[n + i] = 1;", Severity.WARNING),
        (UP, "__syncwarp();", Severity.WARNING),
        (DOWN, "", Severity.WARNING),
        (COUNT, "", Severity.WARNING),
    ],
    ids=["nobody reads from them", "they store", "they wait", "their numbers are kept", "a vote"],
)
def test_a_branch_around_all_there_is(step: str, after: str, rank: Severity) -> None:
    (found,) = findings(DivergentWarpIntrinsic, BRANCH.replace("STEP", step).replace("AFTER", after))
    assert found.severity is rank
