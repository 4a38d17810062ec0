"""Dynamic shared arrays that overlap, and arrays that do not."""

from __future__ import annotations

import pytest
from kernlint_rules.memory.aliased_dynamic_shared import AliasedDynamicShared

from tests.rules.marked import assert_marked

CASES = {
    "two of one type": """
__global__ void k(const float *x, float *y) {
    extern __shared__ float a[];
    extern __shared__ float b[];
    a[threadIdx.x] = x[threadIdx.x];
    b[threadIdx.x] = 2.0f * x[threadIdx.x]; // bad
    __syncthreads();
    y[threadIdx.x] = a[blockDim.x - 1 - threadIdx.x] + b[threadIdx.x];
}
""",
    "declared for the file": """
extern __shared__ float sums[];
extern __shared__ int counts[];
__global__ void k(const float *x, float *y) {
    sums[threadIdx.x] = x[threadIdx.x];
    counts[threadIdx.x] = 1; // bad
    __syncthreads();
    y[threadIdx.x] = sums[0] / counts[0];
}
""",
    "one name in two functions": """
__device__ float first() {
    extern __shared__ float pool[];
    return pool[0];
}
__global__ void k(const float *x, float *y) {
    extern __shared__ float pool[];
    pool[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = first() + pool[threadIdx.x];
}
""",
    "the second behind the first": """
__global__ void k(const float *x, float *y, int n) {
    extern __shared__ float a[];
    extern __shared__ int b[];
    a[threadIdx.x] = x[threadIdx.x];
    b[n + threadIdx.x] = threadIdx.x;
    __syncthreads();
    y[threadIdx.x] = a[b[n + threadIdx.x]];
}
""",
    "one after the other": """
__global__ void k(const float *x, float *y) {
    extern __shared__ float a[];
    extern __shared__ int b[];
    a[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    float v = a[blockDim.x - 1 - threadIdx.x];
    __syncthreads();
    b[threadIdx.x] = (int)v;
    __syncthreads();
    y[threadIdx.x] = b[0];
}
""",
    "extents of a template": """
template <int N> __global__ void k(const float *x, float *y) {
    __shared__ float a[N];
    __shared__ float b[N];
    a[threadIdx.x] = x[threadIdx.x];
    b[threadIdx.x] = x[threadIdx.x + N];
    __syncthreads();
    y[threadIdx.x] = a[N - 1 - threadIdx.x] + b[N - 1 - threadIdx.x];
}
""",
}


@pytest.mark.parametrize("code", CASES.values(), ids=CASES.keys())
def test_arrays(code: str) -> None:
    assert_marked(AliasedDynamicShared, code)
