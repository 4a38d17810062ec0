"""Classes of sizes that leave those beyond the last one without a place."""

from __future__ import annotations

import pytest
from kernlint_rules.memory.uninitialised_private import UninitialisedPrivate

from tests.rules.marked import findings

CLASSES = """
__global__ void sort_in(const int *size, int *fill, int *items, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int kind;
    const int s = size[i];
    if (s < 64) kind = 0;
    else if (s < 512) kind = 1;
    MORE
    USE
}
"""


@pytest.mark.parametrize(
    ("more", "use", "bad"),
    [
        ("else if (s < 4096) kind = 2;", "atomicAdd(&fill[kind], 1);", True),
        ("else if (s < 4096) kind = 2; else kind = 3;", "atomicAdd(&fill[kind], 1);", False),
        ("else if (s < 4096) kind = 2; else return;", "atomicAdd(&fill[kind], 1);", False),
        ("", "atomicAdd(&fill[kind], 1);", False),
        ("else if (s < 4096) kind = 2;", "items[i] = kind;", False),
        ("else if (s < 4096) kind = 2;", "if (s < 4096) atomicAdd(&fill[kind], 1);", False),
    ],
)
def test_what_is_larger_than_all_classes(more: str, use: str, bad: bool) -> None:
    assert bool(findings(UninitialisedPrivate, CLASSES.replace("MORE", more).replace("USE", use))) is bad
