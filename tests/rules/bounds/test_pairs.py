"""Pairs of a kernel at fault and the same put right: what a launch, a sibling or a clamp says of an extent.

In each text ``[[a|b]]`` stands for ``a`` at fault and for ``b`` put right; the lines to be reported end in ``// bad``.
"""

from __future__ import annotations

import re

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange
from kernlint_rules.bounds.late_bounds_guard import LateBoundsGuard
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from kernlint.finding import Severity
from kernlint.rule import RuleClass
from tests.rules.marked import findings

PAIRS: dict[str, tuple[RuleClass, str, str]] = {
    "a warp has a row, and the launch rounds the rows up": (
        MissingBoundsGuard,
        "cuda",
        """
#define ROWS 16
__global__ void row_norm(const float *x, float *norm, int m, int k) {
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int row = blockIdx.x * ROWS + warp;
    float acc = 0.f;
    if (row < m)
        for (int j = lane; j < k; j += 32) acc += x[(size_t)row * k + j] * x[(size_t)row * k + j];
    for (int o = 16; o; o >>= 1) acc += __shfl_xor_sync(0xffffffffu, acc, o);
    if (lane == 0[[| && row < m]]) norm[row] = acc;  // bad
}
void run(const float *x, float *norm, int m, int k) {
    row_norm<<<(m + ROWS - 1) / ROWS, ROWS * 32>>>(x, norm, m, k);
}
""",
    ),
    "coordinates made of the index never leave the box": (
        WrongBoundsGuard,
        "cuda",
        """
struct Box { int nx, ny, nz; };
__global__ void diffuse(const float *u, float *v, Box g, float a) {
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    const int z = id / (g.nx * g.ny), y = (id / g.nx) % g.ny, x = id % g.nx;
    if (x >= g.nx [[&&|/**/||]] y >= g.ny [[&&|/**/||]] z >= g.nz) return;
    v[id] = a * u[id];  // bad
}
void step(const float *u, float *v, Box g, float a) {
    const int cells = g.nx * g.ny * g.nz;
    diffuse<<<(cells + 127) / 128, 128>>>(u, v, g, a);
}
""",
    ),
    "the launch is for one count, another is tested, and the first is passed for nothing": (
        WrongBoundsGuard,
        "cuda",
        """
__global__ void gather(const float *src, const int *list, float *dst, int rows, int listed, int width) {
    const int r = blockIdx.y * blockDim.y + threadIdx.y;
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= [[rows|listed]] || c >= width) return;
    const int from = list[r];  // bad
    if (from < rows) dst[(size_t)r * width + c] = src[(size_t)from * width + c];
}
void run(const float *src, const int *list, float *dst, int rows, int listed, int width) {
    dim3 block(32, 8), grid((width + 31) / 32, (listed + 7) / 8);
    gather<<<grid, block>>>(src, list, dst, rows, listed, width);
}
""",
    ),
    "the kernel rounds up, and takes both of each pair": (
        WrongBoundsGuard,
        "opencl",
        """
__kernel void halve(__global const float *src, __global float *dst, int w, int h) {
    int x = get_global_id(0), y = get_global_id(1);
    int ow = (w + 1) >> 1, oh = (h + 1) >> 1;
    if (x >= ow || y >= oh) return;
    int sx = [[2 * x + 1|min(2 * x + 1, w - 1)]], sy = 2 * y;
    dst[y * ow + x] = src[sy * w + 2 * x] + src[sy * w + sx];  // bad
}
""",
    ),
    "the first of four is tested, in rows that the host makes as long as the width": (
        WrongBoundsGuard,
        "cuda",
        """
struct Frame { unsigned char *data; int pitch, width, height; };
__global__ void invert(unsigned char *p, int pitch, int width, int height) {
    const int x = (blockIdx.x * blockDim.x + threadIdx.x) * 4, y = blockIdx.y;
    if (x >= width || y >= height) return;
    for (int i = 0; i < 4; i++)
        [[|if (x + i < width)]] p[y * pitch + x + i] ^= 255;  // bad
}
void run(Frame *f) {
    f->pitch = f->width;
    dim3 grid((f->width + 511) / 512, f->height);
    invert<<<grid, 128>>>(f->data, f->pitch, f->width, f->height);
}
""",
    ),
    "a sum for each row of which the row is tested where it is read": (
        MissingBoundsGuard,
        "opencl",
        """
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void products(__global const float *a, __global const float *x, __global float *y, int cols, int rows) {
    __local float sums[64];
    const int row = get_group_id(0) * 2 + get_local_id(0) / 32, lane = get_local_id(0) % 32;
    float s = 0.0f;
    if (row < rows)
        for (int c = lane; c < cols; c += 32) s += a[row * cols + c] * x[c];
    sums[get_local_id(0)] = s;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0[[| && row < rows]]) {
        float t = 0.0f;
        for (int i = 0; i < 32; i++) t += sums[get_local_id(0) + i];
        y[row] = t;  // bad
    }
}
""",
    ),
    "the number of a warp, one too many": (
        WrongBoundsGuard,
        "cuda",
        """
__global__ void firsts(const float *in, float *out, int rows, int cols) {
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (warp [[>|>=]] rows) return;
    if (threadIdx.x % 32 == 0) out[warp] = in[(size_t)warp * cols];  // bad
}
void run(const float *in, float *out, int rows, int cols) {
    firsts<<<(rows * 32 + 255) / 256, 256>>>(in, out, rows, cols);
}
""",
    ),
    "the rest of the elements is taken one by one, and the vectors are counted as they are": (
        WrongBoundsGuard,
        "cuda",
        """
__global__ void twice(const float4 *in, float4 *out, size_t n) {
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < [[n|n / 4]]; i += step) {
        const float4 v = in[i];
        out[i] = make_float4(v.x * 2, v.y * 2, v.z * 2, v.w * 2);  // bad
    }
    if (blockIdx.x == 0 && threadIdx.x < n % 4)
        ((float *)out)[n / 4 * 4 + threadIdx.x] = 2 * ((const float *)in)[n / 4 * 4 + threadIdx.x];
}
""",
    ),
    "a vector that ends one beyond": (
        WrongBoundsGuard,
        "cuda",
        """
__global__ void relu(const float *in, float *out, int n) {
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i + [[3 <= n|3 < n]]) {
        float4 a = *(const float4 *)(in + i);
        *(float4 *)(out + i) = make_float4(fmaxf(a.x, 0), fmaxf(a.y, 0), fmaxf(a.z, 0), fmaxf(a.w, 0));  // bad
    } else
        for (int k = i; k < n; k++) out[k] = fmaxf(in[k], 0);
}
""",
    ),
    "vectors of an allocation that the host checks to be whole": (
        WrongBoundsGuard,
        "cuda",
        """
#include <cuda_runtime.h>
__global__ void twice(const float4 *in, float4 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < [[n|n / 4]]) {
        float4 v = in[i];
        out[i] = make_float4(v.x * 2, v.y * 2, v.z * 2, v.w * 2);  // bad
    }
}
bool run(int n) {
    if (n <= 0 || n % 4 != 0) return false;
    float *in, *out;
    cudaMalloc((void **)&in, n * sizeof(float));
    cudaMalloc((void **)&out, n * sizeof(float));
    twice<<<(n / 4 + 255) / 256, 256>>>((const float4 *)in, (float4 *)out, n);
    return true;
}
""",
    ),
    "an index that a test takes for a mark": (
        MissingBoundsGuard,
        "cuda",
        """
__global__ void starts(int n, const unsigned *tiles, int2 *ranges) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned tile = tiles[i];
    if (i == 0) {
        [[|if (tile != 0xffffffffu)]] ranges[tile].x = 0;  // bad
    } else if (tile != tiles[i - 1]) {
        if (tile != 0xffffffffu) ranges[tile].x = i;
    }
}
""",
    ),
    "a page that may be none, asked about for one of two arrays": (
        MissingBoundsGuard,
        "cuda",
        """
__global__ void append(const float *k, const float *v, float *keys, float *values, const int *table, int dim) {
    const int page = table[blockIdx.x];
    for (int i = threadIdx.x; i < dim; i += blockDim.x) {
        [[|if (page < 0) continue;]]
        keys[page * dim + i] = k[blockIdx.x * dim + i];  // bad
        if (page >= 0) values[page * dim + i] = v[blockIdx.x * dim + i];
    }
}
""",
    ),
    "the second step of an unrolled loop": (
        MissingBoundsGuard,
        "cuda",
        """
__global__ void axpy(float *y, const float *x, float a, long n) {
    const long stride = (long)gridDim.x * blockDim.x;
    for (long i = (long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 2 * stride) {
        y[i] += a * x[i];
        const long j = i + stride;
        [[|if (j < n)]] y[j] += a * x[j];  // bad
    }
}
""",
    ),
    "the right part of a halo": (
        MissingBoundsGuard,
        "opencl",
        """
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void blur(__global const float *src, __global float *dst, int width) {
    __local float tile[70];
    const int l = get_local_id(0), x = get_global_id(0), y = get_global_id(1);
    tile[l + 3] = x < width ? src[y * width + x] : 0.f;
    if (l < 3) {
        tile[l] = x >= 3 && x < width ? src[y * width + x - 3] : 0.f;
        tile[l + 67] = [[src[y * width + x + 64]|x + 64 < width ? src[y * width + x + 64] : 0.f]];  // bad
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x < width) dst[y * width + x] = tile[l] + tile[l + 3] + tile[l + 6];
}
""",
    ),
    "a row of the segment is read before it is known to be one": (
        LateBoundsGuard,
        "cuda",
        """
__global__ void longest(const int *seg, const int *offsets, const float *x, float *out) {
    const int last = seg[blockIdx.x + 1], row = seg[blockIdx.x] + threadIdx.x / 8;
    [[|if (row >= last) return;]]
    const int begin = offsets[row];  // bad
    [[if (row >= last) return;|]]
    if ((threadIdx.x & 7) == 0) out[row] = x[begin];
}
""",
    ),
    "a clamp to the size of a table": (
        WrongBoundsGuard,
        "cuda",
        """
__device__ float look(const float *lut, float t) {
    const int i = max(0, min((int)(t * 256), [[256|255]]));
    float lo = lut[i];  // bad
    return i + 1 < 256 ? lo + (t * 256 - i) * (lut[i + 1] - lo) : lo;
}
__global__ void tone(const float *in, float *out, const float *lut, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = look(lut, in[i]);
}
""",
    ),
    "a slot that data choose, tested against one too many": (
        ArrayIndexOutOfRange,
        "cuda",
        """
__global__ void keep(const float *x, float *out, int n, float t) {
    __shared__ float kept[64];
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] > t) {
        const int at = atomicAdd(&count, 1);
        if (at [[<=|<]] 64) kept[at] = x[i];  // bad
    }
    __syncthreads();
    if (threadIdx.x < 64) out[blockIdx.x * 64 + threadIdx.x] = kept[threadIdx.x];
}
""",
    ),
}

