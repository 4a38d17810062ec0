"""Loops that wait for a plain word, and those that may."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.cached_spin import CachedSpin

from tests.rules.marked import assert_marked, findings

CASES = {
    "a plain flag": """
__global__ void k(int *flag, int *o) {
    while (flag[0] == 0) // bad
        ;
    o[0] = 1;
}
""",
    "a do loop through a variable": """
__global__ void k(int *flag, int *o) {
    int v;
    do {
        v = flag[blockIdx.x]; // bad
    } while (v == 0);
    o[0] = 1;
}
""",
    "a break with a pause": """
__global__ void k(int *flag, int *o) {
    while (true) {
        if (flag[0] != 0) break; // bad
        __nanosleep(20);
    }
    o[0] = 1;
}
""",
    "a shared word in a helper": """
__device__ int state(const int *s) { return s[0]; } // bad
__global__ void k(int *o) {
    __shared__ int s[1];
    if (threadIdx.x == 0) s[0] = 0;
    __syncthreads();
    if (threadIdx.x == 32) s[0] = 1;
    while (state(s) != 1) {
    }
    o[threadIdx.x] = 1;
}
""",
    "volatile": """
__global__ void k(volatile int *flag, int *word, int *o) {
    while (flag[0] == 0);
    while (*(volatile int *)word == 0);
    o[0] = 1;
}
""",
    "an atomic": """
__global__ void k(int *flag, int *o) {
    while (atomicAdd(flag, 0) == 0);
    o[0] = 1;
}
""",
    "a fence in the loop": """
__global__ void k(int *flag, int *o) {
    do {
        __threadfence();
    } while (flag[0] == 0);
    o[0] = 1;
}
""",
    "assembly that reads or forbids to cache": """
__global__ void k(int *flag, int *word, int *other, int *o) {
    int v;
    do {
        asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(v) : "l"(flag));
    } while (v == 0);
    do {
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(word) : "memory");
    } while (v == 0);
    do {
        asm volatile("" ::: "memory");
    } while (*other == 0);
    o[0] = 1;
}
""",
    "a loop with work": """
__global__ void k(const int *next, int *o, int n) {
    int i = threadIdx.x;
    while (next[i] != 0) i = next[i];
    for (int r = 0; r < n && next[0] > 0; ++r) o[r] = r;
    o[threadIdx.x] = i;
}
""",
    "a lock on CUDA": """
__global__ void k(int *lock, int *sum) {
    while (atomicCAS(lock, 0, 1) != 0);
    sum[0] += 1;
    atomicExch(lock, 0);
}
""",
}


@pytest.mark.parametrize("code", CASES.values(), ids=CASES.keys())
def test_spins(code: str) -> None:
    assert_marked(CachedSpin, code)


LOCK = """
__global__ void k(int *lock, int *sum) {
    %s
        while (atomicCAS(lock, 0, 1) != 0);
        sum[0] += 1;
        atomicExch(lock, 0);
    }
}
"""


def test_a_lock_in_lockstep() -> None:
    assert findings(CachedSpin, LOCK % "{", target="sm_61")
    assert not findings(CachedSpin, LOCK % "{", target="sm_80")
    assert findings(CachedSpin, LOCK % "{", "hip")
    assert not findings(CachedSpin, LOCK % "if (threadIdx.x == 0) {", "hip", block="64")
