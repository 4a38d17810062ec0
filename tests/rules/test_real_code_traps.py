"""Kinds of false alarm that real code showed, and the faults beside them that must still be seen."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange
from kernlint_rules.bounds.late_bounds_guard import LateBoundsGuard
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard
from kernlint_rules.indexing.floating_point_index import FloatingPointIndex
from kernlint_rules.indexing.index_overflow import IndexOverflow
from kernlint_rules.language.language_error import LanguageError
from kernlint_rules.launch.launch_limits import LaunchLimits
from kernlint_rules.memory.uninitialised_shared_memory import UninitialisedSharedMemory
from kernlint_rules.synchronisation.barrier_divergence import BarrierDivergence
from kernlint_rules.synchronisation.divergent_warp_intrinsic import DivergentWarpIntrinsic
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace
from kernlint_rules.synchronisation.missing_warp_sync import MissingWarpSync
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from kernlint.finding import Severity
from kernlint.rule import RuleClass
from tests.rules.marked import assert_marked, findings

CASES: dict[str, tuple[RuleClass, str]] = {
    "rows of a shared array whose length comes from a missing header": (
        SharedMemoryRace,
        """
#include "sizes.h"
#define SIDE tile_side
__global__ void turn(float *out, const float *in, int w) {
    __shared__ float tile[SIDE][SIDE + 1], other[EDGE][EDGE];
    int i = (blockIdx.y * SIDE + threadIdx.y) * w + blockIdx.x * SIDE + threadIdx.x;
    tile[threadIdx.y][threadIdx.x] = in[i];
    other[threadIdx.y][threadIdx.x] = in[i];
    __syncthreads();
    out[i] = tile[threadIdx.x][threadIdx.y] + other[threadIdx.x][threadIdx.y];
}
""",
    ),
    "shared memory whose declaration was not understood": (
        UninitialisedSharedMemory,
        """
__global__ void turn(float *out, const float *in, int w) {
    __shared__ float row[w];
    row[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = row[w - 1 - threadIdx.x];
}
""",
    ),
    "a view of an object by a type that the host excludes": (
        ArrayIndexOutOfRange,
        """
template <typename T>
__global__ void pack(const T *in, T *out) {
    const int4 held = *reinterpret_cast<const int4 *>(&in[threadIdx.x * 8]);
    const T *v = reinterpret_cast<const T *>(&held);
    T sum = 0;
    for (int k = 0; k < 8; ++k) sum += v[k];
    out[threadIdx.x] = sum;
}
void run(const void *in, void *out, int kind) {
    if (kind == 1) pack<float><<<1, 64>>>((const float *)in, (float *)out);
    else pack<short><<<1, 64>>>((const short *)in, (short *)out);
}
""",
    ),
    "the same view by one type": (
        ArrayIndexOutOfRange,
        """
__global__ void pack(const float *in, float *out) {
    const int4 held = *reinterpret_cast<const int4 *>(&in[threadIdx.x * 8]);
    const float *v = reinterpret_cast<const float *>(&held);
    float sum = 0;
    for (int k = 0; k < 8; ++k) sum += v[k]; // bad
    out[threadIdx.x] = sum;
}
""",
    ),
    "a position computed in an array of the thread's own": (
        FloatingPointIndex,
        """
__global__ void turn(const float *in, float *out, const float *m, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    float at[2] = {m[0] * x + m[1] * y, m[2] * x + m[3] * y};
    int u = at[0];
    if (x < width && u >= 0 && u < width) out[y * width + x] = in[y * width + u];
}
""",
    ),
    "a flattened index of the block beside rows of x": (
        GlobalMemoryRace,
        """
__global__ void rows(float *out, unsigned *clear, const float *in, int dim, int n) {
    int at = blockIdx.x * dim + threadIdx.x;
    if (threadIdx.x < dim) out[at] = in[at] * 2.0f;
    unsigned block = blockIdx.x * gridDim.y + blockIdx.y;
    unsigned all = gridDim.x * gridDim.y * blockDim.x;
    for (unsigned k = block * blockDim.x + threadIdx.x; k < n; k += all) clear[k] = 0u;
}
""",
    ),
    "a loop from and to the thread's own element": (
        BarrierDivergence,
        """
__global__ void steps(float *d, const float *v, int T, int C, int B, int H) {
    __shared__ float k[64];
    const int tid = threadIdx.x, b = blockIdx.x / H, h = blockIdx.x % H, n = T / B;
    for (int t = b * n * C + h * 64 + tid; t < (b + 1) * n * C + h * 64 + tid; t += C) {
        __syncthreads();
        k[tid] = v[t];
        __syncthreads();
        d[t] = k[63 - tid];
    }
}
""",
    ),
    "readers picked in floating point": (
        SharedMemoryRace,
        """
__global__ void __launch_bounds__(256) sums(const float *in, float *out, int n) {
    __shared__ float part[33];
    for (int i = 0; i < n; ++i) {
        if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = in[i * 256 + threadIdx.x];
        __syncthreads();
        float v = threadIdx.x < (blockDim.x / 32.f) ? part[threadIdx.x % 32] : 0.0f;
        __syncthreads();
        if (threadIdx.x < 8) out[i * 8 + threadIdx.x] = v;
    }
}
""",
    ),
    "a scratch array of a helper that is called twice": (
        SharedMemoryRace,
        """
__device__ float total(float v, float *part) {
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v; // bad
    __syncthreads();
    return part[threadIdx.x % 8];
}
__global__ void __launch_bounds__(256) twice(const float *in, float *out) {
    __shared__ float part[8];
    float a = total(in[threadIdx.x], part);
    float b = total(in[threadIdx.x] * a, part);
    out[threadIdx.x] = a + b;
}
""",
    ),
    "launches in a template, each for an instance of its own": (
        LaunchLimits,
        """
template <typename T, int BLOCK, bool WIDE>
__global__ void __launch_bounds__(BLOCK) fold(const T *in, T *out, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) out[i] = WIDE ? in[i] : in[0];
}
#define CASE(B) case B: fold<T, B, true><<<n / B, B>>>(in, out, n); break;
template <typename T>
void run(const T *in, T *out, int n, int kind) {
    switch (kind) {
        CASE(64)
        CASE(128)
        CASE(256)
    }
    constexpr int SIDE = 8;
    fold<T, SIDE * SIDE, false><<<n / 64, 64>>>(in, out, n);
    fold<T, SIDE * SIDE, false><<<n / 64, 128>>>(in, out, n); // bad
}
template void run(const float *, float *, int, int);
template void run(const double *, double *, int, int);
""",
    ),
    "arrays of instances, each launched from a template": (
        ArrayIndexOutOfRange,
        """
