"""Kinds of false alarm that OpenCL kernels of real libraries showed, and the faults beside them."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from kernlint.rule import RuleClass
from tests.rules.marked import assert_marked

CASES: dict[str, tuple[RuleClass, str]] = {
    "vectors in rows with a pitch of their own": (
        WrongBoundsGuard,
        """
kernel void brighten(global float *img, const int cols, const int rows, const int pitch, const float by) {
    int x = get_global_id(0) * 4, y = get_global_id(1);
    if (x >= cols || y >= rows) return;
    global float *at = img + y * pitch + x;
    vstore4(vload4(0, at) + by, 0, at);
}
""",
    ),
    "vectors in rows one behind the other": (
        WrongBoundsGuard,
        """
kernel void brighten(global float *img, const int cols, const int rows, const float by) {
    int x = get_global_id(0) * 4, y = get_global_id(1);
    if (x >= cols || y >= rows) return;
    global float *at = img + y * cols + x;
    vstore4(vload4(0, at) + by, 0, at); // bad
}
""",
    ),
    "a loop over the vectors of a row": (
        WrongBoundsGuard,
        """
kernel void sums(global const float *in, global float *out, const int rows, const int length) {
    int row = get_global_id(0);
    if (row >= rows) return;
    float4 sum = 0;
    for (int i = 0; i < length / 4; ++i) sum += vload4(0, in + row * length + i * 4);
    out[row] = sum.x + sum.y + sum.z + sum.w;
}
""",
    ),
    "vectors up to the last whole one": (
        WrongBoundsGuard,
        """
kernel void negate(global float *x, const int n) {
    int i = get_global_id(0) * 4;
    if (i >= n) return;
    if (i < n / 4 * 4) vstore4(-vload4(0, x + i), 0, x + i);
    else for (int k = i; k < n; ++k) x[k] = -x[k];
}
""",
    ),
    "lengths of rows beside the ends of other rows": (
        WrongBoundsGuard,
        """
kernel void lengths(global uint *to, global const uint *left, global const uint *right, const uint rows) {
    const uint r = get_global_id(0);
    const uint a = r < rows ? left[r] : 0, b = r < rows ? left[r + 1] : 0;
    const uint c = r < rows ? right[r] : 0, d = r < rows ? right[r + 1] : 0;
    if (r < rows) to[r + 1] = b - a + d - c;
}
""",
    ),
    "the next element written where nothing else is read there": (
        WrongBoundsGuard,
        """
kernel void next(global uint *to, global const uint *left, const uint rows) {
    const uint r = get_global_id(0);
    if (r < rows) to[r + 1] = left[r]; // bad
}
""",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_trap(name: str) -> None:
    rule, code = CASES[name]
    assert_marked(rule, code, "opencl")
