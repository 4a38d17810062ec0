"""Launches of as many blocks as are passed: each block has a row, and no thread is one too many."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard

from kernlint.finding import Severity
from tests.rules.marked import findings

CODE = """
__global__ void copy(const float *in, float *out, int rows) {
    out[blockIdx.x * 32 + threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x];
}
__global__ void first(const float *in, float *out, int rows) {
    int row = blockIdx.x * 256 + threadIdx.x;
    if (row < rows) out[row] = in[row * 32];
}
void run(const float *in, float *out, int rows) {
    copy<<<GRID, 32>>>(in, out, rows);
    first<<<(rows + 255) / 256, 256>>>(in, out, rows);
}
"""


@pytest.mark.parametrize(("grid", "told"), [("rows", False), ("(rows + 31) / 32", True), ("64", False)])
def test_rows(grid: str, told: bool) -> None:
    found = findings(MissingBoundsGuard, CODE.replace("GRID", grid))
    assert any(one.severity is not Severity.NOTE for one in found) is told
