"""Launches that a comment calls rounded up, of kernels whose host is not in sight."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard

from kernlint.finding import Severity
from tests.rules.marked import findings

BLUR = """
// Local size (64, 1). SAID
__kernel void blur(__global float *to, __global const float *from, const int w, const int h) {
    const int x = get_global_id(0), y = get_global_id(1);
    TEST
    float sum = 0.0f;
    for (int i = max(x - 2, 0); i < min(x + 3, w); ++i) sum += from[y * w + i];
    to[y * w + x] = sum;
}
"""


@pytest.mark.parametrize(
    ("said", "test", "bad"),
    [
        ("The global size is rounded up to it.", "", True),
        ("The global size is rounded up to it in x and is the height in y.", "if (y >= h) return;", True),
        ("The global size is rounded up to it in x and is the height in y.", "if (x >= w) return;", False),
        ("The global size is rounded up to it.", "if (x >= w || y >= h) return;", False),
        ("The global size is w by h.", "if (y >= h) return;", False),
        ("The global size is rounded up to it; rows are padded too.", "if (x >= w || y >= h) return;", False),
    ],
)
def test_threads_beyond_the_size(said: str, test: str, bad: bool) -> None:
    code = BLUR.replace("SAID", said).replace("TEST", test)
    loud = [one for one in findings(MissingBoundsGuard, code, "opencl") if one.severity is not Severity.NOTE]
    assert bool(loud) is bad


def test_what_is_said_of_another_kernel() -> None:
    code = BLUR.replace("SAID", "The global size is rounded up to it.").replace("TEST", "if (x >= w || y >= h) return;")
    more = "__kernel void twice(__global float *x) { x[get_global_id(0)] *= 2.0f; }"
    assert all(one.severity is Severity.NOTE for one in findings(MissingBoundsGuard, code + more, "opencl"))
