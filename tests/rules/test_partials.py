"""Launches with a thread for each block of the launch before."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.uncovered_tail import UncoveredTail

from tests.rules.marked import findings

TWO_STEPS = """
__global__ void parts(const float *x, float *part, int n) {
    __shared__ float s[256];
    const int i = blockIdx.x * 256 + threadIdx.x;
    s[threadIdx.x] = i < n ? x[i] : 0.0f;
    for (int k = 128; k > 0; k >>= 1) {
        __syncthreads();
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    }
    if (threadIdx.x == 0) part[blockIdx.x] = s[0];
}
__global__ void total(const float *part, float *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(out, part[i]);
}
void run(const float *x, float *part, float *out) {
    const int n = 1024;
    parts<<<(n + 255) / 256, 256>>>(x, part, n);
    total<<<1, THREADS>>>(FROM, out, n);
}
"""


@pytest.mark.parametrize(
    ("threads", "given", "bad"),
    [("(n + 255) / 256", "part", False), ("(n + 127) / 128", "part", True), ("(n + 255) / 256", "out + 1", True)],
)
def test_a_thread_for_each_block_before(threads: str, given: str, bad: bool) -> None:
    code = TWO_STEPS.replace("THREADS", threads).replace("FROM", given)
    assert bool(findings(UncoveredTail, code)) is bad