template <typename T, int BLOCK>
__global__ void turn(const T *in, T *out) {
    __shared__ T part[BLOCK];
    part[threadIdx.x] = in[blockIdx.x * BLOCK + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * BLOCK + threadIdx.x] = part[BLOCK - 1 - threadIdx.x];
}
template <typename T>
void run(const T *in, T *out, int n) {
    if (n < 4096) turn<T, 64><<<n / 64, 64>>>(in, out);
    else turn<T, 256><<<n / 256, 256>>>(in, out);
}
template void run(const float *, float *, int);
""",
    ),
    "what a collective gives to all lanes, written by all lanes": (
        MissingWarpSync,
        """
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void rows(const float *in, float *out) {
    __shared__ float part[32], first[32], before[32];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    float mine = in[blockIdx.x * blockDim.x + threadIdx.x];
    part[warp.meta_group_rank()] = cg::reduce(warp, mine, cg::plus<float>{});
    first[threadIdx.x / 32] = __shfl_sync(0xffffffffu, mine, 0) * 2;
    before[threadIdx.x / 32] = __shfl_up_sync(0xffffffffu, mine, 1); // bad
    __syncthreads();
    if (threadIdx.x < blockDim.x / 32) out[threadIdx.x] = part[threadIdx.x] + first[threadIdx.x] + before[threadIdx.x];
}
""",
    ),
    "what all lanes of a warp have added up by exchanges, written by all lanes": (
        MissingWarpSync,
        """
__device__ float across(float x, int lanes) {
    float y;
    asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=f"(y) : "f"(x), "r"(lanes));
    return y;
}
__global__ void rows(float *out, const float *in, int n) {
    __shared__ float sums[32], most[32], halves[32], first[32];
    float v = in[blockIdx.x * n + threadIdx.y * 32 + threadIdx.x], w = v, h = v, u = v;
    for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
    for (int d = 1; d < 32; d *= 2) w = fmaxf(across(w, d), w);
    for (int d = 8; d > 0; d /= 2) h += __shfl_xor_sync(0xffffffffu, h, d);
    for (int d = 16; d > 0; d /= 2) u += __shfl_down_sync(0xffffffffu, u, d);
    sums[threadIdx.y] = v / n;
    most[threadIdx.y] = w;
    halves[threadIdx.y] = h; // bad
    first[threadIdx.y] = u; // bad
    __syncthreads();
    if (threadIdx.x == 0)
        out[threadIdx.y] = sums[threadIdx.y] + most[threadIdx.y] + halves[threadIdx.y] + first[threadIdx.y];
}
void run(float *o, const float *i, int n) { rows<<<n, dim3(32, 32)>>>(o, i, n); }
""",
    ),
    "what a collective gives to a warp, written by two": (
        SharedMemoryRace,
        """
__global__ void pairs(const float *in, float *out) {
    __shared__ float part[32];
    float mine = in[blockIdx.x * blockDim.x + threadIdx.x];
    part[threadIdx.x / 64] = __shfl_sync(0xffffffffu, mine, 0); // bad
    __syncthreads();
    if (threadIdx.x < blockDim.x / 64) out[threadIdx.x] = part[threadIdx.x];
}
""",
    ),
    "a vote of the block, written by all threads and read by each in the next round": (
        GlobalMemoryRace,
        """
