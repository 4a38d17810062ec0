"""Loops over rows of a given length: the threads of a block are places in a row."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.barrier_divergence import BarrierDivergence
from kernlint_rules.synchronisation.divergent_warp_intrinsic import DivergentWarpIntrinsic
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace

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


WARPS = """
__global__ void k(const float *x, float *y) {
  __shared__ float s[4][32];
  const int w = threadIdx.x / 32, l = threadIdx.x % 32;
  for (int c = blockIdx.x * 32 + l; c < @columns; c += gridDim.x * 32) {
    s[w][l] = x[w * @columns + c];
    __syncthreads();
    y[w * @columns + c] = s[(w + 1) % 4][l];
    __syncthreads();
  }
}
void run(const float *x, float *y) { k<<<10, 128>>>(x, y); }
"""


@pytest.mark.parametrize(("columns", "told"), [("768", False), ("770", True)])
def test_warps_go_through_columns_in_steps(columns: str, told: bool) -> None:
    found = findings(BarrierDivergence, WARPS.replace("@columns", columns))
    assert any(f.severity is not Severity.NOTE for f in found) is told


SLICES = """
__global__ void k(const int *begin, float *value, int rows) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  const int first = begin[r], last = begin[@end];
  for (int e = first; e < last; ++e) value[e] *= 1.0f / (last - first);
}
"""


@pytest.mark.parametrize(("end", "told"), [("r + 1", False), ("r + 2", True)])
def test_slices_between_neighbours_do_not_overlap(end: str, told: bool) -> None:
    found = findings(GlobalMemoryRace, SLICES.replace("@end", end))
    assert any(f.severity is not Severity.NOTE for f in found) is told


PLANE = """
#define W 384
__kernel void fill(__global float *a, const float step) {
    const int x = get_global_id(0), y = get_global_id(1);
    a[AT] = step * x + y;
}
"""


@pytest.mark.parametrize(
    ("at", "told"), [("y * W + x", False), ("x", True), ("y * W + x / 2", True), ("(y / 2) * W + x", True)]
)
def test_rows_of_a_number_of_elements_are_not_left(at: str, told: bool) -> None:
    assert bool(findings(GlobalMemoryRace, PLANE.replace("AT", at), "opencl")) is told
