"""Stores of what a cell holds already: for some threads, for all, and what was read too long ago."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import assert_marked

SHARED = {
    "a number is assigned to itself": """
__global__ void mirror(const float *x, float *out) {
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    if (t < 128) s[t] = s[255 - t];
    else s[t] = s[t];
    __syncthreads();
    out[t] = s[t];
}
""",
    "a vector is assigned to itself, beside a store to some of the cells": """
__global__ void mirror(const float2 *x, float2 *out) {
    __shared__ float2 s[32 * 32];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 32 + tx;
    s[t] = x[t];
    __syncthreads();
    if (ty > tx) s[t] = s[tx * 32 + ty];
    else s[t] = s[t];
    if (ty == 0) s[tx * 33] = make_float2(s[tx * 33].x, 0);
    __syncthreads();
    out[t] = s[t];
}
void run(const float2 *x, float2 *out) { mirror<<<1, dim3(32, 32)>>>(x, out); }
""",
    "a neighbour is assigned instead": """
__global__ void mirror(const float2 *x, float2 *out) {
    __shared__ float2 s[256];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    if (t < 128) s[t] = s[255 - t];
    else s[t] = s[t ^ 1];  // bad
    __syncthreads();
    out[t] = s[t];
}
""",
    "one of two, chosen by the thread": """
__global__ void mirror(const float *x, float *out) {
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    s[t] = t < 128 ? s[255 - t] : s[t];
    __syncthreads();
    out[t] = s[t];
}
""",
    "one of two, chosen the other way around": """
__global__ void mirror(const float *x, float *out) {
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    s[t] = t < 64 ? s[t] : s[255 - t];  // bad
    __syncthreads();
    out[t] = s[t];
}
""",
    "a variable that some threads change": """
__global__ void mirror(const float2 *x, float2 *out) {
    __shared__ float2 s[256];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    float2 v = s[t];
    if (t < 128) v = s[255 - t];
    s[t] = v;
    __syncthreads();
    out[t] = s[t];
}
""",
    "a variable of which all threads change a part": """
__global__ void mirror(const float2 *x, float2 *out) {
    __shared__ float2 s[256];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    float2 v = s[t];
    if (t < 128) v = s[255 - t];
    v.y = t;
    s[t] = v;  // bad
    __syncthreads();
    out[t] = s[t];
}
""",
    "what was read two phases before": """
__global__ void turn(const int *x, int *out) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    int v = s[t];
    __syncthreads();
    s[(t + 1) % 256] = 5 * t;
    __syncthreads();
    s[t] = v;
    out[t] = s[(t + 1) % 256];  // bad
}
""",
    "what the thread has overwritten since": """
__global__ void turn(const int *x, int *out) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    int v = s[t];
    s[t] = 2 * v;
    __syncthreads();
    int u = s[255 - t];
    s[t] = v;  // bad
    __syncthreads();
    out[t] = s[t] + u;
}
""",
    "another thread's store is lost to it": """
__global__ void fill(const float *x, float *out) {
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    s[t] = t < 64 ? x[t + 256] : s[t];
    if (t >= 128) s[255 - t] = 3;  // bad
    __syncthreads();
    out[t] = s[t];
}
""",
}

GLOBAL = {
    "halves of an array": """
__global__ void mirror(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = i < n / 2 ? x[n - 1 - i] : x[i];
}
""",
    "all of an array": """
__global__ void mirror(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = i < n ? x[n - 1 - i] : x[i];  // bad
}
""",
}


@pytest.mark.parametrize("code", SHARED.values(), ids=SHARED)
def test_shared(code: str) -> None:
    assert_marked(SharedMemoryRace, code)


@pytest.mark.parametrize("code", GLOBAL.values(), ids=GLOBAL)
def test_global(code: str) -> None:
    assert_marked(GlobalMemoryRace, code)
