"""Whole groups that a test of multiples of the group's size lets by or keeps away, along each axis."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.barrier_divergence import BarrierDivergence

from tests.rules.marked import assert_marked

OPENCL = """
__kernel __attribute__((reqd_work_group_size(8, 8, 1)))
void tiles(__global float *x, const int rows, const int columns) {
    __local float tile[8][8];
    const int c = get_local_id(0) + get_group_id(0) * 8;
    const int r = get_local_id(1) * %s + get_group_id(1) * %s;
    if ((c < (columns / 8) * 8) && (r < (rows / %s) * %s)) {
        tile[get_local_id(1)][get_local_id(0)] = x[r * columns + c];
        barrier(CLK_LOCAL_MEM_FENCE);%s
        x[r * columns + c] = tile[7 - get_local_id(1)][get_local_id(0)];
    } else {
        x[0] = 0.0f;
    }
}
"""

CUDA = """
__global__ void rows(float *x, int n) {
    __shared__ float row[128];
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (!(r >= n / %d * %d || n == 1)) {
        row[threadIdx.x] = x[r];
        __syncthreads();%s
        x[r] = row[127 - threadIdx.x];
    }
    x[0] = 1.0f;
}
void run(float *x, int n) { rows<<<dim3(1, n), dim3(128, 4)>>>(x, n); }
"""


@pytest.mark.parametrize(
    ("own", "group", "size", "mark"),
    [
        ("1", "8", "8", ""),
        ("1", "8", "4", "  // bad"),
        ("2", "16", "16", ""),
        ("2", "16", "8", "  // bad"),
        ("1", "4", "4", "  // bad"),
    ],
)
def test_a_required_group(own: str, group: str, size: str, mark: str) -> None:
    assert_marked(BarrierDivergence, OPENCL % (own, group, size, size, mark), "opencl")


@pytest.mark.parametrize(("size", "mark"), [(4, ""), (8, ""), (2, "  // bad"), (6, "  // bad")])
def test_a_block_of_a_launch_and_a_test_turned_round(size: int, mark: str) -> None:
    assert_marked(BarrierDivergence, CUDA % (size, size, mark))


UNSEEN = """
__global__ void columns(float *x, int n) {
    __shared__ float column[64];
    int c = blockIdx.x * 64 + threadIdx.x * %d;
    if (c < n / %d * %d && n != 1) {
        column[threadIdx.x] = x[c];
        __syncthreads();%s
        x[c] = column[0];
    }
    x[0] = 1.0f;
}
"""


@pytest.mark.parametrize(("own", "size", "mark"), [(1, 64, ""), (4, 128, ""), (1, 32, "  // bad"), (3, 64, "  // bad")])
def test_a_block_is_as_large_as_the_work_of_each(own: int, size: int, mark: str) -> None:
    assert_marked(BarrierDivergence, UNSEEN % (own, size, size, mark))
