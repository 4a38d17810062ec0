"""Runs of slots that counters hand out, of which the first is compared with the room."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange

from tests.rules.marked import findings

PAIRS = """
struct Out { int2 *items; int *used; int most; };
__global__ void split(const float *f, const int2 *edges, int n, Out o) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int2 e = edges[i];
    if (f[e.x] * f[e.y] < 0.0f) {
        const int at = atomicAdd(o.used, 2);
        if (TEST) return;
        o.items[at] = make_int2(e.x, i);
        o.items[at + 1] = make_int2(i, e.y);
    }
    OTHER
}
"""
ONE = "else { const int at = atomicAdd(o.used, 1); if (at < o.most) o.items[at] = e; }"


@pytest.mark.parametrize(
    ("test", "other", "bad"),
    [
        ("at >= o.most", ONE, True),
        ("at + 1 >= o.most", ONE, False),
        ("at > o.most - 2", ONE, False),
        ("at >= o.most", "", False),  # pairs alone, and the room may be even
        ("at >= 255", "", True),
        ("at >= 256", "", False),
        ("at >= 256", ONE.replace("o.most", "256"), True),
    ],
)
def test_the_second_of_two(test: str, other: str, bad: bool) -> None:
    assert bool(findings(ArrayIndexOutOfRange, PAIRS.replace("TEST", test).replace("OTHER", other))) is bad


ROUNDS = """
__kernel void expand(__global const int *row, __global const int *column, const int n, __global int *list,
                     volatile __global int *used, const int room) {
    const int i = get_global_id(0);
    if (i >= n) return;
    const int many = row[i + 1] - row[i];
    const int at = atomic_add(used, many);
    if (TEST) return;
    for (int k = 0; k < many; ++k) list[at + k] = column[row[i] + k];
}
"""


@pytest.mark.parametrize(
    ("test", "bad"),
    [("at >= room", True), ("at + many > room", False), ("at > room - many", False), ("many < 1", False)],
)
def test_runs_of_a_length_from_memory(test: str, bad: bool) -> None:
    assert bool(findings(ArrayIndexOutOfRange, ROUNDS.replace("TEST", test), "opencl")) is bad


APART = """
__global__ void keep(const int *x, int n, int *kept, int *used) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || x[i] < 0) return;
    const int at = atomicAdd(used, 1);
    if (at >= 512) return;
    kept[at] = i;
    kept[at + 512] = x[i];  // a list of its own
}
"""


def test_a_list_behind_the_list() -> None:
    assert not findings(ArrayIndexOutOfRange, APART)


OF_A_WARP = """
__global__ void compact(const float *v, int n, float cut, int *out, int *used, int room) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    const bool keep = i < n && v[i] > cut;
    const unsigned mask = __ballot_sync(0xffffffffu, keep);
    int base = 0;
    if (lane == 0) base = atomicAdd(used, STEP);
    base = __shfl_sync(0xffffffffu, base, 0);
    const int at = base + __popc(mask & ((1u << lane) - 1));
    if (keep && TEST) out[at] = i;
}
"""


@pytest.mark.parametrize(
    ("step", "test", "bad"),
    [
        ("__popc(mask)", "base < room", True),
        ("__popc(mask)", "at < room", False),
        ("__popc(mask)", "base + __popc(mask) <= room", False),
        ("__popc(mask)", "base <= room - 32", False),
        ("32", "base < room", False),  # whole warps, of which the room may be a multiple
        ("__popc(mask)", "true", False),
    ],
)
def test_places_of_a_warp(step: str, test: str, bad: bool) -> None:
    assert bool(findings(ArrayIndexOutOfRange, OF_A_WARP.replace("STEP", step).replace("TEST", test))) is bad


OF_A_BLOCK = """
__kernel void gather(__global const int *many, __global const int *from, const int n, __global int *list,
                     volatile __global int *used, const int room) {
    __local int base;
    const int g = get_group_id(0), k = get_local_id(0), count = many[g];
    if (k == 0) base = atomic_add(used, count);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (k < count && TEST) list[base + k] = from[g * 64 + k];
}
"""


@pytest.mark.parametrize(("test", "bad"), [("base < room", True), ("base + k < room", False)])
def test_places_of_a_block(test: str, bad: bool) -> None:
    assert bool(findings(ArrayIndexOutOfRange, OF_A_BLOCK.replace("TEST", test), "opencl")) is bad
