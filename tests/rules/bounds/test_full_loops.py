"""Loops that fill an array in each round, with a test of the rounds that lets one more pass than there is room for."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange

from tests.rules.marked import findings

CHAIN = """
#define DEPTH 24
__kernel void weigh(__global const int *parent, __global const float *w, __global float *out, const int n) {
    const int leaf = get_global_id(0);
    if (leaf >= n) return;
    float kept[DEPTH];
    int m = 0;
    int c = parent[leaf];
    LOOP
    float acc = 0.0f;
    for (int k = m - 1; k >= 0; --k) acc = acc * 0.5f + kept[k];
    out[leaf] = acc;
}
"""


@pytest.mark.parametrize(
    ("loop", "bad"),
    [
        ("for (; c >= 0 && m <= DEPTH; c = parent[c]) { kept[m] = w[c]; ++m; }", True),
        ("while (m <= DEPTH && c != leaf) { kept[m++] = w[c]; c = parent[c]; }", True),
        ("for (; c >= 0 && m < DEPTH; c = parent[c]) { kept[m] = w[c]; ++m; }", False),
        ("for (; c >= 0 && m <= DEPTH - 1; c = parent[c]) { kept[m] = w[c]; ++m; }", False),
        ("for (; c >= 0 && m <= DEPTH; c = parent[c]) { if (m < DEPTH) kept[m] = w[c]; ++m; }", False),
        ("for (; c >= 0 && m <= DEPTH; c = parent[c]) { if (m == DEPTH) break; kept[m] = w[c]; ++m; }", False),
        ("m = 1; for (int j = 0; c >= 0 && j < DEPTH; ++j, c = parent[c]) kept[m++] = w[c];", False),  # of another
        ("for (; c > 0 && m <= DEPTH; c >>= 1) { kept[m] = c & 1; ++m; }", False),
        ("for (; c > 0 && m <= DEPTH; c = c / 10) { kept[m] = w[c % 10]; ++m; }", False),
    ],
)
def test_one_round_too_many(loop: str, bad: bool) -> None:
    assert bool(findings(ArrayIndexOutOfRange, CHAIN.replace("LOOP", loop), "opencl")) == bad
