"""OpenCL's copies that a whole group makes: the same arguments for all, and waits for the right events."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.barrier_divergence import BarrierDivergence
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import assert_marked, findings

ARGUMENTS = {
    "a part for each work-item": """
__kernel void k(__global const float *in, __global float *out) {
    __local float tile[256];
    const int t = get_local_id(0);
    event_t e = async_work_group_copy(tile + 4 * t, in + 4 * t, 4, 0); // bad
    wait_group_events(1, &e);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[4 * t];
}
""",
    "the last one copies less": """
__kernel void k(__global const float *in, __global float *out) {
    __local float tile[256];
    const size_t t = get_local_id(0);
    size_t count = 64;
    if (t == 63) count = 60;
    event_t e = async_work_group_copy(tile, in, count, 0); // bad
    wait_group_events(1, &e);
    out[get_global_id(0)] = tile[t];
}
""",
    "each waits for an event of its own": """
__kernel void k(__global const float *in, __global float *out) {
    __local float tile[128];
    event_t e[2];
    e[0] = async_work_group_copy(tile, in, 64, 0);
    e[1] = async_work_group_copy(tile + 64, in + 64, 64, 0);
    wait_group_events(1, e + get_local_id(0) % 2); // bad
    out[get_global_id(0)] = tile[get_local_id(0)];
}
""",
    "an address in a local array": """
__kernel void k(__global const float *in, __global float *out, __local float *tile, const int first) {
    event_t e = async_work_group_strided_copy(tile, in + get_local_id(0), 16, 4, 0); // bad
    wait_group_events(1, &e);
    out[get_global_id(0)] = tile[first];
}
""",
    "the part of the group": """
__kernel void k(__global const float *in, __global float *out) {
    __local float tile[64];
    const size_t n = get_local_size(0);
    event_t e = async_work_group_copy(tile, in + (get_global_id(0) - get_local_id(0)), 64, 0);
    e = async_work_group_copy(tile, in + get_group_id(0) * n, n, e);
    wait_group_events(1, &e);
    out[get_global_id(0)] = tile[get_local_id(0)];
}
""",
    "the group's first row, by division": """
__kernel void k(__global const float *in, __global float *out, const int n) {
    __local float tile[64];
    const size_t n64 = get_local_size(0);
    event_t e = async_work_group_copy(tile, in + (get_local_id(0) / n64) * n, 64, 0);
    wait_group_events(1, &e);
    out[get_global_id(0)] = tile[get_local_id(0)];
}
""",
    "one of a few, the same for all": """
__kernel void k(__global const float *in, __global float *out, const int rounds) {
    __local float tile[2][64];
    event_t e[2];
    e[0] = async_work_group_copy(tile[0], in, 64, 0);
    for (int r = 1; r < rounds; ++r) {
        e[r & 1] = async_work_group_copy(tile[r & 1], in + r * 64, 64, 0);
        wait_group_events(1, e + ((r - 1) & 1));
        out[r * 64 + get_local_id(0)] = tile[(r - 1) & 1][get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
""",
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_arguments_are_the_same_for_the_whole_group(name: str) -> None:
    assert_marked(BarrierDivergence, ARGUMENTS[name], "opencl")


def test_it_says_which_argument() -> None:
    (found,) = findings(BarrierDivergence, ARGUMENTS["the last one copies less"], "opencl")
    assert "the size depends" in found.message
    (found,) = findings(BarrierDivergence, ARGUMENTS["each waits for an event of its own"], "opencl")
    assert "the list of events depends" in found.message


IN_PLACE = """
__kernel void k(__global float *a, __global float *b) {
    __local float x[64], y[64];
    const int first = 64 * get_group_id(0), t = get_local_id(0);
    event_t e[2];
    e[0] = async_work_group_copy(x, a + first, 64, 0);
    e[1] = async_work_group_copy(y, b + first, 64, 0);
    wait_group_events(WAITED);
    a[first + t] = x[63 - t];
    b[first + t] = x[t];
}
"""


@pytest.mark.parametrize(("waited", "line"), [("2, e", None), ("1, e", "b["), ("1, &e[1]", "a["), ("1, e + 1", "a[")])
def test_a_wait_is_for_its_events_alone(waited: str, line: str | None) -> None:
    code = IN_PLACE.replace("WAITED", waited)
    marked = "\n".join(
        f"{text} // bad" if line and text.lstrip().startswith(f"{line}first") else text for text in code.splitlines()
    )
    assert_marked(GlobalMemoryRace, marked, "opencl")


def test_a_wait_for_a_variable_is_for_what_it_holds() -> None:
    code = """
__kernel void k(__global float *a, __global float *out) {
    __local float x[64], y[64];
    const int t = get_local_id(0);
    event_t first = async_work_group_copy(x, a, 64, 0);
    event_t second = async_work_group_copy(y, a + 64, 64, 0);
    wait_group_events(1, &second);
    out[get_global_id(0)] = x[t]; // bad
    out[get_global_id(0)] += y[t];
    wait_group_events(1, &first);
}
"""
    assert_marked(SharedMemoryRace, code, "opencl")
    joined = code.replace("64, 64, 0)", "64, 64, first)").replace(" // bad", "")
    assert_marked(SharedMemoryRace, joined, "opencl")
