"""Accesses that another kernel makes only under a condition of arguments."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard

from tests.rules.marked import findings

MIPS = """
// coarse: for each texel of a level the place of its parent; the last level has none
__global__ void average(const int *order, const int *coarse, const float *texel, float *sum, int n, int mip, int mips) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int t = order[i];
    FIRST
    atomicAdd(&sum[coarse[t]], texel[i]);
}

__global__ void count(const int *order, const int *coarse, int *found, int n, int mip, int mips) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    SECOND
    atomicAdd(&found[coarse[WHICH]], 1);
}
LAUNCHES
"""
BOTH = """
void pass(const int *order, const int *coarse, const float *texel, float *sum, int *found, int n, int mip, int mips) {
    average<<<(n + 63) / 64, 64>>>(order, coarse, texel, sum, n, mip, mips);
    count<<<(n + 63) / 64, 64>>>(order, coarse, found, n, MIP, mips);
}
"""


@pytest.mark.parametrize(
    ("first", "second", "which", "launches", "bad"),
    [
        ("", "if (mip + 1 == mips) return;", "order[i]", "", True),
        ("", "if (mip + 1 == mips) return;", "order[i]", BOTH.replace("MIP", "mip"), True),
        ("", "if (mip + 1 == mips) return;", "order[i]", BOTH.replace("MIP", "mip + 1"), False),
        ("if (mip + 1 == mips) return;", "if (mip + 1 == mips) return;", "order[i]", "", False),
        ("if (mip < mips - 1)", "if (mip + 1 == mips) return;", "order[i]", "", False),
        ("if (mip == 0) return;", "if (mip + 1 == mips) return;", "order[i]", "", False),  # known here
        ("", "if (mip + 1 == mips) return;", "i", "", False),  # other places
        ("", "if (mips <= 0) return;", "order[i]", "", False),  # nothing to do
        ("", "if (mip + i == mips) return;", "order[i]", "", False),
    ],
)
def test_conditions_of_arguments(first: str, second: str, which: str, launches: str, bad: bool) -> None:
    code = MIPS.replace("FIRST", first).replace("SECOND", second).replace("WHICH", which)
    found = findings(MissingBoundsGuard, code.replace("LAUNCHES", launches))
    assert any("whatever" in one.message for one in found) is bad, [one.message for one in found]
