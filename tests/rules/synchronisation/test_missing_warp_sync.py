"""Lanes that exchange data without waiting."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace
from kernlint_rules.synchronisation.missing_warp_sync import MissingWarpSync

from tests.rules.marked import assert_marked, findings

CASES = {
    "last warp through volatile": """
__global__ void k(float *o) {
    __shared__ float s[128];
    int t = threadIdx.x;
    s[t] = o[t];
    __syncthreads();
    if (t < 64) s[t] += s[t + 64];
    __syncthreads();
    if (t < 32) {
        volatile float *w = s;
        w[t] += w[t + 32];
        w[t] += w[t + 16]; // bad
    }
    if (t == 0) o[0] = s[0];
}
""",
    "two tables that a warp fills and reads at once": """
__global__ void k(float *o, const float *x) {
    __shared__ float a[32], b[32];
    int t = threadIdx.x;
    a[t] = x[t];
    b[t] = x[t + 32];
    o[t] = a[31 - t] // bad
         + b[31 - t];
}
""",
    "synchronised": """
__global__ void k(float *o) {
    __shared__ float s[128];
    int t = threadIdx.x;
    s[t] = o[t];
    __syncwarp();
    float v = s[t ^ 1];
    __syncwarp();
    s[t] = v;
    o[t] = s[t];
}
""",
    "a shuffle waits too": """
__global__ void k(float *o) {
    __shared__ float s[128];
    int t = threadIdx.x;
    s[t] = o[t];
    float v = __shfl_xor_sync(0xffffffffu, o[t], 1);
    o[t] = v + s[t ^ 2];
}
""",
}


@pytest.mark.parametrize("name", CASES)
def test_cases(name: str) -> None:
    assert_marked(MissingWarpSync, CASES[name])


def test_old_targets_move_in_step() -> None:
    silent = CASES["last warp through volatile"].replace(" // bad", "")
    assert_marked(MissingWarpSync, silent, target="sm_61")
    assert_marked(MissingWarpSync, silent, "hip")


def test_each_thread_is_named_with_what_it_does() -> None:
    code = """
__global__ void k(float *x, int n) {
  __shared__ float s[32];
  for (int r = 0; r < n; ++r) {
    s[threadIdx.x] = x[threadIdx.x + r * 32];
    __syncwarp();
    x[r * 32 + threadIdx.x] = s[threadIdx.x ^ 1];
  }
}
void run(float *x, int n) { k<<<1, 32>>>(x, n); }
"""
    (found,) = findings(MissingWarpSync, code)
    assert found.witness is not None
    steps = {step.what.split()[0]: step.thread[0] for step in found.witness.steps}
    words = (
        f"thread {steps['writes']} writes s[0], which thread {steps['reads']} of the same warp reads in the previous"
    )
    assert found.message.startswith(words)


IN_GLOBAL = """
__global__ void total(int *in, int *out) {
    int t = threadIdx.x;
    if (t < 32) {
        volatile int *part = in + blockIdx.x * 64;
        part[t] += part[t + 32];
        part[t] += part[t + 16];
        part[t] += part[t + 8];
    }
    if (t == 0) out[blockIdx.x] = in[blockIdx.x * 64];
}
"""


def test_lanes_that_exchange_in_global_memory_are_told_once() -> None:
    [found] = findings(GlobalMemoryRace, IN_GLOBAL)
    assert "__syncwarp()" in str(found.fix)


STORES = """
__global__ void k(const float *x, float *y) {
    __shared__ float s[128];
    int t = threadIdx.x;
    float sum = x[blockIdx.x * 128 + t];
    for (int by = 16; by > 0; by /= 2) sum += __shfl_down_sync(0xffffffffu, sum, by);
    STORE
    __syncthreads();
    y[blockIdx.x * 128 + t] = s[t];
}
void run(const float *x, float *y, int n) { k<<<n, 128>>>(x, y); }
"""


@pytest.mark.parametrize(
    ("store", "advice"),
    [
        ("s[t / 32] = sum;", "one lane alone"),
        ("for (int i = 0; i < 4; i++) s[t ^ i] = sum;", "__syncwarp()"),
    ],
)
def test_what_parts_lanes_of_one_store(store: str, advice: str) -> None:
    (found,) = findings(MissingWarpSync, STORES.replace("STORE", store))
    assert found.fix is not None and advice in found.fix.description
    assert not findings(MissingWarpSync, STORES.replace("STORE", "if (t % 32 == 0) s[t / 32] = sum;"))
