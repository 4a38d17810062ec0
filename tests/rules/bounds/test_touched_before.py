"""Reads by surplus threads of elements that the threads before the end read as well."""

import pytest
from kernlint_rules.bounds.late_bounds_guard import LateBoundsGuard

from tests.rules.marked import assert_marked

CODE = """
__global__ void __launch_bounds__(128) unpack(const int *first, const short *steps, int *out, int n) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (%s >= n) return;
  const int start = first[%s];%s
  if (i >= n) return;
  out[i] = start + steps[i];
}
"""


@pytest.mark.parametrize(
    "test, index, bad",
    [
        ("(i & ~31)", "i / 32", False),
        ("(i & ~31)", "i >> 5", False),
        ("(i & ~63)", "i / 32", True),  # a whole warp has no entry
        ("(i & ~31)", "i", True),
        ("blockIdx.x * 128", "i / 128", False),
    ],
)
def test_spare_lanes_read_the_entry_of_their_warp(test: str, index: str, bad: bool) -> None:
    assert_marked(LateBoundsGuard, CODE % (test, index, "  // bad" if bad else ""))
