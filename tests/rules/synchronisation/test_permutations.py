"""Index arrays that another kernel stores through, once for each entry, name no element twice."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace

from kernlint.finding import Severity
from tests.rules.marked import findings

ROWS = """
__global__ void lengths(const int *starts, const int *order, int *next, int rows) {
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    LENGTH
}
__global__ void entries(const int *starts, const int *order, const int *columns, int *next, int *out, int rows) {
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    const int to = order[r];
    for (int k = starts[r]; k < starts[r + 1]; ++k) out[next[to]++] = columns[k];
}
void sums(int *next, int rows);
void run(const int *starts, const int *order, const int *columns, int *next, int *out, int rows) {
    lengths<<<(rows + 255) / 256, 256>>>(starts, order, next, rows);
    sums(next, rows);
    entries<<<(rows + 255) / 256, 256>>>(starts, order, columns, next, out, rows);
}
"""


@pytest.mark.parametrize(
    ("length", "told"),
    [
        ("next[order[r]] = starts[r + 1] - starts[r];", False),
        ("const int to = order[r]; next[to] = starts[r + 1] - starts[r];", False),
        ("atomicAdd(&next[order[r]], starts[r + 1] - starts[r]);", True),
        ("next[order[r]] = 0;", True),
        ("next[r] = starts[r + 1] - starts[r];", True),
    ],
)
def test_lengths_stored_through_the_same_array(length: str, told: bool) -> None:
    found = [
        one for one in findings(GlobalMemoryRace, ROWS.replace("LENGTH", length)) if one.severity is not Severity.NOTE
    ]
    assert bool(found) is told
