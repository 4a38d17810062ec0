"""Neighbours that change places: there are as many elements afterwards as before."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import findings

TEXT = """
__kernel void pass(__global TYPE *key, const int n, const int odd) {
    const int at = PLACE;
    if (TEST) {
        const TYPE low = key[at], high = key[at + 1];
        if (low > high) { key[at] = high; key[at + 1] = STORED; }
    }
}
"""


@pytest.mark.parametrize("kind", ["int", "float"])
@pytest.mark.parametrize(
    ("place", "test", "stored", "bad"),
    [
        ("2 * get_global_id(0) + odd", "at < n", "low", True),
        ("2 * get_global_id(0) + odd", "at + 1 < n", "low", False),
        ("2 * get_global_id(0) + odd", "at < n - 1", "low", False),
        ("get_global_id(0) + odd", "at < n", "low + key[at]", False),
    ],
)
def test_exchanged(kind: str, place: str, test: str, stored: str, bad: bool) -> None:
    text = TEXT.replace("TYPE", kind).replace("PLACE", place).replace("TEST", test).replace("STORED", stored)
    assert bool(findings(WrongBoundsGuard, text, "opencl")) is bad
