"""Barriers in a branch that whole warps have no work for."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.barrier_divergence import BarrierDivergence

from kernlint.finding import Severity
from tests.rules.marked import findings

KERNEL = """
__global__ void rows(float *x, const int *lengths, int rows, int width) {
    __shared__ float most[32];
    int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    int row = blockIdx.x * (blockDim.x >> 5) + WARP;
    if (COND) {
        float v = x[row * width + lane];
        if (lane == 0) most[warp] = v;
        __syncthreads();
        x[row * width + lane] = v - most[warp];
    }
    AFTER
}
"""


@pytest.mark.parametrize(
    ("cond", "warp", "after", "bad"),
    [
        ("row < rows", "warp", "", False),
        ("(threadIdx.x & 992) * 2 < lengths[blockIdx.x]", "warp", "", False),
        ("row < rows", "threadIdx.x", "", True),
        ("row < rows", "warp", "__syncthreads(); x[threadIdx.x] += most[0];", True),
        ("warp < 2", "warp", "", True),
        ("lane < rows", "warp", "", True),
    ],
)
def test_branch(cond: str, warp: str, after: str, bad: bool) -> None:
    text = KERNEL.replace("COND", cond).replace("WARP", warp).replace("AFTER", after)
    told = [one for one in findings(BarrierDivergence, text) if one.severity is not Severity.NOTE]
    assert bool(told) is bad


LAUNCHED = """
__global__ void peaks(float *x, int rows, int width) {
    __shared__ float most[4][32];
    int at = blockIdx.x * 4 + threadIdx.y;
    if (at < rows) {
        most[threadIdx.y][threadIdx.x] = x[at * width + threadIdx.x];
        __syncthreads();
        x[at * width + threadIdx.x] -= most[threadIdx.y][31 - threadIdx.x];
    }
}
void run(float *x, int rows, int width) {
    CHECK
    peaks<<<GRID, dim3(32, 4)>>>(x, rows, width);
}
"""


@pytest.mark.parametrize(
    ("grid", "check", "bad"),
    [
        ("(rows + 3) / 4", "", True),
        ("(rows - 1) / 4 + 1", "", True),
        ("(rows + 3) / 4", "if (rows % 4) return;", False),
        ("rows / 4", "", False),
        ("(width + 3) / 4", "", False),  # of which nobody knows what the rows have to do with it
    ],
)
def test_a_launch_that_leaves_a_block_partly_filled(grid: str, check: str, bad: bool) -> None:
    text = LAUNCHED.replace("GRID", grid).replace("CHECK", check)
    told = [one for one in findings(BarrierDivergence, text) if one.severity is not Severity.NOTE]
    assert bool(told) is bad
