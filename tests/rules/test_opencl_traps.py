"""Kinds of false alarm that OpenCL kernels of real libraries showed, and the faults beside them."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard
from kernlint_rules.bounds.negative_index import NegativeIndex
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from kernlint.finding import Severity
from kernlint.rule import RuleClass
from tests.rules.marked import findings

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
    "two tests joined by &": (
        MissingBoundsGuard,
        """
kernel void turn(global float *to, global const float *from, const int width, const int height) {
    const int x = get_global_id(0), y = get_global_id(1);
    if ((x < width) & (y < height)) to[x * height + y] = from[y * width + x];
}
""",
    ),
    "one of two tests joined by &": (
        MissingBoundsGuard,
        """
kernel void turn(global float *to, global const float *from, const int width, const int height, const int on) {
    const int x = get_global_id(0), y = get_global_id(1);
    if ((x < width) & (on > 0)) to[y * width + x] = from[y * width + x]; // bad
}
""",
    ),
    "pitches of more axes than are launched": (
        MissingBoundsGuard,
        """
typedef struct { int of[4]; } four;
kernel void planes(global float *to, const four size, const four pitch) {
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x < size.of[0] && y < size.of[1]) to[x * pitch.of[0] + y * pitch.of[1] + z * pitch.of[2]] = 0.0f;
}
""",
    ),
    "the size of an axis that nothing tests": (
        MissingBoundsGuard,
        """
typedef struct { int of[2]; } two;
kernel void plane(global float *to, const two size) {
    const int x = get_global_id(0), y = get_global_id(1);
    if (x < size.of[0]) to[y * size.of[0] + x] = 0.0f; // bad
}
""",
    ),
    "pixels around those of a part of an image": (
        NegativeIndex,
        """
kernel void spread(global const float *in, const int pitch, global float *out, const int cols, const int rows) {
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= cols || y >= rows) return;
    global const float *at = in + y * pitch + x;
    out[y * cols + x] = at[-pitch] + at[-1] + at[1] + at[pitch];
}
""",
    ),
    "rows below those of a part of an image": (
        WrongBoundsGuard,
        """
kernel void spread(global const float *in, const int pitch, global float *out, const int cols, const int rows) {
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= cols || y >= rows) return;
    float sum = 0;
    for (int d = -1; d < 2; ++d) sum += in[(y + d) * pitch + x];
    out[y * cols + x] = sum;
}
""",
    ),
    "pixels around those of a whole image": (
        NegativeIndex,
        """
kernel void spread(global const float *in, global float *out, const int cols, const int rows) {
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= cols || y >= rows) return;
    out[y * cols + x] = in[y * cols + x - 1] + in[y * cols + x + 1]; // bad
}
""",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_trap(name: str) -> None:
    """The lines of warnings and errors are those marked."""
    rule, code = CASES[name]
    found = (f for f in findings(rule, code, "opencl") if f.severity is not Severity.NOTE)
    lines = {code.encode()[: f.span.start].count(b"\n"): f.message for f in found}
    assert lines.keys() == {at for at, line in enumerate(code.splitlines()) if line.endswith("// bad")}, lines