__global__ void keep(const unsigned char *in, unsigned char *out) {
    int at = blockIdx.x * 1024 + threadIdx.x;
    out[blockIdx.x] = __syncthreads_and(in[at]);
    for (int k = 1; k < 4; ++k) {
        at += 256;
        out[blockIdx.x] = __syncthreads_and(out[blockIdx.x] && in[at]);
    }
}
__global__ void count(const int *in, int *out) {
    int found = __syncthreads_count(in[threadIdx.x] > 0);
    out[blockIdx.x] = found + threadIdx.x; // bad
}
""",
    ),
    "a loop that would have to leave its row to meet another": (
        SharedMemoryRace,
        """
__global__ void sums(const float *in, float *out, int steps) {
    __shared__ float part[4][64], other[4][64];
    int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    for (int k = 0; k < steps; ++k) {
        float mine = in[k * 128 + threadIdx.x];
        if (lane == 0) part[warp][k] = mine;
        if (lane == 0) other[warp / 2][k] = mine; // bad
    }
    __syncthreads();
    if (threadIdx.x < steps) out[threadIdx.x] = part[0][threadIdx.x] + other[0][threadIdx.x];
}
void run(const float *in, float *out, int steps) { sums<<<1, 128>>>(in, out, steps); }
""",
    ),
    "masks made of arguments, which are powers of two": (
        GlobalMemoryRace,
        """
__global__ void ranks(unsigned *a, unsigned *b, unsigned stride, unsigned count) {
    unsigned pos = blockIdx.x * blockDim.x + threadIdx.x;
    if (pos >= count) return;
    const unsigned i = pos & ((stride / 128) - 1);
    const unsigned base = (pos - i) * 2;
    a[base + i] = i;
    b[pos & 63] = i; // bad
}
void run(unsigned *a, unsigned *b, unsigned stride, unsigned n) {
    for (stride = 1024; stride < n; stride <<= 1) ranks<<<(n / 256 + 255) / 256, 256>>>(a, b, stride, n / 256);
}
""",
    ),
    "loops over whole blocks of work": (
        BarrierDivergence,
        """
__global__ void sums(const float *in, float *out, int n, unsigned long m) {
    extern __shared__ float part[];
    float sum = 0;
    const int padded = 128 * ((n + 127) / 128);
    for (int i = threadIdx.x; i < padded; i += 128) {
        part[threadIdx.x] = i < n ? in[i] : 0;
        __syncthreads();
        sum += part[127 - threadIdx.x];
        __syncthreads();
    }
    const int blocks = blockDim.x * ((m + blockDim.x - 1) / blockDim.x);
    for (int i = threadIdx.x; i < blocks; i += blockDim.x) {
        part[threadIdx.x] = i < m ? in[i] : 0;
        __syncthreads();
        sum += part[blockDim.x - 1 - threadIdx.x];
        __syncthreads();
    }
    for (int i = threadIdx.x; i <= padded; i += 128) {
        part[threadIdx.x] = in[i];
        __syncthreads(); // bad
        sum += part[127 - threadIdx.x];
    }
    const int warps = 32 * ((n + 31) / 32);
    for (int i = threadIdx.x; i < warps; i += 128) {
        part[threadIdx.x] = in[i];
        __syncthreads(); // bad
        sum += part[127 - threadIdx.x];
    }
    out[threadIdx.x] = sum;
}
void run(const float *in, float *out, int n) { sums<<<1, 128, 512>>>(in, out, n, n); }
""",
    ),
    "loops over whole blocks of work, as a function that is not known rounds it": (
        BarrierDivergence,
        """
template <int SIZE>
__global__ void sums(const float *in, float *out, int n) {
    __shared__ float part[SIZE];
    float sum = 0;
    for (int i = threadIdx.x; i < lib::round_blocks(n, SIZE) * SIZE; i += blockDim.x) {
        part[threadIdx.x] = i < n ? in[i] : 0;
        __syncthreads();
        sum += part[SIZE - 1 - threadIdx.x];
        __syncthreads();
    }
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        part[threadIdx.x] = in[i];
        __syncthreads(); // bad
        sum += part[SIZE - 1 - threadIdx.x];
    }
    out[threadIdx.x] = sum;
}
template <int SIZE>
void run(const float *in, float *out, int n) { sums<SIZE><<<1, SIZE>>>(in, out, n); }
""",
    ),
    "one state for each thread beside a loop in steps of the grid": (
        LateBoundsGuard,
        """
__global__ void paths(float *out, const float *in, const unsigned *states, unsigned sims) {
    unsigned tid = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned state = states[tid];
    float last = in[tid]; // bad
    for (unsigned i = tid; i < sims; i += gridDim.x * blockDim.x) {
        state = state * 1664525u + 1013904223u;
        out[i] = state * (in[i] + last);
    }
}
""",
    ),
    "a barrier object that a helper waits at": (
        UninitialisedSharedMemory,
        """
