"""Tests that another kernel of the file, the other end of a loop over the grid, or another axis speak against."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.late_bounds_guard import LateBoundsGuard
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard
from kernlint_rules.bounds.negative_index import NegativeIndex
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import findings

LINES = """
__global__ void stretch(TYPE *a, const TYPE *by, int lines, int width) {
    int y = blockIdx.y * blockDim.y + threadIdx.y, x = blockIdx.x * blockDim.x + threadIdx.x;
    if (y HERE lines && x < width) a[y * width + x] *= by[y];
}
__global__ void move(TYPE *a, const TYPE *by, int lines, int width) {
    int y = blockIdx.y * blockDim.y + threadIdx.y, x = blockIdx.x * blockDim.x + threadIdx.x;
    if (y OTHER lines && x < width) a[y * width + x] += by[y];
}
"""


@pytest.mark.parametrize(
    ("kind", "here", "there", "bad"),
    [
        ("float", "<=", "<", True),
        ("float", "<", "<", False),
        ("float", "<=", "<=", False),
        ("int", "<=", "<", False),
    ],
)
def test_the_same_place_is_kept_below_the_size_elsewhere(kind: str, here: str, there: str, bad: bool) -> None:
    code = LINES.replace("TYPE", kind).replace("HERE", here).replace("OTHER", there)
    assert bool(findings(WrongBoundsGuard, code)) is bad


AVERAGE = """
__global__ void average(const float *x, float *y, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        float before = LEFT, after = RIGHT;
        y[i] = before + x[i] + after;
    }
}
"""


@pytest.mark.parametrize(
    ("left", "right", "bad"),
    [
        ("i > 0 ? x[i - 1] : 0.0f", "x[i + 1]", True),
        ("i > 0 ? x[i - 1] : 0.0f", "i + 1 < n ? x[i + 1] : 0.0f", False),
        ("x[i]", "x[i + 1]", False),
    ],
)
def test_a_loop_over_the_grid_begins_at_the_first_place(left: str, right: str, bad: bool) -> None:
    assert bool(findings(WrongBoundsGuard, AVERAGE.replace("LEFT", left).replace("RIGHT", right))) is bad


MASKED = """
__global__ void copy(const float *in, float *out, const unsigned char *mask, int batch, int n) {
    int b = blockIdx.y * blockDim.y + threadIdx.y, i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && MASK) out[b * n + i] = in[b * n + i];
}
void run(const float *in, float *out, const unsigned char *mask, int batch, int n) {
    dim3 block(64, 4), grid((n + 63) / 64, (batch + 3) / 4);
    copy<<<grid, block>>>(in, out, mask, batch, n);
}
"""


@pytest.mark.parametrize(("mask", "bad"), [("mask[i]", True), ("b < batch && mask[i]", False), ("mask[b]", False)])
def test_data_of_one_axis_keep_nothing_along_another(mask: str, bad: bool) -> None:
    found = findings(MissingBoundsGuard, MASKED.replace("MASK", mask))
    assert any("out[" in one.message for one in found) is bad, found


RING = """
#define R 3
__global__ void gather(const float *in, float *out, int n) {
    __shared__ float tile[64 + 2 * R];
    const int first = FIRST;
    for (int i = threadIdx.x; i < 64 + 2 * R; i += 64) {
        const int at = first + i;
        tile[i] = TEST ? in[at] : 0.0f;
    }
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x] + tile[threadIdx.x + 2 * R];
}
"""


@pytest.mark.parametrize(
    ("first", "test", "bad"),
    [
        ("blockIdx.x * 64 - R", "at < n", True),
        ("(int)(blockIdx.x * 64) - R", "at < n", True),
        ("blockIdx.x * 64 - R", "at >= 0 && at < n", False),
        ("blockIdx.x * 64 - R", "(unsigned)at < (unsigned)n", False),
        ("blockIdx.x * 64 - R", "blockIdx.x > 0 && at < n", False),
        ("blockIdx.x * 64", "at < n", False),
    ],
)
def test_the_first_block_is_in_every_launch(first: str, test: str, bad: bool) -> None:
    assert bool(findings(NegativeIndex, RING.replace("FIRST", first).replace("TEST", test))) is bad


EDGES = """
#define T 64
__global__ void soften(const float *in, float *out, int n) {
    __shared__ float tile[T + 4];
    const int first = (int)(blockIdx.x * T) - 2;
    for (int i = threadIdx.x; i < T + 4; i += T) {
        const int at = first + i;
        tile[i] = in[AT];
    }
    __syncthreads();
    const int x = blockIdx.x * T + threadIdx.x;
    if (x < n) out[x] = tile[threadIdx.x] + tile[threadIdx.x + 4];
}
"""


@pytest.mark.parametrize(
    ("at", "bad"),
    [
        ("at < 0 ? 0 : at", True),
        ("at >= 0 ? at : 0", True),
        ("at < 0 ? 0 : at < n ? at : n - 1", False),
        ("min(max(at, 0), n - 1)", False),
        ("at < n ? max(at, 0) : 0", False),
    ],
)
def test_a_clamp_to_the_first_place_holds_nothing_back(at: str, bad: bool) -> None:
    assert bool(findings(LateBoundsGuard, EDGES.replace("AT", at))) is bad


PLANES = """
__kernel void shift(__global float *s, __global const float *by, const int planes, const int length) {
    const int p = get_group_id(1) * get_local_size(1) + get_local_id(1), j = get_global_id(0);
    if (TEST) s[p * length + j] += by[p];
}
"""


@pytest.mark.parametrize(("test", "bad"), [("j < length", True), ("j < length && p < planes", False)])
def test_the_number_of_rows_that_is_passed_beside_their_length(test: str, bad: bool) -> None:
    assert bool(findings(MissingBoundsGuard, PLANES.replace("TEST", test), "opencl")) is bad
