"""Elements after one that the kernel knows as the last, and rows that are filled one by one."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import findings

FALL = """
__global__ void fall(const unsigned *v, unsigned *at, unsigned n, unsigned each, unsigned bound) {
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= (n + each - 1) / each) return;
    const unsigned end = min((t + 1) * each, END);
    for (unsigned i = t * each; i < end; ++i)
        if (v[i] > bound && v[i + 1] <= bound) *at = i + 1;
    if (t == 0 && v[LAST] > bound) *at = n;
}
"""


@pytest.mark.parametrize(
    ("end", "last", "bad"),
    [("n", "n - 1", True), ("n - 1", "n - 1", False), ("n", "n", False), ("n", "0", False)],
)
def test_after_the_last_element(end: str, last: str, bad: bool) -> None:
    assert bool(findings(WrongBoundsGuard, FALL.replace("END", end).replace("LAST", last))) is bad


NEAR = """
__global__ void near(const float2 *at, const int *first, const int *items, int *list, int *many, float r,
                     int room, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int found = 0;
    for (int k = first[i]; k < first[i + 1]; ++k) {
        const int j = items[k];
        const float dx = at[i].x - at[j].x, dy = at[i].y - at[j].y;
        if (CONDITION) {
            list[i * room + found] = j;
            ++found;
        }
    }
    many[i] = AFTER;
}
"""


@pytest.mark.parametrize(
    ("condition", "after", "bad"),
    [
        ("dx * dx + dy * dy < r", "found", True),
        ("dx * dx + dy * dy < r && found < room", "found", False),
        ("dx * dx + dy * dy < r", "found > room ? -1 : found", False),  # somebody has thought of it
        ("dx * dx + dy * dy < r", "room", True),
    ],
)
def test_rows_that_fill(condition: str, after: str, bad: bool) -> None:
    code = NEAR.replace("CONDITION", condition).replace("AFTER", after)
    assert bool(findings(MissingBoundsGuard, code)) is bad
