"""Kernels for rows of one length, a block to a row, and for whole tiles: when a size beside them is a missing bound."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard

from kernlint.finding import Severity
from tests.rules.marked import findings

ROWS = """
__global__ void any_row(float *out, const float *in, int rows, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[blockIdx.x * n + i] = in[blockIdx.x * n + i] / n;
}
__global__ void row_of_512(float *out, const float *in, int lot, int n) {
    out[blockIdx.x * 512 + threadIdx.x] = in[blockIdx.x * 512 + threadIdx.x] / USE;
    out[blockIdx.x * 512 + 256 + threadIdx.x] = in[blockIdx.x * 512 + 256 + threadIdx.x] / USE;
}
"""

HOST = """
void host(float *out, const float *in, int rows, int n) {
    row_of_512<<<GRID, 256>>>(out, in, rows, n);
}
"""


def missing(code: str) -> bool:
    return any(found.severity is not Severity.NOTE for found in findings(MissingBoundsGuard, code))


def test_the_length_is_used_in_the_values_alone() -> None:
    assert not missing(ROWS.replace("USE", "n"))


def test_it_is_evidence_where_a_block_has_its_share_of_it() -> None:
    code = ROWS.replace("USE", "n").replace("blockIdx.x * 512 + 256", "blockIdx.x * blockDim.x")
    assert missing(code.replace("blockIdx.x * 512", "blockIdx.x * blockDim.x"))


@pytest.mark.parametrize(("grid", "bad"), [("rows", False), ("n / 512 + 1", True)])
def test_a_block_for_each_row(grid: str, bad: bool) -> None:
    code = ROWS.replace("USE", "2") + HOST.replace("GRID", grid)
    assert missing(code) is bad


TILES = """
__global__ void tiles(const float *in, float *sums, int n NUMBERS) {
    __shared__ float part[256];
    part[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0] + part[255];
}
"""


@pytest.mark.parametrize(("numbers", "bad"), [("", True), (", float scale", True), (", int first, int parts", False)])
def test_a_count_that_tiles_make_no_use_of(numbers: str, bad: bool) -> None:
    """Beside other numbers it need not be that of the elements: tiles are launched for padded arrays."""
    assert missing(TILES.replace("NUMBERS", numbers)) is bad
