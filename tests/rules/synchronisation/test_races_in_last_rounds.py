"""Races that show in the last round of a loop, in a tile that is full, or in what a private array holds."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import assert_marked

SHARED = {
    "labels of a tile are read in the last chunk while the next tile is loaded": """
__global__ void tally(const int *labels, const float *x, float *out, int n, int width) {
    __shared__ int tile[256];
    int tid = threadIdx.y * 32 + threadIdx.x, f = blockIdx.x * 32 + threadIdx.x;
    float sum = 0;
    for (int base = 0; base < n; base += 256) {
        int len = min(n - base, 256);
        if (tid < len) tile[tid] = labels[base + tid]; // bad
        for (int c = 0; c < len; c += 8) {
            __syncthreads();
            int row = c + threadIdx.y;
            if (row < len && f < width && tile[row] > 0) sum += x[(size_t)(base + row) * width + f];
        }
    }
    if (f < width) atomicAdd(&out[f], sum);
}
void run(const int *labels, const float *x, float *out, int n, int width) {
    tally<<<(width + 31) / 32, dim3(32, 8)>>>(labels, x, out, n, width);
}
""",
    "and with a barrier at the tile's end": """
__global__ void tally(const int *labels, const float *x, float *out, int n, int width) {
    __shared__ int tile[256];
    int tid = threadIdx.y * 32 + threadIdx.x, f = blockIdx.x * 32 + threadIdx.x;
    float sum = 0;
    for (int base = 0; base < n; base += 256) {
        int len = min(n - base, 256);
        if (tid < len) tile[tid] = labels[base + tid];
        for (int c = 0; c < len; c += 8) {
            __syncthreads();
            int row = c + threadIdx.y;
            if (row < len && f < width && tile[row] > 0) sum += x[(size_t)(base + row) * width + f];
        }
        __syncthreads();
    }
    if (f < width) atomicAdd(&out[f], sum);
}
void run(const int *labels, const float *x, float *out, int n, int width) {
    tally<<<(width + 31) / 32, dim3(32, 8)>>>(labels, x, out, n, width);
}
""",
    "a search in a run that the next pair of runs overwrites, in a grid that is capped": """
__device__ int rank_of(const int *run, int n, int key) {
    int at = 0;
    while (n > 0) {
        int half = n / 2;
        if (run[at + half] < key) { at += half + 1; n -= half + 1; }
        else n = half;
    }
    return at;
}
__global__ void ranks(const int *keys, const int *others, int *out, long n, long pairs) {
    __shared__ int run[128];
    for (long p = blockIdx.x; p < pairs; p += gridDim.x) {
        long base = p * 128;
        int len = (int)min(n - base, 128L);
        if (threadIdx.x < len) run[threadIdx.x] = others[base + threadIdx.x]; // bad
        __syncthreads();
        if (threadIdx.x < len) out[base + threadIdx.x] = rank_of(run, len, keys[base + threadIdx.x]);
    }
}
void run(const int *keys, const int *others, int *out, long n) {
    long pairs = (n + 127) / 128;
    ranks<<<pairs < 256 ? pairs : 256, 128>>>(keys, others, out, n, pairs);
}
""",
    "counts are cleared under a condition on data while others still copy them": """
__device__ int pick(int *bins, const int *keys, int n) {
    if (threadIdx.x < 4) bins[threadIdx.x] = 0; // bad
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += 256) atomicAdd(&bins[keys[i] & 3], 1);
    __syncthreads();
    int mine[4];
    for (int b = 0; b < 4; b++) mine[b] = bins[b];
    return mine[n & 3];
}
__global__ void twice(const int *keys, int *out, int n) {
    __shared__ int bins[4];
    int first = pick(bins, keys, n);
    if (first > 7) first += pick(bins, keys, n / 2);
    if (threadIdx.x == 0) out[blockIdx.x] = first;
}
void run(const int *keys, int *out, int n) { twice<<<64, 256>>>(keys, out, n); }
""",
}

GLOBAL = {
    "what a thread has gathered for itself, all of it in one place": """
__global__ void nearest(const float *x, float *out, int n, int k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float best[16];
    for (int j = 0; j < k; j++) best[j] = x[(size_t)i * k + j];
    for (int j = 0; j < k; j++) out[j] = best[j]; // bad
}
""",
    "a table that all threads make alike": """
__global__ void table(const float *weights, float *out) {
    float w[4];
    for (int j = 0; j < 4; j++) w[j] = weights[j] * 2;
    for (int j = 0; j < 4; j++) out[j] = w[j];
}
void run(const float *weights, float *out) { table<<<4, 256>>>(weights, out); }
""",
    "a table that begins with a thread's own": """
__global__ void table(const float *weights, float *out) {
    float w[2] = {weights[threadIdx.x], 1};
    w[1] = 2;
    for (int j = 0; j < 2; j++) out[j] = w[j]; // bad
}
void run(const float *weights, float *out) { table<<<4, 256>>>(weights, out); }
""",
    "the column that all divide by is rewritten beside": """
__global__ void eliminate(float *a, int n, int k) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row <= k || row >= n || column < k || column >= n) return;
    float factor = a[row * n + k] / a[k * n + k];
    a[row * n + column] -= factor * a[k * n + column]; // bad
}
void run(float *a, int n) {
    dim3 block(16, 16), grid((n + 15) / 16, (n + 15) / 16);
    for (int k = 0; k < n; k++) eliminate<<<grid, block>>>(a, n, k);
}
""",
    "the column that all divide by is left alone": """
__global__ void eliminate(float *a, int n, int k) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row <= k || row >= n || column <= k || column >= n) return;
    float factor = a[row * n + k] / a[k * n + k];
    a[row * n + column] -= factor * a[k * n + column];
}
void run(float *a, int n) {
    dim3 block(16, 16), grid((n + 15) / 16, (n + 15) / 16);
    for (int k = 0; k < n; k++) eliminate<<<grid, block>>>(a, n, k);
}
""",
    "cells of a plane, whose sides are differences of ends": """
struct Box { int x0, y0, z0, x1, y1, z1; };
struct Sum {
    const float *cells;
    float *planes;
    Box box;
    __device__ void operator()(int i, int j, int k, long at) const { planes[k - box.z0] += cells[at]; } // bad
};
template <typename F> __global__ void each(Box box, long cells, F f) {
    long wide = box.x1 - box.x0 + 1, high = box.y1 - box.y0 + 1;
    for (long at = (long)blockIdx.x * blockDim.x + threadIdx.x; at < cells; at += (long)gridDim.x * blockDim.x) {
        f(box.x0 + (int)(at % wide), box.y0 + (int)(at / wide % high), box.z0 + (int)(at / (wide * high)), at);
    }
}
void run(Box box, long cells, const float *x, float *planes) {
    each<<<256, 256>>>(box, cells, Sum{x, planes, box});
}
""",
}


@pytest.mark.parametrize("name", SHARED)
def test_shared(name: str) -> None:
    assert_marked(SharedMemoryRace, SHARED[name])


@pytest.mark.parametrize("name", GLOBAL)
def test_global(name: str) -> None:
    assert_marked(GlobalMemoryRace, GLOBAL[name])
