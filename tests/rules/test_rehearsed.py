"""Launches that are run to see whether their shared memory is large enough: padding, rounding, missing factors."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.dynamic_shared_memory_omitted import DynamicSharedMemoryOmitted

from tests.rules.marked import assert_pair, findings

PADDED = """
__host__ __device__ constexpr int spread(int i) { return i + i / 16; }
__global__ void mirror(float *rows, int n) {
    extern __shared__ float line[];
    float *row = rows + (long long)blockIdx.x * n;
    for (int i = threadIdx.x; i < n; i += blockDim.x) line[spread(i)] = row[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) row[i] = line[spread(n - 1 - i)];
}
bool run(float *rows, int n, int count) {
    int bits = 0;
    while ((1 << bits) < n) ++bits;
    if ((1 << bits) != n || n > 4096) return false;
    const size_t bytes = n * sizeof(float);  // only bad
    const size_t bytes = (spread(n - 1) + 1) * sizeof(float);  // only good
    mirror<<<count, n / 4, bytes>>>(rows, n);  // bad
    return true;
}
"""

ROUNDED = """
#include <algorithm>
template <typename T> struct Parts {
    T *values;
    int *ids;
    __device__ Parts(char *at, int n) : values((T *)at), ids((int *)(at + (n * sizeof(T) + 15) / 16 * 16)) {}
};
template <typename T> __global__ void keep(T *x, int *which, int n) {
    extern __shared__ __align__(16) char room[];
    Parts<T> parts(room, n);
    for (int i = threadIdx.x; i < n; i += blockDim.x) { parts.ids[i] = i; parts.values[i] = x[i]; }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) { which[i] = parts.ids[n - 1 - i]; x[i] = parts.values[i]; }
}
void run(float *x, int *which, int n) {
    const size_t bytes = n * sizeof(float) + 15 / 16 * 16 + n * sizeof(int);  // only bad
    const size_t bytes = (n * sizeof(float) + 15) / 16 * 16 + n * sizeof(int);  // only good
    keep<float><<<1, std::min(n, 512), bytes>>>(x, which, n);  // bad
}
"""

FACTOR = """
struct Plan { int points, channels, rounds; };
__global__ void shift(Plan plan, const int *from, float *out) {
    extern __shared__ int table[];
    const int all = plan.points * plan.channels;
    for (int i = threadIdx.x; i < all; i += blockDim.x) table[i] = from[i];
    __syncthreads();
    for (int c = 0; c < plan.channels; ++c)
        for (int p = threadIdx.x; p < plan.points; p += blockDim.x) out[table[c * plan.points + p]] = c;
}
void run(Plan plan, const int *from, float *out) {
    const size_t bytes = plan.points * sizeof(int);  // only bad
    const size_t bytes = plan.points * plan.channels * sizeof(int);  // only good
    shift<<<plan.rounds, 64, bytes>>>(plan, from, out);  // bad
}
"""

MEMBER = """
class Filter {
  public:
    Filter(int radius) : radius_(radius) {}
    void apply(const float *x, float *y, int n);
  private:
    int radius_;
};
__global__ void smooth(const float *x, float *y, int n, int radius) {
    extern __shared__ float tile[];
    for (int i = threadIdx.x; i < (int)blockDim.x + 2 * radius; i += blockDim.x) {
        const int at = (int)(blockIdx.x * blockDim.x) + i - radius;
        tile[i] = at >= 0 && at < n ? x[at] : 0.0f;
    }
    __syncthreads();
    float s = 0.0f;
    for (int k = 0; k <= 2 * radius; ++k) s += tile[threadIdx.x + k];
    if (blockIdx.x * blockDim.x + threadIdx.x < n) y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
void Filter::apply(const float *x, float *y, int n) {
    const size_t bytes = (128 + radius_) * sizeof(float);  // only bad
    const size_t bytes = (128 + 2 * radius_) * sizeof(float);  // only good
    smooth<<<(n + 127) / 128, 128, bytes>>>(x, y, n, radius_);  // bad
}
"""


@pytest.mark.parametrize("code", [PADDED, ROUNDED, FACTOR, MEMBER], ids=["padded", "rounded", "factor", "member"])
def test_too_few_bytes(code: str) -> None:
    assert_pair(DynamicSharedMemoryOmitted, code)


SORT = """
__global__ void sort(const float *x, float *y) {
    extern __shared__ float keys[];
    int *ids = (int *)(keys + blockDim.x);
    const int t = threadIdx.x;
    keys[t] = x[blockIdx.x * blockDim.x + t];
    ids[t] = t;
    __syncthreads();
    for (int k = 2; k <= blockDim.x; k <<= 1)
        for (int j = k >> 1; j > 0; j >>= 1) {
            const int other = t ^ j;
            if (other > t && keys[t] > keys[other]) { const int id = ids[t]; ids[t] = ids[other]; ids[other] = id; }
            __syncthreads();
        }
    y[blockIdx.x * blockDim.x + t] = ids[t];
}
void run(const float *x, float *y, int rows, int threads) {
    sort<<<rows, threads, threads * (sizeof(float) + sizeof(int))>>>(x, y);
}
"""


def test_who_chooses_the_block_knows_what_sorts_in_pairs() -> None:
    assert not findings(DynamicSharedMemoryOmitted, SORT)
