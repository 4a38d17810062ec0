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
    "a tree over memory as large as the block, which the last block does not fill": """
__global__ void energy(const float *v, int n, float *out) {
    extern __shared__ float s[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) s[threadIdx.x] = v[i] * v[i];
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d >>= 1) {
        if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d]; // bad
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
""",
    "memory as large as the block, used by those who set it": """
__global__ void squares(const float *v, float *out, int n) {
    extern __shared__ float s[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) s[threadIdx.x] = v[i] * v[i];
    __syncthreads();
    if (i < n) out[i] = s[threadIdx.x];
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
    "a table larger than the block that clears it": """
template <int BINS> __global__ void digits(const unsigned *keys, unsigned *counts, int n, int shift) {
    __shared__ unsigned h[BINS];
    if (threadIdx.x < BINS) h[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(h + ((keys[i] >> shift) & (BINS - 1)), 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) atomicAdd(counts + b, h[b]); // bad
}
void pass(const unsigned *keys, unsigned *counts, int n) { digits<512><<<64, 256>>>(keys, counts, n, 8); }
""",
    "a table as large as the block": """
__global__ void digits(const unsigned char *keys, unsigned *counts, int n) {
    __shared__ unsigned h[256];
    h[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&h[keys[i]], 1u);
    __syncthreads();
    atomicAdd(counts + threadIdx.x, h[threadIdx.x]);
}
void pass(const unsigned char *keys, unsigned *counts, int n) { digits<<<64, 256>>>(keys, counts, n); }
""",
    "one side of a halo, read where there is work": """
__global__ void smooth(const float *in, float *out, int n) {
    __shared__ float s[128 + 4];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t + 2] = i < n ? in[i] : 0.0f;
    if (t < 2) s[t] = i >= 2 && i - 2 < n ? in[i - 2] : 0.0f;
    __syncthreads();
    if (i < n) out[i] = s[t] + s[t + 1] + s[t + 2] + s[t + 3]; // bad
}
void run(const float *in, float *out, int n) { smooth<<<(n + 127) / 128, 128>>>(in, out, n); }
""",
    "all blocks but the first": """
__global__ void carry(int *scan, const int *sums, int n) {
    __shared__ int base;
    if (threadIdx.x == 0 && blockIdx.x > 0) base = sums[blockIdx.x - 1];
    __syncthreads();
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) scan[i] += base; // bad
}
void run(int *scan, const int *sums, int n) { carry<<<(n + 255) / 256, 256>>>(scan, sums, n); }
""",
    "all blocks but the first, which does not look": """
__global__ void carry(int *scan, const int *sums, int n) {
    __shared__ int base;
    if (threadIdx.x == 0 && blockIdx.x > 0) base = sums[blockIdx.x - 1];
    __syncthreads();
    int i = blockIdx.x * 256 + threadIdx.x;
    if (blockIdx.x > 0 && i < n) scan[i] += base;
}
void run(int *scan, const int *sums, int n) { carry<<<(n + 255) / 256, 256>>>(scan, sums, n); }
""",
    "rows past a length that data say": """
__global__ void mean(const float *v, float *out, const int *lengths, int most) {
    __shared__ float rows[16][64];
    const int length = lengths[blockIdx.x];
    float sum = 0.0f;
    for (int first = 0; first < length; first += 16) {
        for (int r = threadIdx.y; r < 16; r += 2)
            if (first + r < length) rows[r][threadIdx.x] = v[(blockIdx.x * most + first + r) * 64 + threadIdx.x];
        __syncthreads();
        for (int r = 0; r < 16; ++r) sum += rows[r][threadIdx.x]; // bad
        __syncthreads();
    }
    if (threadIdx.y == 0) out[blockIdx.x * 64 + threadIdx.x] = sum / length;
}
void run(const float *v, float *o, const int *l, int n, int m) { mean<<<n, dim3(64, 2)>>>(v, o, l, m); }
""",
    "rows of one matrix, read as rows of another that callers size": """
struct Size { int rows, cols, stride; };
__global__ void turn(const float *in, float *out, Size from, Size to) {
    __shared__ float tile[16][17];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (y < from.rows && x < from.cols) tile[threadIdx.y][threadIdx.x] = in[y * from.stride + x];
    __syncthreads();
    int u = blockIdx.y * 16 + threadIdx.x, v = blockIdx.x * 16 + threadIdx.y;
    if (v < to.rows && u < to.cols) out[v * to.stride + u] = tile[threadIdx.x][threadIdx.y];
}
void run(dim3 grid, const float *in, float *out, Size from, Size to) {
    turn<<<grid, dim3(16, 16)>>>(in, out, from, to);
}
""",
    "a column that goes round as often as its length has tiles": """
__global__ void column(unsigned *y, int length) {
    __shared__ unsigned kept[512];
    kept[256 + threadIdx.x] = y[threadIdx.x];
    __syncthreads();
    for (int k = 0; k < length / 256; ++k) {
        kept[threadIdx.x] = kept[256 + threadIdx.x] * 3;
        __syncthreads();
    }
    y[threadIdx.x] = kept[threadIdx.x];
}
void run(unsigned *y, int length) { column<<<1, 256>>>(y, length); }
""",
    "rows of threads that have no work, whose results nobody writes": """