RIGHT: dict[str, tuple[RuleClass, str, str]] = {
    "places counted back from the end of a row": (
        WrongBoundsGuard,
        "cuda",
        """
__global__ void reverse(const char *in, char *out, int n, int len) {
    const int read = blockIdx.x * 4 + (threadIdx.x >> 5), lane = threadIdx.x & 31;
    if (read >= n) return;
    for (int base = 0; base < len; base += 32) {
        const int now = min(32, len - base);
        if (lane >= now) continue;
        out[(size_t)read * len + len - base - now + lane] = in[(size_t)read * len + base + now - 1 - lane];
    }
}
""",
    ),
    "each block has a row of its own, as long as the block": (
        MissingBoundsGuard,
        "cuda",
        """
__global__ void count(const unsigned char *in, unsigned n, unsigned *partial) {
    __shared__ unsigned bins[256];
    for (unsigned b = threadIdx.x; b < 256; b += blockDim.x) bins[b] = 0;
    __syncthreads();
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[in[i]], 1u);
    __syncthreads();
    for (unsigned b = threadIdx.x; b < 256; b += blockDim.x) partial[blockIdx.x * 256 + b] = bins[b];
}
void run(const unsigned char *in, unsigned n, unsigned *partial) { count<<<(n + 255) / 256, 256>>>(in, n, partial); }
""",
    ),
    "the posts between so many parts are one more": (
        WrongBoundsGuard,
        "cuda",
        """
__global__ void posts(uint2 *start, unsigned total, unsigned num_parts) {
    for (unsigned i = threadIdx.x; i <= num_parts; i += blockDim.x)
        start[i] = make_uint2((unsigned)((unsigned long long)i * total / num_parts), i);
}
""",
    ),
    "the last one is told apart before its neighbour is read": (
        WrongBoundsGuard,
        "cuda",
        """
__global__ void ends(const unsigned *tiles, int *end, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (i == n - 1 || tiles[i + 1] != tiles[i]) end[tiles[i]] = i + 1;
}
""",
    ),
    "a window that the launch's items look through": (
        WrongBoundsGuard,
        "cuda",
        """
__global__ void sums(const float *in, float *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0;
    for (int k = 0; k < 7; k++) s += in[i + k];
    out[i] = s;
}
void run(const float *in, float *out, int n) { sums<<<(n + 255) / 256, 256>>>(in, out, n); }
""",
    ),
    "half of a row, the middle with it, of pairs": (
        WrongBoundsGuard,
        "cuda",
        """
__global__ void mirror(const float *half, float *full, int nx, int ny) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny) return;
    int at = 2 * (y * nx + x);
    if (x <= nx / 2) full[at] = half[2 * (y * (nx / 2 + 1) + x)];
    else full[at] = half[2 * (y * (nx / 2 + 1) + nx - x)];
}
""",
    ),
    "the exact half": (
        WrongBoundsGuard,
        "opencl",
        """
__kernel void halve(__global const float *src, __global float *dst, int w, int h) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= w / 2 || y >= h / 2) return;
    dst[y * (w / 2) + x] = src[2 * y * w + 2 * x] + src[(2 * y + 1) * w + 2 * x + 1];
}
""",
    ),
}


def _loud(rule: RuleClass, code: str, language: str) -> set[int]:
    found = [one for one in findings(rule, code, language) if one.severity is not Severity.NOTE]
    return {code.encode()[: one.span.start].count(b"\n") + 1 for one in found}


def _made(code: str, right: bool) -> str:
    return re.sub(r"\[\[(.*?)\|(.*?)\]\](?!\])", lambda found: found.group(2 if right else 1), code)


@pytest.mark.parametrize("name", PAIRS)
def test_pairs(name: str) -> None:
    rule, language, code = PAIRS[name]
    marked = {number for number, line in enumerate(code.splitlines(), 1) if line.rstrip().endswith("// bad")}
    assert _loud(rule, _made(code, right=False), language) == marked
    assert _loud(rule, _made(code, right=True), language) == set()


@pytest.mark.parametrize("name", RIGHT)
def test_right(name: str) -> None:
    rule, language, code = RIGHT[name]
    assert _loud(rule, code, language) == set()