#include <cuda/barrier>
__device__ float swap(cuda::barrier<cuda::thread_scope_block> &bar, float *part, float v) {
    part[threadIdx.x] = v;
    auto token = bar.arrive();
    bar.wait(std::move(token));
    return part[threadIdx.x ^ 1];
}
__global__ void swaps(float *x) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ float part[256], seen[1];
    if (threadIdx.x == 0) init(&bar, blockDim.x);
    __syncthreads();
    x[threadIdx.x] = swap(bar, part, x[threadIdx.x]) + seen[0]; // bad
}
void run(float *x) { swaps<<<1, 256>>>(x); }
""",
    ),
    "writes to objects of classes that no header gives": (
        MissingWarpSync,
        """
#include "images.h"
__global__ void columns(const lib::Image<float> in, lib::Image<float> out) {
    __shared__ float part[32];
    volatile float *sums = part;
    sums[threadIdx.x] = in(blockIdx.x, threadIdx.x);
    if (threadIdx.x < 16) {
        sums[threadIdx.x] += sums[threadIdx.x + 8]; // bad
    }
    __syncthreads();
    out(blockIdx.x, threadIdx.x) = part[0];
}
""",
    ),
    "an array that is filled through an object of a class that no header gives": (
        UninitialisedSharedMemory,
        """
#include "images.h"
__global__ void columns(const lib::Image<float> in, float *out) {
    __shared__ float part[32];
    lib::Row<float> row = lib::row(in, part);
    row[threadIdx.x] = in(blockIdx.x, threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = part[31 - threadIdx.x];
}
""",
    ),
    "shifts by what only instances made up by the analysis give": (
        LanguageError,
        """
template <typename T, int BITS>
__global__ void rows(T *out, const T *in) {
    constexpr int width = 1 << BITS;
    out[threadIdx.x] = in[threadIdx.x * width];
}
__global__ void high(unsigned *out) { out[threadIdx.x] = 1u << 32; } // bad
""",
    ),
    "a block of one axis whose size is not known": (
        GlobalMemoryRace,
        """
__global__ void sums(float *out, const float *in) {
    __shared__ float part[512];
    int tid = threadIdx.x + threadIdx.y * blockDim.x, size = blockDim.x * blockDim.y;
    part[tid] = in[blockIdx.x * size + tid];
    __syncthreads();
    for (int k = size / 2; k > 0; k /= 2) {
        if (tid < k) part[tid] += part[tid + k];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] += part[0];
    out[blockIdx.x * 2 + 1] = part[tid]; // bad
}
void run(float *out, const float *in, int blocks, int threads) { sums<<<blocks, threads>>>(out, in); }
""",
    ),
    "a block whose sizes are set one by one": (
        SharedMemoryRace,
        """
__global__ void tail(int *out, const int *in, int limit) {
    __shared__ int best;
    best = 0;
    __syncthreads();
    if (in[threadIdx.x] > limit) best = threadIdx.x;
    __syncthreads();
    int before = best;
    best = limit;
    out[threadIdx.x] = before;
}
void run(int *out, const int *in, int parts) {
    dim3 gridDim;
    gridDim.x = parts;
    dim3 blockDim;
    blockDim.x = 32;
    tail<<<gridDim, blockDim>>>(out, in, parts);
}
""",
    ),
    "a grid of what was made a multiple of the block": (
        MissingBoundsGuard,
        """
__global__ void seed(unsigned s, unsigned *state) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    state[i] = s ^ i;
}
__global__ void decay(float *p, const float *q) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    p[i] = p[i] * q[i]; // bad
}
void run(float *p, const float *q, int n) {
    int size = (n / 256 + 1) * 256;
    unsigned *d;
    cudaMalloc((void **)&d, sizeof(unsigned) * size);
    seed<<<size / 256, 256>>>(5, d);
    dim3 block(min(n, 512));
    dim3 grid((n + block.x - 1) / block.x);
    decay<<<grid, block>>>(p, q);
}
""",
    ),
}


GRADED: dict[str, tuple[RuleClass, str, str, Severity | None]] = {
    "a product of fewer sizes than the one that was widened": (
        IndexOverflow,
        "opencl",
        """
kernel void rows(global const uchar *w, global float *out, int nb, int rows, int batch, int channels, int width) {
    int row = get_group_id(0), b = get_group_id(1);
    ulong at = (ulong)row * nb * batch * channels;
    out[b * rows * width + get_local_id(0)] = w[at + get_local_id(0)];
}
""",
        Severity.NOTE,
    ),
    "a product of as many sizes as the one that was widened": (
        IndexOverflow,
        "opencl",
        """
kernel void rows(global const uchar *w, global float *out, int nb, int rows, int batch, int channels, int width) {
    int row = get_group_id(0), b = get_group_id(1);
    ulong at = (ulong)row * nb * batch;
    out[b * rows * width * channels + get_local_id(0)] = w[at + get_local_id(0)];
}
""",
        Severity.WARNING,
    ),
    "two roles of whole warps, each with a barrier": (
        BarrierDivergence,
        "cuda",
        """
