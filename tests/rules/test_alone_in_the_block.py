"""Collective calls and barriers of work-groups that are required to have one work-item."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.barrier_divergence import BarrierDivergence

from tests.rules.marked import findings

PARCELS = """
typedef struct { int from, to, count; } parcel;
__kernel __attribute__((reqd_work_group_size(SIZE)))
void deliver(__global const float *in, __global const parcel *parcels, __global float *out, __local float *room) {
    __global const parcel *own = parcels + get_global_id(0);
    event_t moved = async_work_group_copy(room, in + own->from, own->count, 0);
    wait_group_events(1, &moved);
    for (int k = 0; k < own->count; ++k) room[k] *= 0.5f;
    moved = async_work_group_copy(out + own->to, room, own->count, 0);
    wait_group_events(1, &moved);
}
"""

EMPTY = """
__kernel __attribute__((reqd_work_group_size(SIZE)))
void halve(__global const int *rows, __global float *out, __local float *room) {
    const int row = get_global_id(0);
    if (rows[row] == 0) return;
    room[get_local_id(0)] = out[row];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[row] = 0.5f * room[0];
}
"""


@pytest.mark.parametrize("code", [PARCELS, EMPTY])
def test_one_work_item_has_nobody_to_disagree_with(code: str) -> None:
    assert not findings(BarrierDivergence, code.replace("SIZE", "1, 1, 1"), "opencl")


@pytest.mark.parametrize("size", ["2, 1, 1", "1, 64, 1", "8, 8, 1"])
@pytest.mark.parametrize("code", [PARCELS, EMPTY])
def test_more_than_one_disagree(code: str, size: str) -> None:
    if size.startswith("1") and code is EMPTY:
        return
    found = findings(BarrierDivergence, code.replace("SIZE", size), "opencl")
    assert found
