"""What a comment at the head of a file says of launches holds for all its kernels, macros or not behind it."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard

from tests.rules.marked import assert_marked

TEXT = """
/* The host rounds the number of cells up to the next multiple of the work-group size. */
#define NX 30
#define NY 20
__kernel void warm(__global float *t, const float by) {
    const int c = get_global_id(0);
    if (c >= NX * NY) return;
    t[c] += by;
}
__kernel void thin(__global const float *t, __global float *out) {
    const int c = get_global_id(0);
    TEST
    const int y = c / NX, x = c % NX;
    out[y * NX + x] = t[(y * 2) * 2 * NX + x * 2];MARK
}
"""


@pytest.mark.parametrize(("test", "mark"), [("", "  // bad"), ("if (c >= NX * NY) return;", "")])
def test_the_head_of_a_file(test: str, mark: str) -> None:
    assert_marked(MissingBoundsGuard, TEXT.replace("TEST", test).replace("MARK", mark), "opencl")
