"""Words of the whole grid that one thread clears in the launch in which others update them."""

from __future__ import annotations

from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace

from tests.rules.marked import assert_marked, assert_pair, findings

TRIED_AGAIN = """
__device__ void raise(float *most, float x) {
    int *bits = (int *)most;
    int held = *bits, before;  // bad
    while (__int_as_float(held) < x) {
        before = held;
        held = atomicCAS(bits, before, __float_as_int(x));
        if (held == before) break;
    }
}
__global__ void largest(const float *x, float *most, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) *most = 0.0f;  // only bad
    __syncthreads();
    if (i < n) raise(most, x[i]);
}
"""
LEFT_EARLY = """
inline void lower(volatile __global int *least, int x)
{
    int held;
    do {
        held = *least;  // bad
        if (held <= x) return;
    } while (atomic_cmpxchg(least, held, x) != held);
}
__kernel void smallest(__global const int *x, __global int *least, int n)
{
    int i = get_global_id(0);
    if (i == 0) least[0] = 0x7fffffff;  // only bad
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (i < n) lower(least, x[i]);
}
"""
WAITED_FOR = """
__global__ void counted(const int *x, int *count, volatile int *ready, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) {
        *count = 0;
        __threadfence();
        *ready = 1;
    }
    if (threadIdx.x == 0) while (*ready == 0);
    __syncthreads();
    if (i < n && x[i] < 0) atomicAdd(count, 1);
}
"""
FLAG = """
__global__ void look(const float *x, volatile int *odd, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) *odd = 0;  // only bad
    __syncthreads();
    for (; i < n; i += gridDim.x * blockDim.x) {
        if (isnan(x[i])) *odd = 1;  // bad
    }
}
void run(const float *x, int *odd, int n) {
    look<<<(n + 255) / 256, 256>>>(x, odd, n);
}
"""
ALONE = """
__global__ void look(const float *x, volatile int *odd, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) *odd = 0;
    __syncthreads();
    for (; i < n; i += gridDim.x * blockDim.x) {
        if (isnan(x[i])) *odd = 1;  // bad
    }
}
void run(const float *x, int *odd, int n) {
    look<<<BLOCKS, 256>>>(x, odd, n);
}
"""


def test_an_update_that_is_tried_again_waits_for_nobody() -> None:
    assert_pair(GlobalMemoryRace, TRIED_AGAIN)
    assert_pair(GlobalMemoryRace, LEFT_EARLY, "opencl")


def test_others_wait_until_it_is_cleared() -> None:
    assert not findings(GlobalMemoryRace, WAITED_FOR)


def test_a_flag_that_is_cleared_as_others_raise_it() -> None:
    assert_pair(GlobalMemoryRace, FLAG)


def test_barriers_order_the_only_block() -> None:
    assert_marked(GlobalMemoryRace, ALONE.replace("BLOCKS", "2"))
    assert not findings(GlobalMemoryRace, ALONE.replace("BLOCKS", "1"))


SET_BY_OTHERS = """
__kernel void any_match(__global const int *keys, __global int *hit, const int key, const int n)
{
    const int i = get_global_id(0);
    if (i == 0) *hit = FIRST;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (i < n && keys[i] == key) *hit = 1;
}
"""


def test_another_number_than_the_one_it_is_reset_to() -> None:
    bad = SET_BY_OTHERS.replace("*hit = 1;", "*hit = 1;  // bad")
    assert_marked(GlobalMemoryRace, bad.replace("FIRST", "0"), "opencl")
    assert not findings(GlobalMemoryRace, SET_BY_OTHERS.replace("FIRST", "1"), "opencl")
    alone = SET_BY_OTHERS.replace("    if (i == 0) *hit = FIRST;\n", "")
    assert not findings(GlobalMemoryRace, alone, "opencl")
    group = SET_BY_OTHERS.replace("get_global_id", "get_local_id").replace("FIRST", "0")
    assert not findings(GlobalMemoryRace, group, "opencl")
