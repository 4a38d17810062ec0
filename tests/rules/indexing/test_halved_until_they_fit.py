"""Loops of the host that make a part smaller until 32 bits have room for a product of it."""

from __future__ import annotations

import pytest
from kernlint_rules.indexing.index_overflow import IndexOverflow

from tests.rules.marked import findings

COLUMNS = """
#include <cstdint>
__global__ void columns(const float *x, float *y, int n, long long rows) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (i < n && row < rows) y[row * n + i] = x[(long long)row * n + i];
}
void run(const float *x, float *y, int n, int64_t rows) {
    int part = rows;
    LOOP
    for (int64_t at = 0; at < rows; at += part)
        columns<<<dim3((n + 255) / 256, part), 256>>>(x + at * n, y + at * n, n, part);
}
"""


@pytest.mark.parametrize(
    ("loop", "bad"),
    [
        ("while (size_t(part) * n >= (1u << 31)) part = (part + 1) / 2;", False),
        ("for (; int64_t(part) * n > 2147483647; part -= 64) {}", False),
        ("while (size_t(part) * n >= (1ull << 34)) part = (part + 1) / 2;", True),
        ("while (part >= (1 << 30)) part = (part + 1) / 2;", True),
        ("", True),
    ],
)
def test_what_a_loop_leaves(loop: str, bad: bool) -> None:
    assert bool(findings(IndexOverflow, COLUMNS.replace("LOOP", loop))) is bad
