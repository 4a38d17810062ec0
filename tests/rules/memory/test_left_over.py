"""Shared memory that nobody sets, and that nothing comes of: the block leaves the same behind whatever is there."""

from __future__ import annotations

import pytest
from kernlint_rules.memory.uninitialised_shared_memory import UninitialisedSharedMemory

from kernlint.finding import Severity
from tests.rules.marked import findings

SUMS = """
__device__ float from(float v, int mask) {
    float other;
    asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=f"(other) : "f"(v), "r"(mask));
    return other;
}
__global__ void __launch_bounds__(64) means(const float *x, float *out) {
    __shared__ float part[32];
    const int t = threadIdx.x;
    float sum = x[blockIdx.x * 64 + t];
    for (int i = 16; i > 0; i >>= 1) sum += SHUFFLE(sum, i);
    if ((t & 31) == 0) part[t >> 5] = sum;
    __syncthreads();
    if (t < 32) {
        sum = part[t];
        for (int i = COUNT; i > 0; i >>= 1) sum += SHUFFLE(sum, i);
        if (t == 0) out[blockIdx.x] = sum;
    }
}
void run(const float *x, float *out) { means<<<8, 64>>>(x, out); }
"""


@pytest.mark.parametrize("shuffle", ["from(sum, i)", "__shfl_xor_sync(0xffffffff, sum, i)"])
@pytest.mark.parametrize(("count", "severity"), [("1", Severity.NOTE), ("16", Severity.WARNING)])
def test_lanes_whose_sums_nobody_takes(shuffle: str, count: str, severity: Severity) -> None:
    code = SUMS.replace("SHUFFLE(sum, i)", shuffle).replace("COUNT", count)
    (found,) = findings(UninitialisedSharedMemory, code)
    assert found.severity is severity
