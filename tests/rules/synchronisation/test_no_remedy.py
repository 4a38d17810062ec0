"""Accesses that meet by the letter, where a barrier is no remedy or is asked for already."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.missing_warp_sync import MissingWarpSync
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import assert_marked, findings

PRODUCT = """
__device__ void multiply(unsigned *p, unsigned by) {
    unsigned old = *p, assumed;
    do {
        assumed = old;
        old = atomicCAS(p, assumed, assumed * by);
    } while (old != assumed);
}
__global__ void k(const unsigned *in, unsigned *out) {
    __shared__ unsigned total;
    if (threadIdx.x == 0) total = 1;
    __syncthreads();
    multiply(&total, in[blockIdx.x * blockDim.x + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = total;
}
"""

GREATEST = """
__global__ void k(const int *in, int *out) {
    __shared__ int top;
    if (threadIdx.x == 0) top = 0;
    __syncthreads();
    int v = in[blockIdx.x * blockDim.x + threadIdx.x];
    if (v > top) atomicMax(&top, v);
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = top;
}
"""

TICKETS = """
__global__ void k(const int *in, int *out) {
    __shared__ int left;
    if (threadIdx.x == 0) left = 64;
    __syncthreads();
    if (left > 0) atomicSub(&left, 1); // bad
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = left;
}
"""

RIGHT_AFTER = """
__global__ void k(const int *in, int *out) {
    __shared__ int top;
    if (threadIdx.x == 0) top = 0;
    int v = in[blockIdx.x * blockDim.x + threadIdx.x];
    if (v > 0) atomicMax(&top, v); // bad
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = top;
}
"""


@pytest.mark.parametrize("code", [PRODUCT, GREATEST, TICKETS, RIGHT_AFTER])
def test_a_first_guess_is_no_race(code: str) -> None:
    assert_marked(SharedMemoryRace, code)


TILES = """
__global__ void k(const float *a, const float *b, float *c, int n) {
    __shared__ float s[16][16], t[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    s[y][x] = a[y * n + x];
    t[y][x] = b[y * n + x];
    float sum = 0.0f;
    for (int k = 0; k < 16; ++k) sum += s[y][k] * t[k][x];
    c[y * n + x] = sum;
}
void go(const float *a, const float *b, float *c, int n) { k<<<1, dim3(16, 16)>>>(a, b, c, n); }
"""


def test_a_barrier_of_the_block_is_missing_not_two_barriers() -> None:
    assert findings(SharedMemoryRace, TILES)
    assert findings(MissingWarpSync, TILES) == []


EVENTS = """
__kernel void k(__global const float *in, __global float *out, const int tiles) {
    __local float buf[2][256];
    event_t ev[2];
    const int l = get_local_id(0);
    ev[0] = async_work_group_copy(buf[0], in, 256, 0);
    for (int t = 0; t < tiles; t++) {
        if (t + 1 < tiles) ev[(t + 1) & 1] = async_work_group_copy(buf[(t + 1) & 1], in + (t + 1) * 256, 256, 0);
        @1
        out[t * 256 + l] = buf[t & 1][255 - l];
        @2
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
"""
WAIT = "wait_group_events(1, &ev[t & 1]);"


def test_a_copy_ends_with_a_wait_of_the_round_before() -> None:
    assert findings(SharedMemoryRace, EVENTS.replace("@1", WAIT).replace("@2", ""), "opencl") == []
    late = EVENTS.replace("@1", "").replace("@2", WAIT)
    assert findings(SharedMemoryRace, late, "opencl"), "the first round reads what is still being copied"
