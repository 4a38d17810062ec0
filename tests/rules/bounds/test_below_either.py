"""Tests against the smaller of two sizes: what is read before them may have as many elements as the other says."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.late_bounds_guard import LateBoundsGuard

from tests.rules.marked import assert_marked

STATES = """
kernel void advance(global uint *seeds, uint width, uint height, uint many, global float *out) {
    const size_t at = get_global_id(0) + get_global_id(1) * width;
    const uint limit = LIMIT;
    uint seed = seeds[at];MARK
    if (at >= limit) return;
    out[at] = seed * 2.0f;
    seeds[at] = seed + 1;
}
"""


@pytest.mark.parametrize(
    ("limit", "told"), [("min(width * height, many)", False), ("many", True), ("min(many, 4096u)", True)]
)
def test_which_of_two_sizes_it_is(limit: str, told: bool) -> None:
    assert_marked(LateBoundsGuard, STATES.replace("LIMIT", limit).replace("MARK", "  // bad" * told), "opencl")