__global__ void scale(float *all, float *most, int count) {
    __shared__ float rows[8][16];
    int x = threadIdx.x, r = threadIdx.y;
    if (r < count) rows[r][x] = all[(r * gridDim.x + blockIdx.x) * 16 + x];
    __syncthreads();
    if (x < 8 && rows[r][x] < rows[r][x + 8]) rows[r][x] = rows[r][x + 8];
    __syncthreads();
    if (r == 0 && x < 8) {
        float found = 0.0f;
        for (int k = 0; k < count; ++k) found = fmaxf(found, rows[k][x]);
        most[blockIdx.x * 8 + x] = found;
    }
}
void run(float *all, float *most, int count, int n) { scale<<<n, dim3(16, 8)>>>(all, most, count); }
""",
    "rows of threads that have no work, whose results are written": """
__global__ void scale(const float *all, float *sums, int count) {
    __shared__ float rows[8][16];
    int x = threadIdx.x, r = threadIdx.y;
    if (r < count) rows[r][x] = all[(r * gridDim.x + blockIdx.x) * 16 + x];
    __syncthreads();
    sums[(r * gridDim.x + blockIdx.x) * 16 + x] = rows[r][x] + rows[r][15 - x];  // bad
}
void run(const float *all, float *sums, int count, int n) { scale<<<n, dim3(16, 8)>>>(all, sums, count); }
""",
    "rows up to a length that data say": """
__global__ void mean(const float *v, float *out, const int *lengths, int most) {
    __shared__ float row[128];
    const int length = min(lengths[blockIdx.x], 128);
    if (threadIdx.x < length) row[threadIdx.x] = v[blockIdx.x * most + threadIdx.x];
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < length; ++k) sum += row[k];
    if (threadIdx.x == 0) out[blockIdx.x] = sum / length;
}
void run(const float *v, float *o, const int *l, int n, int m) { mean<<<n, 128>>>(v, o, l, m); }
""",
    "a most that is compared with what nobody has set": """
__global__ void most(const float *x, float *out, int n) {
    __shared__ float s[256];
    const int t = threadIdx.x;
    for (int i = t; i < n; i += 256)
        if (x[i] > s[t]) s[t] = x[i];  // bad
    __syncthreads();
    for (int k = 128; k > 0; k /= 2) {
        if (t < k && s[t + k] > s[t]) s[t] = s[t + k];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
""",
    "a most that begins somewhere": """
__global__ void most(const float *x, float *out, int n) {
    __shared__ float s[256];
    const int t = threadIdx.x;
    s[t] = -1e30f;
    for (int i = t; i < n; i += 256)
        if (x[i] > s[t]) s[t] = x[i];
    __syncthreads();
    for (int k = 128; k > 0; k /= 2) {
        if (t < k && s[t + k] > s[t]) s[t] = s[t + k];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
""",
    "a row that is shorter than the block": """
__global__ __launch_bounds__(128) void rows(const int *ends, const float *x, float *out) {
    __shared__ float s[128];
    const int t = threadIdx.x, from = ends[blockIdx.x], length = ends[blockIdx.x + 1] - from;
    if (t < length) {
        float sum = 0;
        for (int i = t; i < length; i += 128) sum += x[from + i];
        s[t] = sum;
    }
    __syncthreads();
    for (int k = 64; k > 0; k /= 2) {
        if (t < k) s[t] += s[t + k];  // bad
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
""",
    "a row that is shorter than the block, of which no more is asked for": """
__global__ __launch_bounds__(128) void rows(const int *ends, const float *x, float *out) {
    __shared__ float s[128];
    const int t = threadIdx.x, from = ends[blockIdx.x], length = ends[blockIdx.x + 1] - from;
    if (t < length) s[t] = x[from + t];
    __syncthreads();
    for (int k = 64; k > 0; k /= 2) {
        if (t < k && t + k < length) s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0 && length > 0) out[blockIdx.x] = s[0];
}
""",
    "threads with nothing to do in their loop": """
__global__ __launch_bounds__(256) void last(const float *x, float *out, int n) {
    __shared__ float s[256];
    const int t = threadIdx.x;
    for (int i = t; i < n; i += 256) s[t] = x[i];
    __syncthreads();
    for (int k = 128; k > 0; k /= 2) {
        if (t < k) s[t] += s[t + k];  // bad
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
""",
    "threads with nothing to do, whose places nobody asks for": """
__global__ __launch_bounds__(256) void last(const float *x, float *out, int n) {
    __shared__ float s[256];
    const int t = threadIdx.x;
    for (int i = t; i < n; i += 256) s[t] = x[i];
    __syncthreads();
    for (int k = 128; k > 0; k /= 2) {
        if (t < k && t + k < n) s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0 && n > 0) out[blockIdx.x] = s[0];
}
""",
    "a store that a constant of a sketch keeps out": """
__global__ void queued(int *out) {
    __shared__ int queue[64];
    const bool found = false;  // what is looked for
    if (found) queue[threadIdx.x] = blockIdx.x;
    __syncthreads();
    out[threadIdx.x] = queue[threadIdx.x];
}
""",
    "nothing stores": """
__global__ void unqueued(int *out) {
    __shared__ int queue[64];
    const bool found = false;
    if (found) out[0] = queue[1];
    __syncthreads();
    out[threadIdx.x] = queue[threadIdx.x];  // bad
}
""",
    "what one round hands to the next": """
__global__ __launch_bounds__(256) void rounds(const float *x, float *out, int n) {
    __shared__ float last;
    for (int base = 0; base < n; base += 256) {
        const int i = base + threadIdx.x;
        const float v = (i < n ? x[i] : 0.0f) + (base ? last : 0.0f);
        __syncthreads();
        if (threadIdx.x == 255) last = v;
        __syncthreads();
        if (i < n) out[i] = v;
    }
}
""",
}


@pytest.mark.parametrize("name", CASES)
def test_cases(name: str) -> None:
    assert_marked(UninitialisedSharedMemory, CASES[name])
