"""The number of a block, found by dividing a thread's number in the grid by the size of its block."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.barrier_divergence import BarrierDivergence

from tests.rules.marked import findings

CODE = """
__global__ void norms(const float *rows, float *out, unsigned many, unsigned length) {
    __shared__ float part[256];
    for (unsigned row = FIRST; row < many; row += gridDim.x) {
        float sum = 0;
        for (unsigned c = threadIdx.x; c < length; c += blockDim.x) sum += rows[row * length + c];
        part[threadIdx.x] = sum;
        for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
            __syncthreads();
            if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        }
        if (threadIdx.x == 0) out[row] = part[0];
        __syncthreads();
    }
}
"""


@pytest.mark.parametrize(
    ("first", "told"),
    [
        ("(blockIdx.x * blockDim.x + threadIdx.x) / blockDim.x", False),
        ("(threadIdx.x + blockDim.x * blockIdx.x) / blockDim.x", False),
        ("(blockIdx.x * blockDim.x + threadIdx.x) / 100", True),
        ("(blockIdx.x * blockDim.x + threadIdx.x + 1) / blockDim.x", True),
        ("(blockIdx.x * blockDim.y + threadIdx.x) / blockDim.x", True),
        ("(blockIdx.x * blockDim.x + threadIdx.x) % blockDim.x", True),
    ],
)
def test_all_threads_of_a_block_find_its_number(first: str, told: bool) -> None:
    assert bool(findings(BarrierDivergence, CODE.replace("FIRST", first))) is told
