"""A step in numbers is the grid's where the kernel says how large its blocks are."""

from __future__ import annotations

from kernlint_rules.indexing.grid_stride_mismatch import GridStrideMismatch

from tests.rules.marked import findings

REQUIRED = """
__kernel __attribute__((reqd_work_group_size(SIZE, 1, 1)))
void halve(__global float *x, const uint n) {
    for (uint i = get_global_id(0); i < n; i += get_num_groups(0) * 192) x[i] *= 0.5f;
}
"""


def test_the_required_size_of_a_block() -> None:
    assert not findings(GridStrideMismatch, REQUIRED.replace("SIZE", "192"), "opencl")
    assert findings(GridStrideMismatch, REQUIRED.replace("SIZE", "64"), "opencl")
