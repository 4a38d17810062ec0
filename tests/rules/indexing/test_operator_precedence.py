"""Shifts of sums and masks of comparisons: slips, and what was meant."""

from __future__ import annotations

import pytest
from kernlint_rules.indexing.operator_precedence import OperatorPrecedence

from kernlint.finding import Severity
from tests.rules.marked import findings

KERNEL = """
#define PAD(i) ((i) >> 4 + (i) >> 8)
__global__ void k(int *out, const int *in, int bits, int n) {
    int i = threadIdx.x;
    bool first = i < n;
    out[i] = HERE;
}
"""

SLIPS = (
    "PAD(i)",
    "in[i << 1 + bits]",
    "i & 31 == 0",
    "i & 2 == 2",
    "i & 1 == 0",
    "1 << 30 + 4",
    "in[i] >> 2 + in[i]",
    "i & n > 0",
    "n & 8 > i",
)
MEANT = (
    "i >> bits + 2",
    "i << 32 - bits",
    "i + n >> 1",
    "first & i == 3",
    "i == 2 | n > 3",
    "1 << 4 + 4",
    "n & bits > 2",
    "i & 1 == 1",
)


@pytest.mark.parametrize("text", SLIPS)
def test_slips_are_told(text: str) -> None:
    (found,) = findings(OperatorPrecedence, KERNEL.replace("HERE", text))
    assert found.severity is None or found.severity is Severity.WARNING


@pytest.mark.parametrize("text", MEANT)
def test_what_may_be_meant_is_a_note(text: str) -> None:
    told = findings(OperatorPrecedence, KERNEL.replace("HERE", text))
    assert all(one.severity is Severity.NOTE for one in told)
