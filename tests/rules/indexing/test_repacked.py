"""Keys of 64 bits that are taken apart, and what is made of their digits."""

from __future__ import annotations

import pytest
from kernlint_rules.indexing.index_overflow import IndexOverflow

from tests.rules.marked import findings

CODE = """
#include <cstdint>
__global__ void starts(const int64_t *keys, int *first, uint32_t n, uint32_t cells, uint32_t bits) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int64_t key = TOP;
    int64_t camera = key >> bits;
    int64_t cell = LOW;
    uint32_t at = camera * cells + cell;
    first[at] = i;
}
"""


@pytest.mark.parametrize(
    ("top", "low", "told"),
    [
        ("keys[i] >> 32", "key & ((1 << bits) - 1)", False),
        ("keys[i]", "key & ((1 << bits) - 1)", True),
        ("keys[i] >> 32", "keys[i] & ((1 << bits) - 1)", True),
    ],
)
def test_digits_of_a_short_number_make_a_short_one(top: str, low: str, told: bool) -> None:
    assert bool(findings(IndexOverflow, CODE.replace("TOP", top).replace("LOW", low))) is told
