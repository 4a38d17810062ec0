"""Coordinates made of data in the same way, of which one is clamped at one end only."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.negative_index import NegativeIndex
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import findings

CELLS = """
__global__ void sample(const float *table, const float2 *at, float *out, int n, int nu, int nv,
                       float u0, float v0, float du, float dv) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = at[i].y;
    TURNED
    const float a = (at[i].x - u0) / du, b = (v - v0) / dv;
    TEST
    const int row = ROW;
    const int column = COLUMN;
    out[i] = table[row * nv + column];
}
"""
BOTH = "max(min((int)floorf(a), nu - 1), 0)"
TURN = "v = fmodf(v, 6.0f); if (v < 0.0f) v += 6.0f;"


@pytest.mark.parametrize(
    ("row", "column", "turned", "test", "below", "above"),
    [
        (BOTH, "min((int)floorf(b), nv - 1)", "", "", True, False),
        (BOTH, "min((int)floorf(b), nv - 1)", TURN, "", True, False),
        (BOTH, "max((int)floorf(b), 0)", "", "", False, True),
        (BOTH, "(int)floorf(b) > nv - 1 ? nv - 1 : (int)floorf(b)", "", "", True, False),
        (BOTH, "max(min((int)floorf(b), nv - 1), 0)", "", "", False, False),
        (BOTH, "min((int)floorf(b), nv - 1)", "", "if (b < 0.0f) return;", False, False),
        (BOTH, "min((int)fabsf(b), nv - 1)", "", "", False, False),
        (BOTH, "(int)min((unsigned)floorf(b), nv - 1u)", "", "", False, False),
        (BOTH, "min((int)floorf(v / dv), nv - 1)", TURN, "", False, False),  # turned to where it begins
        (
            "max(min((int)floorf(at[i].x / du), nu - 1), 0)",
            "min((int)floorf(at[i].y / dv), nv - 1)",
            "",
            "",
            True,
            False,
        ),
        ("min((int)floorf(a), nu - 1)", "min((int)floorf(b), nv - 1)", "", "", False, False),
    ],
)
def test_the_other_coordinate(row: str, column: str, turned: str, test: str, below: bool, above: bool) -> None:
    text = CELLS.replace("ROW", row).replace("COLUMN", column).replace("TURNED", turned).replace("TEST", test)
    assert bool(findings(NegativeIndex, text)) is below
    assert bool(findings(WrongBoundsGuard, text)) is above
