"""Launches whose sizes the host computes in floating point."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard
from kernlint_rules.launch.dynamic_shared_memory_omitted import DynamicSharedMemoryOmitted

from tests.rules.marked import assert_pair

HALO = """
#include <cmath>
__global__ void halo(const float *x, float *y, int n, int taps, int width) {
    extern __shared__ float tile[];
    int cells = width + 2 * (int)ceil(taps / 2.0);
    for (int i = threadIdx.x; i <= cells; i += blockDim.x) tile[i] = 0.f;  // only bad
    for (int i = threadIdx.x; i < cells; i += blockDim.x) tile[i] = 0.f;  // only good
    __syncthreads();
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < n) y[at] = x[at] + tile[threadIdx.x % cells];
}
void run(const float *x, float *y, int n, int taps, int width) {
    size_t bytes = (width + 2 * (int)ceil(taps / 2.0)) * sizeof(float);
    halo<<<(n + 255) / 256, 256, bytes>>>(x, y, n, taps, width);  // bad
}
"""

GRID = """
#include <cmath>
#include <cuda_runtime.h>
__global__ void scale(float *y, int n) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n) return;  // only good
    y[at] *= 2.f;  // bad
}
void run(float *y, int n) {
    const int threads = 192;
    dim3 grid(BLOCKS);
    scale<<<grid, threads>>>(y, n);
}
"""

ALLOCATED = """
#include <cmath>
#include <cuda_runtime.h>
__global__ void sums(const float *x, float *out, int n) {
    __shared__ float part[128];
    int at = blockIdx.x * 128 + threadIdx.x;
    part[threadIdx.x] = at < n ? x[at] : 0.f;
    __syncthreads();
    if (threadIdx.x == 0) {
        float all = 0.f;
        for (int i = 0; i < 128; ++i) all += part[i];
        out[blockIdx.x] = all;  // bad
    }
}
void run(const float *x, int n) {
    float *out;
    cudaMalloc(&out, (n / 128) * sizeof(float));  // only bad
    cudaMalloc(&out, (size_t)ceil(n / 128.0) * sizeof(float));  // only good
    sums<<<(unsigned)ceil(n / 128.0), 128>>>(x, out, n);
    cudaFree(out);
}
"""


def test_shared_memory_of_half_the_taps() -> None:
    assert_pair(DynamicSharedMemoryOmitted, HALO)


@pytest.mark.parametrize(
    "blocks",
    [
        "ceil(n / 192.0)",
        "(unsigned)ceilf((float)n / threads)",
        "std::ceil(1.0 * n / threads), 1, 1",
        "floor(n / 192.f) + 1",
    ],
)
def test_surplus_threads(blocks: str) -> None:
    assert_pair(MissingBoundsGuard, GRID.replace("BLOCKS", blocks))


def test_a_buffer_of_one_block_less() -> None:
    assert_pair(ArrayIndexOutOfRange, ALLOCATED)