__global__ void roles(float *x, int n) {
    __shared__ float part[256];
    if (threadIdx.x < 256) {
        for (int i = threadIdx.x; i < n; i += 256) x[i] = 0.0f;
        __syncthreads();
        return;
    }
    part[threadIdx.x - 256] = x[n + threadIdx.x];
    __syncthreads();
    x[n + threadIdx.x] = part[511 - threadIdx.x];
}
""",
        Severity.NOTE,
    ),
    "two roles that part within a warp": (
        BarrierDivergence,
        "cuda",
        """
__global__ void roles(float *x, int n) {
    __shared__ float part[256];
    if (threadIdx.x < 250) {
        for (int i = threadIdx.x; i < n; i += 256) x[i] = 0.0f;
        __syncthreads();
    } else {
        part[threadIdx.x - 250] = x[n + threadIdx.x];
        __syncthreads();
        x[n + threadIdx.x] = part[505 - threadIdx.x];
    }
}
""",
        Severity.WARNING,
    ),
    "warps that leave the last loop with a barrier sooner": (
        BarrierDivergence,
        "cuda",
        """
__global__ void columns(const float *a, float *y, int m) {
    __shared__ float tile[1024];
    for (int row = blockIdx.x * 8 + threadIdx.y; row < m; row += gridDim.x * 8) {
        __syncthreads();
        tile[threadIdx.y * 64 + threadIdx.x] = a[row * 64 + threadIdx.x];
        y[row * 64 + threadIdx.x] = tile[threadIdx.y * 64 + 63 - threadIdx.x];
    }
}
""",
        Severity.NOTE,
    ),
    "warps that leave a loop sooner, with a barrier to come": (
        BarrierDivergence,
        "cuda",
        """
__global__ void columns(const float *a, float *y, int m) {
    __shared__ float tile[1024];
    for (int row = blockIdx.x * 8 + threadIdx.y; row < m; row += gridDim.x * 8) {
        __syncthreads();
        tile[threadIdx.y * 64 + threadIdx.x] = a[row * 64 + threadIdx.x];
    }
    __syncthreads();
    y[threadIdx.y * 64 + threadIdx.x] = tile[threadIdx.x];
}
""",
        Severity.WARNING,
    ),
    "a return from the helper that is all of the kernel": (
        BarrierDivergence,
        "cuda",
        """
__device__ void work(float *x, float *part, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    part[threadIdx.x] = x[i];
    __syncthreads();
    x[i] = part[0];
}
__global__ void all(float *x, int n) {
    extern __shared__ float part[];
    work(x, part, n);
}
""",
        Severity.NOTE,
    ),
    "a return from a helper before the kernel's own barrier": (
        BarrierDivergence,
        "cuda",
        """
__device__ void work(float *x, float *part, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    part[threadIdx.x] = x[i];
    __syncthreads();
    x[i] = part[0];
}
__global__ void all(float *x, float *y, int n) {
    extern __shared__ float part[];
    work(x, part, n);
    __syncthreads();
    y[threadIdx.x] = part[0];
}
""",
        Severity.WARNING,
    ),
    "rows written by as many threads as a template number that nobody gave": (
        GlobalMemoryRace,
        "hip",
        """
template <typename Kind, int HEADS>
__global__ void heads(const typename Kind::type *in, float *out, int total) {
    int lane = threadIdx.x % 16;
    float v = in[blockIdx.x * blockDim.x + threadIdx.x];
    if (threadIdx.x < HEADS) out[blockIdx.x * total + lane] = v;
}
""",
        Severity.NOTE,
    ),
    "rows written by more threads than they have elements": (
        GlobalMemoryRace,
        "hip",
        """
__global__ void __launch_bounds__(64) heads(const float *in, float *out, int total) {
    int lane = threadIdx.x % 16;
    float v = in[blockIdx.x * 64 + threadIdx.x];
    if (threadIdx.x < 20) out[blockIdx.x * total + lane] = v;
}
""",
        Severity.WARNING,
    ),
    "a field's array filled as far as the host says": (
        GlobalMemoryRace,
        "opencl",
        """
typedef struct { uint out[64]; uint used; } state_t;
kernel void fill(global state_t *s, global const uint *lengths) {
    const size_t gid = get_global_id(0);
    for (uint i = 0; i < lengths[0] / 4; i += 2) {
        s[gid].out[i + 0] = i * gid;
        s[gid].out[i + 1] = i + gid;
    }
}
""",
        None,
    ),
    "an array of one element by which a larger one is meant": (
        GlobalMemoryRace,
        "opencl",
        """
typedef struct { uint out[1]; } state_t;
kernel void fill(global state_t *s) {
    const size_t gid = get_global_id(0);
    for (uint i = 0; i < 128; i += 2) {
        s[gid].out[i + 0] = i * gid;
        s[gid].out[i + 1] = i + gid;
    }
}
""",
        None,
    ),
    "rows as long as a loop over their vectors": (
        GlobalMemoryRace,
        "cuda",
        """
