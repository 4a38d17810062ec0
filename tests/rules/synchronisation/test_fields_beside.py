"""What one field of an object in shared memory says keeps nobody from another field of it."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import findings

PAGES = """
struct State { const unsigned char *at; const unsigned char *end; unsigned count, done, failed; };
__device__ void next(State *s) {
    if (s->end - s->at < 2) { s->failed = 1; return; }
    s->done = s->at[0] & 1;
    s->count = s->at[1];
    s->at += 2;
}
__global__ void __launch_bounds__(128) pages(const unsigned char *const *pages, unsigned *out) {
    __shared__ State s;
    const int t = threadIdx.x;
    if (t == 0) { s.at = pages[blockIdx.x]; s.end = pages[blockIdx.x + 1]; s.done = s.failed = 0; }
    for (int r = 0;; r++) {
        if (t == 0) next(&s);
        __syncthreads();
        if (s.failed) break;
        out[(blockIdx.x * 64 + r) * 128 + t] = s.count;
        __syncthreads();
        if (s.done) break;
        BARRIER
    }
}
"""
WORDS = """
__kernel void words(__global const uint *from, __global uint *to) {
    __local uint state[3];
    const uint t = get_local_id(0);
    uint at = 0;
    if (t == 0) state[0] = state[1] = state[2] = 0;
    do {
        if (t == 0) {
            state[1] = from[at] & 1;
            state[2] = from[at] >> 8;
            if (from[at] == 0) state[0] = 1;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (state[0] != 0) return;
        to[at * 64 + t] = state[2];
        at++;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (state[1]) break;
        BARRIER
    } while (true);
}
"""
ONCE = """
__global__ void __launch_bounds__(256) both(const int *x, int *y, int n) {
    __shared__ struct { int sum, most, kept[2]; } s;
    const int t = threadIdx.x;
    if (t == 0) { s.sum = x[0]; s.most = x[1]; }
    __syncthreads();
    if (s.most > n) {
        y[t] = s.sum;
        BARRIER
        if (t == 64) s.sum = n;
    }
}
"""


@pytest.mark.parametrize(
    ("code", "language"), [(PAGES, "cuda"), (WORDS, "opencl"), (ONCE, "cuda")], ids=["pages", "words", "once"]
)
def test_another_field_keeps_nobody_away(code: str, language: str) -> None:
    barrier = "barrier(CLK_LOCAL_MEM_FENCE);" if language == "opencl" else "__syncthreads();"
    assert findings(SharedMemoryRace, code.replace("BARRIER", ""), language)
    assert not findings(SharedMemoryRace, code.replace("BARRIER", barrier), language)


def test_threads_on_two_sides_of_one_field() -> None:
    code = ONCE.replace("BARRIER", "} else {")
    assert not findings(SharedMemoryRace, code)
