"""Slots that one place of a file compares with the room, and another stores at as they come."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange

from tests.rules.marked import findings

EVENTS = """
struct Event { float when; int source; };
struct Log { Event *events; unsigned *used; unsigned most; };

__device__ void keep(const Log &log, unsigned at, float when, int source) {
    log.events[at].when = when;
    log.events[at].source = source;
}
__global__ void single(const float *x, int n, Log log) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || x[i] < 0.5f) return;
    const unsigned at = atomicAdd(log.used, 1u);
    FIRST
}
__global__ void pairs(const float2 *x, int n, LOG) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const bool a = x[i].x > 0.5f, b = x[i].y > 0.5f;
    const unsigned more = a + b;
    BEFORE
    unsigned at = atomicAdd(log.used, more);
    TEST
    if (a) keep(log, at++, x[i].x, i);
    if (b) keep(log, at, x[i].y, i);
}
"""
ASKS = "if (at < log.most) keep(log, at, x[i], i);"
SOME = "if (more == 0) return;"


@pytest.mark.parametrize(
    ("first", "log", "before", "test", "bad"),
    [
        (ASKS, "Log log", SOME, "", True),
        ("if (at >= 4096) return; keep(log, at, x[i], i);", "Log log", SOME, "", True),
        (ASKS, "Log log", SOME, "if (at + more > log.most) return;", False),
        (ASKS, "Log log", SOME + " if (*log.used + 2 * n > log.most) return;", "", False),
        (ASKS, "Log log", "", "", True),
        (ASKS, "Log log", SOME + " if (i >= log.most) return;", "", False),
        ("keep(log, at, x[i], i);", "Log log", SOME, "", False),
    ],
)
def test_a_kernel_beside_another(first: str, log: str, before: str, test: str, bad: bool) -> None:
    code = EVENTS.replace("FIRST", first).replace("LOG", log).replace("BEFORE", before).replace("TEST", test)
    found = findings(ArrayIndexOutOfRange, code)
    assert bool(found) is bad, [one.message for one in found]


SIDES = """
__kernel void split(__global const float *v, __global int *rows, __global int *taken, const int n, const int room) {
    const int i = get_global_id(0);
    if (i >= n) return;
    if (v[i] < -1.0f) {
        const int at = atomic_add(taken, 1);
        if (at < room) rows[at] = ~i;
    } else if (v[i] > 1.0f) {
        const int at = atomic_add(COUNTER, 1);
        STORE
    }
}
"""


@pytest.mark.parametrize(
    ("counter", "store", "bad"),
    [
        ("taken", "rows[at] = i;", True),
        ("taken", "if (at < room) rows[at] = i;", False),
        ("taken", "rows[min(at, room - 1)] = i;", False),
        ("taken + 1", "rows[room + at] = i;", False),
    ],
)
def test_a_branch_beside_another(counter: str, store: str, bad: bool) -> None:
    code = SIDES.replace("COUNTER", counter).replace("STORE", store)
    found = findings(ArrayIndexOutOfRange, code, "opencl")
    assert bool(found) is bad, [one.message for one in found]


POOLS = """
struct Page { int next, owner; };
struct Pools { const int *pages, *links; int *pages_left, *links_left; };
__global__ void claim(const int *wanted, Page *book, Pools pools, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (wanted[i] == 1) {
        const int page = atomicSub(pools.pages_left, 1);
        if (page >= 0) book[pools.pages[page]].owner = i;
    } else if (wanted[i] == 2) {
        BEFORE
        const int page = atomicSub(pools.pages_left, 1);
        const int link = atomicSub(pools.links_left, 1);
        if (TEST) book[pools.pages[page]].next = pools.links[link];
    }
    MORE
}
"""


@pytest.mark.parametrize(
    ("before", "test", "more", "bad"),
    [
        ("", "page >= 0", "", True),
        ("", "link >= 0", "", True),  # the pages are asked for in the other branch
        ("", "page >= 0 && link >= 0", "", False),
        ("", "!(page < 0 || link < 0)", "", False),
        ("if (*pools.links_left <= 0) return;", "page >= 0", "", False),
        ("", "page >= 0", "if (wanted[i] == 3) atomicSub(pools.links_left, 1);", False),  # both as often
    ],
)
def test_counters_that_go_down(before: str, test: str, more: str, bad: bool) -> None:
    code = POOLS.replace("BEFORE", before).replace("TEST", test).replace("MORE", more)
    found = findings(ArrayIndexOutOfRange, code)
    assert bool(found) is bad, [one.message for one in found]
