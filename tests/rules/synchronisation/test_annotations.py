"""Annotations of a verifier state something of memory, and read none of it."""

from __future__ import annotations

from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import assert_pair

INVARIANT = """
__kernel __attribute__((reqd_work_group_size(16, 1, 1))) void turn(__global int *out) {
    __local int at[16];
    const int own = get_local_id(0);
    at[own] = 15 - own;
    __barrier_invariant_1(at[(own + 1) % 16] == 15 - (own + 1) % 16, own);  // only good
    const int next = at[(own + 1) % 16];  // only bad  // bad
    barrier(CLK_LOCAL_MEM_FENCE);
    const int next = at[(own + 1) % 16];  // only good
    out[get_global_id(0)] = next;
}
"""


def test_an_invariant_of_a_barrier_is_no_read() -> None:
    assert_pair(SharedMemoryRace, INVARIANT, "opencl")
