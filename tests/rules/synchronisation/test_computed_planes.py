"""Blocks of two axes, one of which a launch computes of an argument."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import assert_marked

FOLD = """
struct Node { unsigned cells[4]; };
__global__ void fold(Node *out, const Node *in, unsigned layers) {
    extern __shared__ Node slots[];
    unsigned leaf = threadIdx.y;
    Node own = in[(blockIdx.x * blockDim.y + leaf) * blockDim.x + threadIdx.x];
    for (unsigned layer = 0; layer < layers; ++layer) {
        unsigned half = 1u << layer, mask = 2 * half - 1;
        unsigned slot = (leaf >> (layer + 1)) * blockDim.x + threadIdx.x;
        if ((leaf & mask) == half) slots[slot].cells[0] = own.cells[0];%s
        __syncthreads();
        if ((leaf & mask) == 0) own.cells[0] += slots[slot].cells[0];
        %s
    }
    if (leaf == 0) out[blockIdx.x * blockDim.x + threadIdx.x] = own;
}
cudaError_t run(Node *out, const Node *in, unsigned layers, int blocks) {
    if (layers > %d) return cudaErrorInvalidValue;
    dim3 block(32, 1u << layers);
    fold<<<blocks, block, sizeof(Node) * 32 * (block.y + 1) / 2>>>(out, in, layers);
    return cudaGetLastError();
}
"""


@pytest.mark.parametrize(
    ("last", "most", "wrong"), [("", 5, True), ("__syncthreads();", 5, False), ("", 3, True), ("", 1, False)]
)
def test_a_shift_of_an_argument(last: str, most: int, wrong: bool) -> None:
    assert_marked(SharedMemoryRace, FOLD % ("  // bad" if wrong else "", last, most))
