"""Variables that are only updated, tables larger than a block, tiles whose only round is a short one."""

from __future__ import annotations

import pytest
from kernlint_rules.memory.uninitialised_private import UninitialisedPrivate
from kernlint_rules.memory.uninitialised_shared_memory import UninitialisedSharedMemory

from tests.rules.marked import assert_marked

PRIVATE = {
    "a count under conditions on data": """
__global__ void count(const int *a, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int hits;
    if (i < n) {
        for (int k = 0; k < 9; ++k)
            if (a[i * 9 + k] > 0) ++hits; // bad
        out[i] = hits;
    }
}
""",
    "a sum that goes to shared memory": """
__global__ void mean(const float *x, float *out, int n) {
    __shared__ float part[128];
    float sum;
    for (int i = threadIdx.x; i < n; i += 128) sum += x[i]; // bad
    part[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) for (int i = 0; i < 128; ++i) atomicAdd(out, part[i]);
}
""",
    "updates in a helper": """
struct Force { float x, y; };
__device__ inline void add(Force &to, float x, float y) { to.x += x; to.y += y; }
__global__ void forces(const float2 *p, Force *out, const int *many, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Force sum;
    for (int k = 0; k < many[i]; ++k) add(sum, p[k].x, p[k].y); // bad
    out[i] = sum;
}
""",
    "a helper that sets it": """
struct Force { float x, y; };
__device__ inline void clear(Force &to) { to.x = 0.0f; to.y = 0.0f; }
__device__ inline void add(Force &to, float x, float y) { to.x += x; to.y += y; }
__device__ void start(int &count);
__global__ void forces(const float2 *p, Force *out, const int *many, int *counts, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Force sum;
    int count;
    clear(sum);
    start(count);
    for (int k = 0; k < many[i]; ++k) { add(sum, p[k].x, p[k].y); ++count; }
    out[i] = sum;
    counts[i] = count;
}
""",
    "the first round sets it, or an address does, and what nobody looks at": """
__global__ void largest(const float *a, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float most;
    for (int k = 0; k < 8; ++k) most = k == 0 ? a[i * 8] : fmaxf(most, a[i * 8 + k]);
    int rounds, *at = &rounds;
    *at = 0;
    rounds += 1;
    int unused;
    ++unused;
    out[i] = most + rounds;
}
""",
    "an array that a call of numbers reads": """
__global__ void box(const float *p, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float low[2], high[2];
    for (int d = 0; d < 2; ++d) low[d] = 1e30f;
    for (int k = 0; k < 8; ++k) {
        low[0] = fminf(low[0], p[i * 8 + k]);
        high[0] = fmaxf(high[0], p[i * 8 + k]); // bad
    }
    out[i] = low[0] + high[0];
}
""",
}

SHARED = {
    "one cell each is set of a table that may be larger than the block": """
__kernel void bins(__global const int *data, __global uint *out, const int n, const int many) {
    __local uint table[1024];
    const int l = get_local_id(0), step = get_local_size(0);
    if (l < many) table[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&table[data[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int b = l; b < many; b += step) atomic_add(&out[b], table[b]); // bad
}
""",
    "all of it is set": """
__kernel void bins(__global const int *data, __global uint *out, const int n, const int many) {
    __local uint table[1024];
    const int l = get_local_id(0), step = get_local_size(0);
    for (int b = l; b < many; b += step) table[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&table[data[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int b = l; b < many; b += step) atomic_add(&out[b], table[b]);
}
""",
    "the only round is a short one": """
__global__ void rows(const float *a, float *out, int m, int k) {
    __shared__ float tile[16][16];
    int r = blockIdx.y * 16 + threadIdx.y;
    float sum = 0.0f;
    for (int t = 0; t < (k + 15) / 16; ++t) {
        if (r < m && t * 16 + threadIdx.x < k) tile[threadIdx.y][threadIdx.x] = a[r * k + t * 16 + threadIdx.x];
        __syncthreads();
        for (int i = 0; i < 16; ++i) sum += tile[threadIdx.y][i]; // bad
        __syncthreads();
    }
    if (r < m && threadIdx.x == 0) out[r] = sum;
}
""",
    "as far as there are columns": """
__global__ void rows(const float *a, float *out, int m, int k) {
    __shared__ float tile[16][16];
    int r = blockIdx.y * 16 + threadIdx.y;
    float sum = 0.0f;
    for (int t = 0; t < k; t += 16) {
        if (r < m && t + threadIdx.x < k) tile[threadIdx.y][threadIdx.x] = a[r * k + t + threadIdx.x];
        __syncthreads();
        for (int i = 0; i < 16 && t + i < k; ++i) sum += tile[threadIdx.y][i];
        __syncthreads();
    }
    if (r < m && threadIdx.x == 0) out[r] = sum;
}
""",
    "a branch of a template that nobody instantiates with numbers": """
template <int axis> __global__ void line(const int *in, int *out) {
    __shared__ int tile[64];
    if (axis == 0) tile[threadIdx.x] = in[threadIdx.x];
    else if (axis == 1) tile[threadIdx.x] = in[threadIdx.x * 64];
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x];
}
""",
    "a first cell that no thread sets": """
__global__ void shift(const int *in, int *out, int n) {
    __shared__ int line[257];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    line[t + 1] = i < n ? in[i] : 0;
    __syncthreads();
    if (i < n) out[i] = line[t]; // bad
}
""",
    "a first cell that one thread sets": """
__global__ void shift(const int *in, int *out, int n) {
    __shared__ int line[257];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    line[t + 1] = i < n ? in[i] : 0;
    if (t == 0) line[0] = 0;
    __syncthreads();
    if (i < n) out[i] = line[t];
}
""",
}


@pytest.mark.parametrize("name", PRIVATE)
def test_variables_that_are_only_updated(name: str) -> None:
    assert_marked(UninitialisedPrivate, PRIVATE[name])


@pytest.mark.parametrize("name", SHARED)
def test_sizes_other_than_the_block(name: str) -> None:
    language = "opencl" if "__kernel" in SHARED[name] else "cuda"
    assert_marked(UninitialisedSharedMemory, SHARED[name], language)
