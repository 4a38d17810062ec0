"""Sizes of groups that only the host program knows: no race rests on what stands in for them."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import assert_marked

CODE = """
%s
#define KERNEL(x) __kernel __attribute__((reqd_work_group_size(x, 1, 1))) void
#define GROUP (HEIGHT / PARTS)
KERNEL(GROUP * 2) turn(__global float *x) {
    __local float row[HEIGHT];
    unsigned me = get_local_id(0), low = me %% GROUP;
    row[GROUP * (me >= GROUP) + low] = x[me];
    x[me] = row[GROUP * (me < GROUP) + low];%s
}
"""


@pytest.mark.parametrize(("defined", "mark"), [("", ""), ("#define HEIGHT 512\n#define PARTS 4", "  // bad")])
def test_no_race_rests_on_a_group_that_the_host_gives(defined: str, mark: str) -> None:
    assert_marked(SharedMemoryRace, CODE % (defined, mark), "opencl")
