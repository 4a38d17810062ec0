"""Numbers from memory that are no place: by comments, and by what another kernel of the file takes for granted."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard

from tests.rules.marked import findings

COUNT = """
// group: one number for each item, SAID
__global__ void count(const int *group, int *sizes, int n, int groups) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const int g = group[i];
        TEST
        atomicAdd(&sizes[AT], 1);
    }
}
"""


@pytest.mark.parametrize(
    ("said", "test", "at", "bad"),
    [
        ("-1 for items that belong nowhere", "", "g", True),
        ("-1 for items that belong nowhere", "if (g >= groups) continue;", "g", True),
        ("-1 for items that belong nowhere", "if (g < 0) continue;", "g", False),
        ("-1 for items that belong nowhere", "if (g == -1) continue;", "g", False),
        ("-1 for items that belong nowhere", "if ((unsigned)g >= (unsigned)groups) continue;", "g", False),
        ("-1 for items that belong nowhere", "", "g + 1", False),
        ("-1 for items that belong nowhere", "", "max(g, 0)", False),
        ("in any order", "", "g", False),
    ],
)
def test_what_a_comment_says(said: str, test: str, at: str, bad: bool) -> None:
    assert (
        bool(findings(MissingBoundsGuard, COUNT.replace("SAID", said).replace("TEST", test).replace("AT", at))) is bad
    )


TWO = """
#define SIDE 5
__global__ void forward(const int *corner, const float *field, float *sum, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int at = corner[i];
    if (FIRST) return;
    sum[i] = field[i * SIDE + at];
}
__global__ void backward(const int *corner, const float *field, float *sum, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int at = corner[i];
    SECOND
    sum[i] -= field[i * SIDE + at];
}
"""


@pytest.mark.parametrize(
    ("first", "second", "bad"),
    [
        ("at == SIDE", "", True),
        ("at == SIDE", "if (at == SIDE) return;", False),
        ("at == SIDE", "if (at >= SIDE) return;", False),
        ("sum[i] == SIDE", "", False),
    ],
)
def test_what_another_kernel_leaves_out(first: str, second: str, bad: bool) -> None:
    assert bool(findings(MissingBoundsGuard, TWO.replace("FIRST", first).replace("SECOND", second))) is bad
