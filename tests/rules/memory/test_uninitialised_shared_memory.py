"""Shared memory that nobody has set."""

from __future__ import annotations

import pytest
from kernlint_rules.memory.uninitialised_shared_memory import UninitialisedSharedMemory

from tests.rules.marked import assert_marked

CASES = {
    "a sum that starts anywhere": """
__global__ void k(const float *a, float *o) {
    __shared__ float s;
    atomicAdd(&s, a[threadIdx.x]); // bad
    __syncthreads();
    if (threadIdx.x == 0) *o = s;
}
""",
    "never written": """
__global__ void k(float *o) {
    __shared__ float s[128];
    o[threadIdx.x] = s[threadIdx.x]; // bad
}
""",
    "warps without work": """
__global__ void k(const float *a, float *o, int n) {
    __shared__ float part[8];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float v = 0;
    for (int i = threadIdx.x; i < n; i += 256) v += a[i];
    if (threadIdx.x < n && lane == 0) part[warp] = v;
    __syncthreads();
    if (threadIdx.x < 8) o[threadIdx.x] = part[threadIdx.x]; // bad
}
""",
    "guarded on both sides": """
__global__ void k(const float *a, float *o, int n) {
    __shared__ float s[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) s[threadIdx.x] = a[i];
    __syncthreads();
    if (i < n) o[i] = s[threadIdx.x] * 2;
}
""",
    "filled by strides": """
__global__ void k(const float *a, float *o) {
    __shared__ float s[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) s[i] = a[i];
    __syncthreads();
    o[threadIdx.x] = s[1023 - threadIdx.x];
}
""",
    "filled by a function not in sight": """
__device__ void fill(float *s, const float *a);
__global__ void k(const float *a, float *o) {
    __shared__ float s[128];
    fill(s, a);
    __syncthreads();
    o[threadIdx.x] = s[threadIdx.x];
}
""",
}


@pytest.mark.parametrize("name", CASES)
def test_cases(name: str) -> None:
    assert_marked(UninitialisedSharedMemory, CASES[name])