struct alignas(16) bytes16 { unsigned char b[16]; };
__device__ void copy(const unsigned char *in, unsigned char *out, int len, int tid, int stride) {
    int vectors = len / 16;
    auto *vin = reinterpret_cast<const bytes16 *>(in);
    auto *vout = reinterpret_cast<bytes16 *>(out);
    for (int i = tid; i < vectors; i += stride) {
        bytes16 t;
        t.b[0] = vin[i].b[0];
        vout[i] = t;
    }
}
__global__ void rows(const unsigned char *in, unsigned char *out, int width, long long pitch) {
    if (width % 16 == 0)
        copy(in + blockIdx.x * pitch, out + blockIdx.x * pitch, width, threadIdx.x, blockDim.x);
}
void run(const unsigned char *in, unsigned char *out, int n, int width, long long p) {
    rows<<<n, 256>>>(in, out, width, p);
}
""",
        None,
    ),
    "rows that overlap by a vector": (
        GlobalMemoryRace,
        "cuda",
        """
struct alignas(16) bytes16 { unsigned char b[16]; };
__device__ void copy(const unsigned char *in, unsigned char *out, int len, int tid, int stride) {
    int vectors = len / 16;
    auto *vin = reinterpret_cast<const bytes16 *>(in);
    auto *vout = reinterpret_cast<bytes16 *>(out);
    for (int i = tid; i < vectors; i += stride) {
        bytes16 t;
        t.b[0] = vin[i].b[0];
        vout[i] = t;
    }
}
__global__ void rows(const unsigned char *in, unsigned char *out, int width, long long pitch) {
    copy(in + blockIdx.x * pitch, out + blockIdx.x * 496, 512, threadIdx.x, blockDim.x);
}
void run(const unsigned char *in, unsigned char *out, int n, int width, long long p) {
    rows<<<n, 256>>>(in, out, width, p);
}
""",
        Severity.WARNING,
    ),
    "structures that neighbours share": (
        GlobalMemoryRace,
        "opencl",
        """
typedef struct { uint out[64]; uint used; } state_t;
kernel void fill(global state_t *s, global const uint *v) {
    for (uint i = 0; i < 64; i += 2) {
        s[get_global_id(0)].out[i] = v[i];
        if (get_global_id(0) > 0) s[get_global_id(0) - 1].out[i] = v[i + 1];
    }
}
""",
        Severity.WARNING,
    ),
    "a size that only another instance of the template needs": (
        MissingBoundsGuard,
        "cuda",
        """
template <bool FLAT>
__global__ void gather(const float *in, float *out, const int *starts, int page_size) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, from;
    if constexpr (FLAT) from = starts[blockIdx.x];
    else from = starts[blockIdx.x] * page_size;
    out[i] = in[from + threadIdx.x];
}
""",
        Severity.NOTE,
    ),
    "lanes that a collective in nested loops of known length brings together": (
        MissingWarpSync,
        "cuda",
        """
__global__ void __launch_bounds__(32) passes(const float *in, float *out, int n) {
    __shared__ float s[32];
    for (int i = 0; i < n; ++i) {
        float sum = 0.0f;
        for (int j = 0; j < 8; ++j) {
            for (int half = 16; half > 0; half >>= 1) sum += __shfl_xor_sync(0xffffffff, in[i * 8 + j], half);
        }
        s[threadIdx.x] = sum;
        __syncwarp();
        out[i * 32 + threadIdx.x] = s[31 - threadIdx.x];
    }
}
""",
        None,
    ),
    "lanes that a collective brings together in some rounds alone": (
        MissingWarpSync,
        "cuda",
        """
__global__ void __launch_bounds__(32) passes(const float *in, float *out, int n, int m) {
    __shared__ float s[32];
    for (int i = 0; i < n; ++i) {
        float sum = 0.0f;
        for (int j = 0; j < m; ++j) sum += __shfl_xor_sync(0xffffffff, in[i * 8 + j], 1);
        s[threadIdx.x] = sum;
        __syncwarp();
        out[i * 32 + threadIdx.x] = s[31 - threadIdx.x];
    }
}
""",
        Severity.WARNING,
    ),
    "matrices loaded in a loop over columns, one for each lane": (
        DivergentWarpIntrinsic,
        "cuda",
        """
__global__ void tiles(const int *x, int *y, int columns) {
    __shared__ int tile[256];
    int sum = 0;
    for (int c = threadIdx.x; c < columns; c += 32) {
        for (int r = 0; r < 8; ++r) tile[r * 32 + threadIdx.x] = x[r * columns + c];
        int part;
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.b16 {%0}, [%1];" : "=r"(part) : "l"(tile + threadIdx.x % 8 * 4));
        sum += part;
    }
    y[threadIdx.x] = sum;
}
""",
        Severity.NOTE,
    ),
    "matrices loaded by half a warp": (
        DivergentWarpIntrinsic,
        "cuda",
        """
