"""Parts of a length that is an argument, as many as round the whole up: the last one may have fewer elements."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import findings

TEXT = """
// SAID
__global__ void parts(const float *x, float *out, int n, int part) {
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= COUNT) return;
    float most = x[c * part];
    for (int i = c * part; i < END; ++i) most = fmaxf(most, x[i]);
    out[c] = most;
}
"""
UP = "(n + part - 1) / part"


@pytest.mark.parametrize(
    ("count", "end", "said", "bad"),
    [
        (UP, "(c + 1) * part", "", True),
        ("n / part", "(c + 1) * part", "", False),
        (UP, "min((c + 1) * part, n)", "", False),
        (UP, "(c + 1) * part && i < n", "", False),
        (UP, "(c + 1) * part", "n is a multiple of 64", False),
    ],
)
def test_last_parts(count: str, end: str, said: str, bad: bool) -> None:
    text = TEXT.replace("COUNT", count).replace("END", end).replace("SAID", said)
    assert bool(findings(WrongBoundsGuard, text)) is bad
