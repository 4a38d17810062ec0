"""Tests that choose how a place is used: where they fail, the kernel goes on with it all the same."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import assert_marked

CHAIN = """
__global__ void chain(int n, int base, int last, const int *hits, const float *inverse, const float *seen, float *out) {
    for (int i = n; i >= 0; --i) {
        if (hits[i] > 0) {
            int at = base - (n - i);
            float t = 0.0f;
            if (at < last) t = seen[at] * inverse[i];
            OTHERWISE t += seen[last] * inverse[i];MARK
            out[threadIdx.x] = t;
            break;
        }
    }
}
"""


@pytest.mark.parametrize(("otherwise", "told"), [("else", False), ("", True)])
def test_the_other_branch_has_it_too(otherwise: str, told: bool) -> None:
    assert_marked(WrongBoundsGuard, CHAIN.replace("OTHERWISE", otherwise).replace("MARK", "  // bad" * told))
