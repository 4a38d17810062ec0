"""Loops over groups of items whose last group is only in part there: what stages a group asks for no item, what uses it
does."""

from __future__ import annotations

import pytest

from tests.rules.bounds.test_wrong_axes import codes

SEGMENTS = """
#define GROUP 96
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void cover(__global const float *ends, const int segments, __global const float *at, __global int *hits, const int n) {
  __local float from[GROUP], to[GROUP];
  const int i = get_global_id(0), own = get_local_id(0);
  int count = 0;
  for (int g = 0; g < %(rounds)s; g += %(step)s) {
    const int s = %(item)s;
    %(test)s{ from[own] = ends[2 * s]; to[own] = ends[2 * s + 1]; }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; %(inner)s; ++k)
      if (i < n) count += at[i] >= from[k] && at[i] < to[k];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i < n) hits[i] = count;
}
"""

WHOLE = {"rounds": "segments", "step": "GROUP", "item": "g + own", "test": "", "inner": "k < GROUP"}


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"inner": "k < GROUP && g + k < segments"}, True),
        ({"inner": "k < min(GROUP, segments - g)"}, True),
        ({"inner": "k < GROUP && g + k < segments", "test": "if (s < segments) "}, False),
        ({"inner": "k < min(GROUP, segments - g)", "test": "if (g + own < segments) "}, False),
        # nothing says that the last group may be short
        ({}, False),
        (
            {"rounds": "(segments + GROUP - 1) / GROUP", "step": "1", "item": "g * GROUP + own"}
            | {"inner": "k < GROUP && g * GROUP + k < segments"},
            True,
        ),
    ],
)
def test_groups(change: dict[str, str], wrong: bool) -> None:
    assert codes(SEGMENTS % (WHOLE | change), "k.cl") == (["KL101"] if wrong else [])
