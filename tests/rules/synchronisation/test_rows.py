"""Loops over rows of a given length: the threads of a block are places in a row."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.barrier_divergence import BarrierDivergence
from kernlint_rules.synchronisation.divergent_warp_intrinsic import DivergentWarpIntrinsic

from kernlint.finding import Severity
from tests.rules.marked import findings

ROWS = """
__global__ void k(float *x, int hidden, int size) {
  __shared__ float s[256];
  for (int i = @loop) {
    s[threadIdx.x] = x[i] + __shfl_xor_sync(0xffffffffu, x[i], 1);
    __syncthreads();
    x[i] = s[0];
    __syncthreads();
  }
}
"""
LOOPS = {
    "blockIdx.x * hidden + threadIdx.x; i < size; i += gridDim.x * hidden": False,
    "blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x": True,
    "blockIdx.x * hidden + threadIdx.x; i < (blockIdx.x + 1) * hidden; i += blockDim.x": True,
}


@pytest.mark.parametrize("loop", LOOPS)
def test_threads_that_are_places_in_a_row_agree(loop: str) -> None:
    code = ROWS.replace("@loop", loop)
    told = [f for f in findings(BarrierDivergence, code) if f.severity is not Severity.NOTE]
    assert bool(told) is LOOPS[loop]
    lanes = [f for f in findings(DivergentWarpIntrinsic, code) if f.severity is not Severity.NOTE]
    assert bool(lanes) is LOOPS[loop]


STRIDED = """
__global__ void k(const float *x, float *y) {
  __shared__ float s[@cells];
  for (int i = threadIdx.x; i < @cells; i += @step) {
    s[i] = x[i];
    __syncthreads();
    y[i] = s[@cells - 1 - i];
  }
}
"""


@pytest.mark.parametrize("step", ["blockDim.x", "128"])
@pytest.mark.parametrize(("cells", "told"), [("130", True), ("1024", False)])
def test_no_block_goes_into_an_odd_number_of_cells(cells: str, told: bool, step: str) -> None:
    found = findings(BarrierDivergence, STRIDED.replace("@cells", cells).replace("@step", step))
    assert any(f.severity is not Severity.NOTE for f in found) is told
