"""Tests that let the size of an array through, and take its last element where they fail."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import findings

EDGES = """
__global__ void edges(const int *keys, int *starts, TYPE n, int each) {
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * each;
    for (int i = first; i < first + each; ++i) {
        int next = CHOICE;
        if (next != 0) atomicAdd(starts, 1);
    }
}
"""


@pytest.mark.parametrize("type_", ["int", "size_t"])
@pytest.mark.parametrize(
    ("choice", "bad"),
    [
        ("i + 1 > n ? keys[n - 1] : keys[i + 1]", True),
        ("i + 1 <= n ? keys[i + 1] : keys[n - 1]", True),
        ("i > n ? keys[n - 1] : keys[i]", True),
        ("i + 1 >= n ? keys[n - 1] : keys[i + 1]", False),
        ("i + 1 > n - 1 ? keys[n - 1] : keys[i + 1]", False),
        ("i + 1 > n ? keys[n] : keys[i + 1]", False),
        ("i + 1 > n ? 0 : keys[i + 1]", False),
        ("i > n ? keys[n - 1] : (i < n ? keys[i] : 0)", False),
        ("i > n ? keys[n - 1] : starts[i]", False),
    ],
)
def test_last_elements(type_: str, choice: str, bad: bool) -> None:
    code = EDGES.replace("TYPE", type_).replace("CHOICE", choice)
    found = [one.message for one in findings(WrongBoundsGuard, code)]
    assert bool(found) == bad, found
