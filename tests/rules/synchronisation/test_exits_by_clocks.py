"""Threads that a clock makes return before they have filled their place for others."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.barrier_divergence import BarrierDivergence

from kernlint.finding import Severity
from tests.rules.marked import findings

STEPS = """
__global__ void steps(const float *x, float *y, long long most, int rounds) {
    __shared__ float s[256];
    const long long start = clock64();
    for (int r = 0; r < rounds; ++r) {
        if (clock64() - start > most) return;
        s[threadIdx.x] = x[r * 128 + threadIdx.x];
        __syncthreads();
        y[r * 128 + threadIdx.x] = s[READ];
        __syncthreads();
    }
}
void run(const float *x, float *y, long long most, int n) { steps<<<1, 128>>>(x, y, most, n); }
"""

WAIT = """
__global__ void wait(volatile int *ready, const float *x, float *y, long long most) {
    __shared__ float s[128];
    const long long start = clock64();
    while (!ready[blockIdx.x]) {
        if (clock64() - start > most) return;
    }
    s[threadIdx.x] = x[blockIdx.x * 128 + threadIdx.x];
    __syncthreads();
    y[blockIdx.x * 128 + threadIdx.x] = s[READ];
}
void run(volatile int *ready, const float *x, float *y, int n) { wait<<<n, 128>>>(ready, x, y, 1000); }
"""


@pytest.mark.parametrize("code", [STEPS, WAIT])
@pytest.mark.parametrize(
    ("read", "missing"), [("127 - threadIdx.x", True), ("threadIdx.x ^ 1", None), ("threadIdx.x", False)]
)
def test_what_is_missing(code: str, read: str, missing: bool | None) -> None:
    found = findings(BarrierDivergence, code.replace("READ", read))
    assert found
    if missing is not None:
        assert [one.severity for one in found] == [Severity.WARNING if missing else Severity.NOTE] * len(found)