__global__ void tiles(const int *x, int *y) {
    __shared__ int tile[256];
    for (int r = 0; r < 8; ++r) tile[r * 32 + threadIdx.x] = x[r * 32 + threadIdx.x];
    int part = 0;
    if (threadIdx.x % 32 < 16)
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.b16 {%0}, [%1];" : "=r"(part) : "l"(tile + threadIdx.x % 8 * 4));
    y[threadIdx.x] = part;
}
""",
        Severity.WARNING,
    ),
    "sub-groups with a part of local memory each": (
        SharedMemoryRace,
        "opencl",
        """
kernel void turn(global const float *x, global float *y) {
    local float part[512];
    const uint base = get_sub_group_id() * 64, lane = get_local_id(0) % 64;
    part[base + lane] = x[get_global_id(0)];
    float sum = 0.0f;
    for (int k = 0; k < 64; ++k) sum += part[base + k];
    y[get_global_id(0)] = sum;
}
""",
        None,
    ),
    "sub-groups that read the parts of others": (
        SharedMemoryRace,
        "opencl",
        """
kernel void turn(global const float *x, global float *y) {
    local float part[512];
    const uint base = get_sub_group_id() * 64, lane = get_local_id(0) % 64;
    part[base + lane] = x[get_global_id(0)];
    float sum = 0.0f;
    for (int k = 0; k < 128; ++k) sum += part[k];
    y[get_global_id(0)] = sum;
}
""",
        Severity.ERROR,
    ),
    "returns in a group of one sub-group": (
        BarrierDivergence,
        "opencl",
        """
kernel void tile(global const float *x, global float *y, const int n) {
    local float part[64];
    const int i = get_global_id(0), t = get_local_id(0);
    part[t] = x[i];
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    const float v = part[63 - t];
    if (i >= n) return;
    barrier(CLK_LOCAL_MEM_FENCE);
    part[t] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    y[i] = part[0];
}
""",
        Severity.NOTE,
    ),
    "returns in a group": (
        BarrierDivergence,
        "opencl",
        """
kernel void tile(global const float *x, global float *y, const int n) {
    local float part[64];
    const int i = get_global_id(0), t = get_local_id(0);
    part[t] = x[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    const float v = part[63 - t];
    if (i >= n) return;
    barrier(CLK_LOCAL_MEM_FENCE);
    part[t] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    y[i] = part[0];
}
""",
        Severity.WARNING,
    ),
    "shared memory filled through a reference to a type that was not found": (
        UninitialisedSharedMemory,
        "cuda",
        """
#include "library.h"
__global__ void turn(const float *in, float *out) {
    __shared__ float buffer[128];
    lib::Row &row = reinterpret_cast<lib::Row &>(buffer);
    row.cells[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = buffer[127 - threadIdx.x];
}
""",
        None,
    ),
    "shared memory that a reference to a known type only reads": (
        UninitialisedSharedMemory,
        "cuda",
        """
struct Row { float cells[128]; };
__global__ void turn(const float *in, float *out) {
    __shared__ float buffer[128];
    Row &row = reinterpret_cast<Row &>(buffer);
    __syncthreads();
    out[threadIdx.x] = buffer[127 - threadIdx.x] + row.cells[threadIdx.x];
}
""",
        Severity.WARNING,
    ),
    "a result of the block that comes last": (
        GlobalMemoryRace,
        "cuda",
        """
__device__ unsigned tickets;
__global__ void finish(const float *from, float *parts, float *to, int n) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = from[blockIdx.x];
        __threadfence();
        last = atomicAdd(&tickets, 1u) + 1u == gridDim.x;
    }
    __syncthreads();
    if (last) {
        float sum = 0.0f;
        for (int b = 0; b < gridDim.x; ++b) sum += parts[b];
        if (threadIdx.x == 0) *to = sum;
    }
}
""",
        None,
    ),
    "a result of every block that an argument asks for": (
        GlobalMemoryRace,
        "cuda",
        """
__device__ unsigned tickets;
__global__ void finish(const float *from, float *parts, float *to, int n) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = from[blockIdx.x];
        __threadfence();
        last = atomicAdd(&tickets, 1u) + 1u == gridDim.x;
    }
    __syncthreads();
    if (n > 3) {
        float sum = 0.0f;
        for (int b = 0; b < gridDim.x; ++b) sum += parts[b];
        if (threadIdx.x == 0) *to = sum;
    }
}
""",
        Severity.WARNING,
    ),
    "a shift that the number of a forced instance makes too wide": (
        LanguageError,
        "cuda",
        """
template <int Bits>
__device__ constexpr int buckets() { return 1 << Bits; }
template <int Bits>
__global__ void count(int *out) { out[threadIdx.x] = buckets<Bits>(); }
""",
        None,
    ),
    "a shift that the number of a launch makes too wide": (
        LanguageError,
        "cuda",
        """
