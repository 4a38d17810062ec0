"""Shuffles in blocks that are no whole number of warps: what comes from lanes without a thread."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.divergent_warp_intrinsic import DivergentWarpIntrinsic

from tests.rules.marked import assert_marked

BAD = {
    "a template over the size of the block": """
template <typename T, int N>
__global__ void spread(const T *x, T *least) {
    T v = x[blockIdx.x * N + threadIdx.x];
#pragma unroll
    for (int d = 16; d >= 1; d /= 2) {
        T w = __shfl_xor_sync(0xffffffff, v, d); // bad
        v = w < v ? w : v;
    }
    __shared__ T part[(N + 31) / 32];
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < (N + 31) / 32; ++i) part[0] = min(part[0], part[i]);
        least[blockIdx.x] = part[0];
    }
}
void run(const float *x, float *least, int rows) { spread<float, 80><<<rows, 80>>>(x, least); }
""",
    "the first lane is given by others that read too far": """
__global__ void total(const int *x, int *sum) {
    int v = x[threadIdx.x];
    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, d); // bad
    if (threadIdx.x % 32 == 0) atomicAdd(sum, v);
}
void run(const int *x, int *sum) { total<<<1, 60>>>(x, sum); }
""",
    "a square block": """
class Sum {
public:
    static __device__ float of(float v) {
        v += __shfl_down_sync(0xffffffffu, v, 16); // bad
        v += __shfl_down_sync(0xffffffffu, v, 8);
        v += __shfl_down_sync(0xffffffffu, v, 4);
        v += __shfl_down_sync(0xffffffffu, v, 2);
        return v + __shfl_down_sync(0xffffffffu, v, 1);
    }
};
__global__ void tile(const float *x, float *sum) {
    const int t = threadIdx.y * 12 + threadIdx.x;
    const float v = Sum::of(x[blockIdx.x * 144 + t]);
    if (t % 32 == 0) atomicAdd(sum, v);
}
void run(const float *x, float *sum, int tiles) { tile<<<tiles, dim3(12, 12)>>>(x, sum); }
""",
}

GOOD = {
    "whole warps": """
__global__ void total(const int *x, int *sum) {
    int v = x[threadIdx.x];
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
    if (threadIdx.x % 32 == 0) atomicAdd(sum, v);
}
void run(const int *x, int *sum) { total<<<1, 96>>>(x, sum); }
""",
    "as far as there are threads": """
__global__ void total(const int *x, int *sum) {
    int v = x[threadIdx.x];
    const int lane = threadIdx.x % 32, there = min(32, 60 - (int)threadIdx.x / 32 * 32);
    for (int d = 16; d > 0; d >>= 1) {
        const int w = __shfl_down_sync(0xffffffffu, v, d);
        if (lane + d < there) v += w;
    }
    if (lane == 0) atomicAdd(sum, v);
}
void run(const int *x, int *sum) { total<<<1, 60>>>(x, sum); }
""",
    "groups of sixteen in a block of forty-eight": """
__global__ void rows(const int *x, int *sum) {
    int v = x[threadIdx.x];
    for (int d = 8; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d, 16);
    if (threadIdx.x % 16 == 0) sum[threadIdx.x / 16] = v;
}
void run(const int *x, int *sum) { rows<<<1, 48>>>(x, sum); }
""",
    "a block of half a warp that starts at half of itself": """
__global__ void total(const int *x, int *sum) {
    int v = x[threadIdx.x];
    for (int d = blockDim.x / 2; d > 0; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
    if (threadIdx.x == 0) *sum = v;
}
void run(const int *x, int *sum) { total<<<1, 16>>>(x, sum); }
""",
    "the last round is for the first warp, though the others run along": """
__global__ void total(const int *x, int *sum) {
    __shared__ int part[32];
    if (threadIdx.x < 32) part[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&part[threadIdx.x % 32], x[threadIdx.x]);
    __syncthreads();
    int v = part[threadIdx.x % 32];
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
    if (threadIdx.x == 0) *sum = v;
}
void run(const int *x, int *sum) { total<<<1, 80>>>(x, sum); }
""",
    "a block of which the launch does not say the size": """
__global__ void total(const int *x, int *sum) {
    int v = x[threadIdx.x];
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
    if (threadIdx.x % 32 == 0) atomicAdd(sum, v);
}
void run(const int *x, int *sum, int n) { total<<<1, n>>>(x, sum); }
""",
}


@pytest.mark.parametrize("name", BAD)
def test_a_lane_without_a_thread_gives_what_is_kept(name):
    assert_marked(DivergentWarpIntrinsic, BAD[name])


@pytest.mark.parametrize("name", GOOD)
def test_nothing_comes_from_lanes_without_a_thread(name):
    assert_marked(DivergentWarpIntrinsic, GOOD[name])


CAPPED = """
__global__ void row_max(const float *x, float *most, int cols) {
    __shared__ float part[32];
    float v = -1e30f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) v = fmaxf(v, x[blockIdx.x * cols + c]);
    for (int d = 16; d > 0; d >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, d)); @mark
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < @warps; ++w) v = fmaxf(v, part[w]);
        most[blockIdx.x] = v;
    }
}
void run(const float *x, float *most, int rows, int cols) {
    if (cols < 1 @checks) return;
    const int threads = @threads;
    row_max<<<rows, threads>>>(x, most, cols);
}
"""
UP, DOWN = "(blockDim.x + 31) / 32", "blockDim.x / 32"


@pytest.mark.parametrize(
    ("threads", "warps", "checks", "told"),
    [
        ("cols < 1024 ? cols : 1024", UP, "", True),
        ("cols < 512 ? cols : 512", DOWN, "", True),
        ("cols", UP, "|| cols > 1024", True),
        ("cols", DOWN, "|| cols > 1024", False),
        ("cols < 1024 ? cols : 1024", UP, "|| cols % 32 != 0", False),
        ("(cols + 31) / 32 * 32", UP, "|| cols > 1024", False),
        ("cols < 32 ? 32 : 256", UP, "", False),
    ],
)
def test_blocks_of_as_many_threads_as_items(threads: str, warps: str, checks: str, told: bool) -> None:
    code = CAPPED.replace("@threads", threads).replace("@warps", warps).replace("@checks", checks)
    assert_marked(DivergentWarpIntrinsic, code.replace("@mark", "// bad" if told else ""))
