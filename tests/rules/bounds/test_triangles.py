"""Inner loops that go as far as an outer one has come: what the outer one stops at says how far that is."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange

from tests.rules.marked import findings

SOLVE = """
__kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void solve(int n, const __global float *a, __global float *x) {
    __local float part[32];
    const int t = get_local_id(0);
    if (t < n) part[t] = x[t];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t == 0)
        for (int i = 0; i < END; ++i)
            for (int j = 0; j < i; ++j) part[i ROW] -= a[i * n + j] * part[j];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < n) x[t] = part[t];
}
"""


@pytest.mark.parametrize(("end", "row", "bad"), [("n", "", False), ("32", "", False), ("48", "& 31", True)])
def test_rows_above_the_diagonal(end: str, row: str, bad: bool) -> None:
    code = SOLVE.replace("END", end).replace("ROW", row)
    assert bool(findings(ArrayIndexOutOfRange, code, "opencl")) is bad
