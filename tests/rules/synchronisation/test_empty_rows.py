"""Barriers that stand in a loop alone, and rows of a table for which the loop goes no round."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import assert_marked

ROWS = """
struct Range { int begin, end; };
__global__ void gather(const int *start, const Range *ranges, int n, const float *x, const float *base, float *y) {
    __shared__ float part[128];
    __shared__ float bias[4];
    const int t = threadIdx.x, row = blockIdx.x;
    if (t < 4) bias[t] = base[t];
    BEFORE
    float sum = 0.0f;
    for (int at = FIRST; at < LAST; at += 128) {
        __syncthreads();
        if (at + t < LAST) part[t] = x[at + t];
        __syncthreads();
        for (int k = 0; k < min(128, LAST - at); ++k) sum += part[k];
    }
    AFTER
    y[row * 128 + t] = sum + bias[t % 4];MARK
}
void run(const int *start, const Range *ranges, int n, const float *x, const float *base, float *y, int rows) {
    gather<<<rows, 128>>>(start, ranges, n, x, base, y);
}
"""

CASES = {
    "rows of a table of starts": ("start[row]", "start[row + 1]", "", "", True),
    "both ends in a record": ("ranges[row].begin", "ranges[row].end", "", "", True),
    "a size of the caller": ("0", "n", "", "", False),
    "a barrier behind": ("start[row]", "start[row + 1]", "", "__syncthreads();", False),
    "a barrier ahead": ("start[row]", "start[row + 1]", "__syncthreads();", "", False),
    "no empty rows": ("start[row]", "start[row + 1]", "if (start[row] >= start[row + 1]) return;", "", False),
    "ends of two tables": ("start[row]", "ranges[row].end", "", "", False),
}


@pytest.mark.parametrize("name", CASES)
def test_rows(name: str) -> None:
    first, last, before, after, bad = CASES[name]
    code = ROWS.replace("FIRST", first).replace("LAST", last).replace("BEFORE", before).replace("AFTER", after)
    assert_marked(SharedMemoryRace, code.replace("MARK", "  // bad" if bad else ""))