template <int Bits>
__device__ constexpr int buckets() { return 1 << Bits; }
template <int Bits>
__global__ void count(int *out) { out[threadIdx.x] = buckets<Bits>(); }
void run(int *out) { count<40><<<1, 32>>>(out); }
""",
        Severity.WARNING,
    ),
}
"""What the evidence supports: the highest level (None: no finding)."""


@pytest.mark.parametrize("name", GRADED)
def test_level(name: str) -> None:
    rule, language, code, level = GRADED[name]
    found = {f.severity for f in findings(rule, code, language)}
    ranked = [Severity.ERROR, Severity.WARNING, Severity.NOTE]
    highest = next((one for one in ranked if one in found), None)
    assert (Severity.WARNING if highest is Severity.ERROR and level is Severity.WARNING else highest) is level, found


@pytest.mark.parametrize("name", CASES)
def test_case(name: str) -> None:
    rule, code = CASES[name]
    assert_marked(rule, code)


WARPS = """
__global__ void __launch_bounds__(256) combine(float *x) {
    __shared__ float part[8][32];
    float v = x[threadIdx.y * 32 + threadIdx.x];
    part[threadIdx.y][threadIdx.x] = v;
    __syncthreads();
    if (%s %% 2 == 0) {
        v += part[threadIdx.y + 1][threadIdx.x];
        __syncthreads();
        part[threadIdx.y][threadIdx.x] = v;
    } else {
        %s;
    }
    __syncthreads();
    x[threadIdx.y * 32 + threadIdx.x] = v + part[0][threadIdx.x];
}
"""


@pytest.mark.parametrize(
    ("index", "other", "level"),
    [
        ("threadIdx.y", "__syncthreads()", Severity.NOTE),
        ("threadIdx.y", "v += 1.0f", Severity.WARNING),
        ("threadIdx.x", "__syncthreads()", Severity.WARNING),
    ],
)
def test_whole_warps_with_a_barrier_on_each_side(index: str, other: str, level: Severity) -> None:
    found = findings(BarrierDivergence, WARPS % (index, other))
    assert found
    assert all((f.severity is Severity.NOTE) == (level is Severity.NOTE) for f in found)


ONE_SLIP: dict[str, tuple[RuleClass, str, int]] = {
    "several elements read before one test": (
        LateBoundsGuard,
        """
__global__ void sums(const float4 *in, const float *bias, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = in[i].x;
    float b = in[i].y;
    float c = bias[i];
    if (i >= n) return;
    out[i] = a + b + c;
}
""",
        2,
    ),
    "several loops up to one count": (
        IndexOverflow,
        """
__global__ void passes(float *x, const float *y, long long n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] *= 2.0f;
    __syncthreads();
    for (int j = blockIdx.x * blockDim.x + threadIdx.x + 1; j < n; j += gridDim.x * blockDim.x) x[j] += y[j];
}
""",
        1,
    ),
}
"""One slip, one finding: the code, and how many other places it must name at least."""


@pytest.mark.parametrize("name", ONE_SLIP)
def test_one_finding(name: str) -> None:
    rule, code, others = ONE_SLIP[name]
    (found,) = (f for f in findings(rule, code) if f.severity is not Severity.NOTE)
    assert sum(place.message.startswith(("so is", "and so is")) for place in found.related) >= others


def test_an_integer_named_like_a_size_that_the_results_are_made_of() -> None:
    code = """
__device__ unsigned next(unsigned w, unsigned z) { return 36969 * (z & 65535) + (w >> 16); }
__global__ void draw(unsigned *out, unsigned seed_w, unsigned seed_z) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = next(seed_w + i, seed_z ^ i);
}
"""
    assert all(f.severity is Severity.NOTE for f in findings(MissingBoundsGuard, code))
    unused = code.replace("unsigned seed_z)", "unsigned seed_z, unsigned width)")
    assert any(f.severity is Severity.WARNING for f in findings(MissingBoundsGuard, unused))


REQUIRED = """
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void sums(global const float *x, global float *y) {
    y[get_local_id(0)] = x[get_global_id(0)] + get_group_id(0);
}
"""


def test_an_error_across_blocks_needs_a_launch() -> None:
    """A required block does not say that there is more than one."""
    (found,) = findings(GlobalMemoryRace, REQUIRED, "opencl")
    assert found.severity is Severity.WARNING
    (found,) = findings(GlobalMemoryRace, REQUIRED, "opencl", grid="4,1,1")
    assert found.severity is Severity.ERROR


def test_the_edges_of_a_tile_are_loaded_by_some_threads() -> None:
    code = """
__global__ void blur(float *out, const float *in, int n) {
    int g = blockIdx.x * 128 + threadIdx.x;
    float v = 0;
    if (threadIdx.x < 3 && g >= 3) v = in[g - 3];
    if (g < n) out[g] = v;
}
void run(float *o, const float *i, int n) { blur<<<(n + 127) / 128, 128>>>(o, i, n); }
"""
    assert all(f.severity is Severity.NOTE for f in findings(MissingBoundsGuard, code))
    whole = code.replace("threadIdx.x < 3 && ", "")
    (found,) = (f for f in findings(MissingBoundsGuard, whole) if f.severity is not Severity.NOTE)
    assert found.witness is not None
