"""Sizes that are passed for nothing, where a place that is made alike is tested against its own."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import findings

MATCH = """
struct Start { int left, right; };
__global__ void extend(PARAMS, const Start *starts, int count, int *length) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const Start s = starts[i];
    int k = 0;
    for (; TEST; ++k)
        if (one[s.left + k] != two[s.right + k]) break;
    length[i] = k;
}
"""

APART = "const char *one, int many, const char *two, int more"


@pytest.mark.parametrize(
    ("params", "test", "bad"),
    [
        (APART, "s.right + k < more", True),
        (APART, "s.left + k < many", True),
        ("int many, const char *one, int more, const char *two", "s.left + k < many", True),
        ("const char *one, const char *two, int many, int more", "s.right + k < more", True),
        (APART, "s.left + k < many && s.right + k < more", False),
        (APART, "s.right + k < more && s.left < 4096", False),
        ("const char *one, const char *two, int more, int many", "s.right + k < more", False),
        ("const char *one, const char *two, int more", "s.right + k < more", False),
        (APART, "s.right + k < more && one[s.left + k] != 0", False),
    ],
)
def test_two_strings(params: str, test: str, bad: bool) -> None:
    found = findings(WrongBoundsGuard, MATCH.replace("PARAMS", params).replace("TEST", test))
    assert any("passed for nothing" in one.message for one in found) is bad, [one.message for one in found]
