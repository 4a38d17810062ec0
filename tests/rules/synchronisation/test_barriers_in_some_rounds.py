"""Loops that come to a barrier in some of their rounds alone, chosen by the number of the round."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace
from kernlint_rules.synchronisation.missing_warp_sync import MissingWarpSync
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import assert_marked

WARP = """
__global__ void tail(const double *in, double *out) {
    __shared__ double part[256];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * 256 + t];
    for (int step = 128; step > 0; step /= 2) {
        if (step >= 32) __syncthreads();
        if (t < step) part[t] += part[t + step];  // bad
    }
    if (t == 0) out[blockIdx.x] = part[0];
}
__global__ void both(const double *in, double *out) {
    __shared__ double part[256];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        if (t < step) part[t] += part[t + step];
        if (step > 32) __syncthreads(); else __syncwarp();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}
"""

GROUP = """
__kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void stages(__global float *x) {
    __local float s[256];
    const uint t = get_local_id(0);
    __global float *mine = x + get_group_id(0) * 256;
    s[t] = mine[t];
    s[t + 128] = mine[t + 128];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint span = 128; span > 0; span >>= 1) {
        const uint j = t & (span - 1);
        const uint at = 2 * (t - j) + j;
        const float a = s[at], b = s[at + span];
        s[at] = a + b;  // bad
        s[at + span] = a - b;
        if (span > 64) barrier(CLK_LOCAL_MEM_FENCE);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    mine[t] = s[t];
    mine[t + 128] = s[t + 128];
}
"""

REFILLED = """
__global__ void refilled(const float *in, float *out, int steps) {
    __shared__ float row[256];
    int t = threadIdx.x;
    float sum = 0;
    for (int s = 0; s < steps; ++s) {
        if (s % 4 == 0) {
            row[t] = in[s * 256 + t];  // bad
            __syncthreads();
        }
        sum += row[(t + s) % 256];
    }
    out[t] = sum;
}
__global__ void kept_apart(const float *in, float *out, int steps) {
    __shared__ float row[256];
    int t = threadIdx.x;
    float sum = 0;
    for (int s = 0; s < steps; ++s) {
        if (s % 4 == 0) {
            __syncthreads();
            row[t] = in[s * 256 + t];
            __syncthreads();
        }
        sum += row[(t + s) % 256];
    }
    out[t] = sum;
}
__global__ void two_rows(const float *in, float *out, int steps) {
    __shared__ float row[2][256];
    int t = threadIdx.x;
    float sum = 0;
    for (int s = 0; s < steps; ++s) {
        if (s % 2 == 0) {
            row[s / 2 % 2][t] = in[s * 256 + t];
            __syncthreads();
        }
        sum += row[s / 2 % 2][(t + s) % 256];
    }
    out[t] = sum;
}
"""


def test_the_last_steps_of_a_warp() -> None:
    assert_marked(MissingWarpSync, WARP)


def test_the_last_stages_of_a_group() -> None:
    assert_marked(SharedMemoryRace, GROUP, "opencl")


@pytest.mark.parametrize("many", [2, 4])
def test_rows_that_are_filled_now_and_then(many: int) -> None:
    assert_marked(SharedMemoryRace, REFILLED.replace("s % 4", f"s % {many}"))


RETURNED = """
struct Ray { float x; int alive; };
__device__ bool march(Ray &ray, const unsigned char *grid, int n) {
    while (true) {
        if (ray.x > 1.0f) { ray.alive = 0; return false; }
        if (grid[(int)(ray.x * n)]) return true;
        ray.x += 0.1f;
    }
}
__global__ void advance(Ray *rays, const unsigned char *grid, int n, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    march(rays[i], grid, n);
    if (rays[i].alive) rays[i].x += 1.0f;
}
__device__ int found(const int *x, int n, int *s) {
    for (int k = 0; k < n; k++) {
        s[threadIdx.x] = x[k * 64 + threadIdx.x];
        __syncthreads();
        if (s[0] > 3) return k;
        __syncthreads();
    }
    return -1;
}
__global__ void search(const int *x, int n, int *out) {
    __shared__ int s[64];
    int at = found(x, n, s);
    WAIT
    s[threadIdx.x] = at;  // bad
    __syncthreads();
    out[threadIdx.x] = s[63 - threadIdx.x];
}
"""


def test_helpers_that_return_from_within_a_loop() -> None:
    assert_marked(GlobalMemoryRace, RETURNED.replace("// bad", ""))
    assert_marked(SharedMemoryRace, RETURNED.replace("WAIT", ""))
    assert_marked(SharedMemoryRace, RETURNED.replace("WAIT", "__syncthreads();").replace("// bad", ""))
