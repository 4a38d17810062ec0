"""Pointers that a kernel itself compares with null: a launch may pass none."""

from __future__ import annotations

from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import assert_pair, findings

MADE_HERE = """
__device__ float total(float *s, float x) {
    s[threadIdx.x] = x;
    __syncthreads();
    for (int half = 64; half > 0; half >>= 1) {
        if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
        __syncthreads();
    }
    return s[0];
}
__global__ __launch_bounds__(128) void centre(const float *x, const float *kept, float *y) {
    __shared__ float part[128];
    int at = blockIdx.x * 128 + threadIdx.x;
    float mean;
    if (kept != nullptr) {
        mean = kept[blockIdx.x];
    } else {
        mean = total(part, x[at]) / 128;
        __syncthreads();  // only good
    }
    part[threadIdx.x] = (x[at] - mean) * (x[at] - mean);  // only bad  // bad
    part[threadIdx.x] = (x[at] - mean) * (x[at] - mean);  // only good
    __syncthreads();
    y[at] = part[127 - threadIdx.x];
}
"""
LEFT_OUT = """
__global__ void shift(const float *x, const float *more, const float *less, float *y) {
    __shared__ float row[256];
    row[threadIdx.x] = x[threadIdx.x];
    if (!more) __syncthreads();
    if (more) row[threadIdx.x] += more[threadIdx.x];
    if (more) __syncthreads();  // only good
    if (less) __syncthreads();  // only bad
    float here = row[255 - threadIdx.x];  // only bad  // bad
    float here = row[255 - threadIdx.x];  // only good
    if (less) here -= less[threadIdx.x];
    y[threadIdx.x] = here;
}
"""
USED_ANYHOW = """
__global__ void shift(const float *x, float *y) {
    __shared__ float row[256];
    row[threadIdx.x] = x[threadIdx.x];
    if (x != nullptr) __syncthreads();
    y[threadIdx.x] = row[255 - threadIdx.x];
}
"""
COMPACTED = """
__global__ void gather(int n, int *from, int *to, int *count) {
    __shared__ int found, start;
    int rounds = n;
    if (to != from) {
        if (threadIdx.x == 0) found = 0;
        rounds = (n + blockDim.x - 1) / blockDim.x * blockDim.x;
        __syncthreads();
    }
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rounds; i += gridDim.x * blockDim.x) {
        int one = i < n ? from[i] : -1;
        if (to != from) {
            int at = one == -1 ? -1 : atomicAdd(&found, 1);  // bad
            __syncthreads();
            if (found > 0) {  // only bad
            int all = found;  // only good
            __syncthreads();  // only good
            if (all > 0) {  // only good
                if (threadIdx.x == 0) start = atomicAdd(count, found);
                __syncthreads();
                if (at != -1) to[start + at] = one;
                if (threadIdx.x == 0) found = 0;
                __syncthreads();
            }
        }
    }
}
"""


def test_the_branch_without_an_argument_is_walked() -> None:
    assert_pair(SharedMemoryRace, MADE_HERE)


def test_one_argument_is_null_or_not_throughout() -> None:
    assert_pair(SharedMemoryRace, LEFT_OUT)


def test_what_is_read_without_a_test_is_there() -> None:
    assert not findings(SharedMemoryRace, USED_ANYHOW)


def test_two_arguments_are_one_array_or_not() -> None:
    assert_pair(SharedMemoryRace, COMPACTED)
