"""Barriers of the whole grid: every block has to come."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.barrier_divergence import BarrierDivergence

from kernlint.finding import Severity
from tests.rules.marked import assert_marked, findings

KERNEL = """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(float *a, const float *b, int n, int rounds) {
    cg::grid_group grid = cg::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    BEFORE
        a[i] += b[i];
        grid.sync(); MARK
        a[i] += b[n - 1 - i];
    }
}
"""

BEFORE = {
    "if (blockIdx.x % 2 == 0) {": True,
    "if (blockIdx.x > 3) return; {": True,
    "for (int t = blockIdx.x; t < n; t += gridDim.x) {": True,
    "for (int t = 0; t < rounds; ++t) { if (b[blockIdx.x] > 1.0f) break;": True,
    "for (int t = 0; t < rounds; ++t) {": False,
    "if (blockIdx.x < gridDim.x) {": False,
    "if (n > 5) {": False,
    "for (int t = blockIdx.x; t < rounds + blockIdx.x; ++t) {": False,
}


@pytest.mark.parametrize("before", BEFORE)
def test_blocks_have_to_agree(before: str) -> None:
    code = KERNEL.replace("BEFORE", before).replace("MARK", "// bad" if BEFORE[before] else "")
    assert_marked(BarrierDivergence, code)


def test_blocks_may_disagree_before_a_barrier_of_their_own() -> None:
    code = KERNEL.replace("BEFORE", "if (blockIdx.x % 2 == 0) {").replace("grid.sync()", "__syncthreads()")
    assert_marked(BarrierDivergence, code.replace("MARK", ""))


def test_one_block_agrees_with_itself() -> None:
    code = KERNEL.replace("BEFORE", "if (blockIdx.x < 4) {").replace("MARK", "")
    assert not findings(BarrierDivergence, code, block="64,1,1", grid="1,1,1")
    assert not findings(BarrierDivergence, code, block="64,1,1", grid="4,1,1")
    (found,) = findings(BarrierDivergence, code, block="64,1,1", grid="5,1,1")
    assert "blocks of one grid" in found.message


HYBRID = """
#include <cooperative_groups.h>
__global__ void k(float *a, const float *b, int n) {
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = b[i];
    if (blockIdx.x == 0) {
        a[n + threadIdx.x] = b[threadIdx.x];
        grid.sync();
    } else {
        grid.sync();
        a[i] += b[0];
    }
}
"""


def test_blocks_may_meet_in_two_places() -> None:
    assert all(finding.severity is Severity.NOTE for finding in findings(BarrierDivergence, HYBRID))
