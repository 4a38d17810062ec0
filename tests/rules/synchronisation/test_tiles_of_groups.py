"""Blocks that are taken apart into tiles as long as an argument says: whole ones, as far as races go."""

from __future__ import annotations

from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import assert_marked, assert_pair

MEANS = """
__kernel void means(__global const float *in, __global float *out, int span, __local float *part)
{
    const int me = get_local_id(0);
    const int head = me / span * span;
    part[me] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me == head || me == head + 1) {
        for (int k = 2; k < span; k += 2)
            part[me] += part[me + k];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const float all = part[head + (me & 1)];
    barrier(CLK_LOCAL_MEM_FENCE);  // only good
    part[me] = all - in[get_global_id(0)];  // bad
    out[get_global_id(0)] = part[me] / span;
}
"""

BY_REMAINDER = """
__kernel void first_of_each(__global const float *in, __global float *out, int span, __local float *part)
{
    const int me = get_local_id(0);
    part[me] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me % span < 2) {
        for (int k = 2; k < span; k += 2)
            part[me] += part[me + k];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = part[me - me % span + (me & 1)];
}
"""

ONE_TOO_FAR = BY_REMAINDER.replace("k < span", "k <= span").replace("+ k];", "+ k];  // bad")


def test_tiles_of_a_group_are_whole() -> None:
    assert_pair(SharedMemoryRace, MEANS, "opencl")
    assert_marked(SharedMemoryRace, BY_REMAINDER, "opencl")


def test_what_leaves_its_tile_meets_the_next() -> None:
    assert_marked(SharedMemoryRace, ONE_TOO_FAR, "opencl")
