"""Loops that go over whole blocks of work, by remainders: all threads of a block are in each round."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.barrier_divergence import BarrierDivergence

from tests.rules.marked import assert_marked

LOOP = """
__global__ void mirror(const float *x, float *out, int n) {
    __shared__ float tile[256];
    int first = %s, stride = %s;
    int end = %s;
    for (int i = first; i < end; i += stride) {
        tile[threadIdx.x] = i < n ? x[i] : 0;
        __syncthreads();%s
        if (i < n) out[i] = tile[threadIdx.x ^ 1];
        __syncthreads();
    }
}
"""
BLOCK = ("threadIdx.x", "blockDim.x")
GRID = ("blockIdx.x * blockDim.x + threadIdx.x", "gridDim.x * blockDim.x")


@pytest.mark.parametrize(
    "of",
    [
        (*BLOCK, "n - n % blockDim.x", ""),
        (*BLOCK, "n + (blockDim.x - n % blockDim.x) % blockDim.x", ""),
        (*GRID, "n + (stride - n % stride) % stride", ""),
        (*BLOCK, "n - n % 100", " // bad"),
        (*BLOCK, "n - (n + 1) % blockDim.x", " // bad"),
        (*GRID, "n + stride - n % 7", " // bad"),
    ],
)
def test_remainders(of: tuple[str, str, str, str]) -> None:
    assert_marked(BarrierDivergence, LOOP % of)


SETTLES = """
__global__ void settle(float *x, float least) {
    __shared__ float tile[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    for (int round = 0; round < 100; round++) {
        tile[t] = x[i];%s
        __syncthreads();%s
        float apart = tile[%s] - tile[%s];
        if (fabsf(apart) < least) break;
        __syncthreads();
        x[i] += 0.5f * apart;
    }
}
"""


@pytest.mark.parametrize(
    "of",
    [
        ("", " // bad", "(t + 1) & 255", "t"),
        ("", "", "255", "0"),
        (" tile[0] = least;", "", "(t + 1) & 255", "t"),
    ],
)
def test_what_each_thread_put_there(of: tuple[str, str, str, str]) -> None:
    assert_marked(BarrierDivergence, SETTLES % of)
