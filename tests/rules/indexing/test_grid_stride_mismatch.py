"""A step in numbers is the grid's where the kernel says how large its blocks are."""

from __future__ import annotations

import pytest
from kernlint_rules.indexing.grid_stride_mismatch import GridStrideMismatch

from tests.rules.marked import findings

REQUIRED = """
__kernel __attribute__((reqd_work_group_size(SIZE, 1, 1)))
void halve(__global float *x, const uint n) {
    for (uint i = get_global_id(0); i < n; i += get_num_groups(0) * 192) x[i] *= 0.5f;
}
"""


LESS = """
__global__ void add(float *sum, const float *x, int n) {
    const int step = STEP;
    for (int i = FIRST; i < n; i += step) sum[i] += x[i];
}
"""


@pytest.mark.parametrize(
    "first, step, bad",
    [
        ("blockIdx.x * blockDim.x + threadIdx.x", "(blockDim.x - 1) * gridDim.x", True),
        ("blockIdx.x * blockDim.x + threadIdx.x", "blockDim.x * gridDim.x - 1", True),
        ("4 * (blockIdx.x * blockDim.x + threadIdx.x)", "4 * blockDim.x * (gridDim.x - 1)", True),
        ("blockIdx.x * (blockDim.x - 1) + threadIdx.x", "(blockDim.x - 1) * gridDim.x", False),  # blocks overlap
        ("blockIdx.x * blockDim.x + threadIdx.x", "blockDim.x * gridDim.x", False),
        ("blockIdx.x * blockDim.x + threadIdx.x + 2 * n", "(blockDim.x - 1 + 1) * gridDim.x", False),
    ],
)
def test_some_threads_less_than_a_grid(first: str, step: str, bad: bool) -> None:
    code = LESS.replace("FIRST", first).replace("STEP", step)
    assert bool(findings(GridStrideMismatch, code)) is bad


def test_the_required_size_of_a_block() -> None:
    assert not findings(GridStrideMismatch, REQUIRED.replace("SIZE", "192"), "opencl")
    assert findings(GridStrideMismatch, REQUIRED.replace("SIZE", "64"), "opencl")
