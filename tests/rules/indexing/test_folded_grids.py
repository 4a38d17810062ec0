"""Grids of which the blocks along x are a share of a count in 64 bits, the rest lying along y."""

from __future__ import annotations

import pytest
from kernlint_rules.indexing.index_overflow import IndexOverflow

from tests.rules.marked import findings

FOLDED = """
__global__ void number(int *x) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = i;
}
void run(int *x, long long rows, long long width) {
    const long long blocks = (rows * width + 255) / 256;
    dim3 grid;
    grid.y = Y;
    grid.x = X;
    number<<<grid, 256>>>(x);
}
"""


@pytest.mark.parametrize(
    ("y", "x", "bad"),
    [
        ("1 + (blocks - 1) / 65536", "1 + (blocks - 1) / grid.y", False),
        ("1", "blocks", True),
        ("4", "blocks", True),
    ],
)
def test_a_grid_that_is_folded(y: str, x: str, bad: bool) -> None:
    assert bool(findings(IndexOverflow, FOLDED.replace("Y;", f"{y};").replace("X;", f"{x};"))) is bad
