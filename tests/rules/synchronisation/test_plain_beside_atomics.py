"""Plain updates beside atomic ones, and elements that threads take after a plain look whether they are free."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace

from kernlint.finding import Severity
from kernlint.rule import RuleClass
from tests.rules.marked import findings

RULE: RuleClass = GlobalMemoryRace

BOND = """
__global__ void pull(const int2 *bond, const float *x, const float *stiff, float *force, int n) {
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= n) return;
    int2 ends = bond[b];
    float f = stiff[b] * (x[ends.x] - x[ends.y]);
    atomicAdd(&force[ends.y], f);
    %s
}
"""

MEAN = """
struct Mean { float sum, weight; };
__device__ void put(Mean *m, float v, float w) {
    atomicAdd(&m->sum, v * w);
    %s
}
__global__ void bin(const float *v, const float *w, const unsigned short *cell, Mean *out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        put(out + cell[i], v[i], w[i]);
}
"""

TRIED_AGAIN = """
inline void add(volatile __global float *at, float by) {
    union { uint u; float f; } was, now;
    do {
        was.f = *at;
        now.f = was.f + by;
    } while (atomic_cmpxchg((volatile __global uint *)at, was.u, now.u) != was.u);
}
__kernel void rain(__global const float4 *drop, __global float *soil, __global float *lake, int nx, int ny, int n) {
    const int i = get_global_id(0);
    if (i >= n) return;
    const int c = clamp((int)drop[i].y, 0, ny - 1) * nx + clamp((int)drop[i].x, 0, nx - 1);
    add(&lake[c], drop[i].z);
    %s
}
"""

LOCKED = """
inline void enter(volatile __global int *lock) {
    while (*lock != 0 || atomic_cmpxchg(lock, 0, 1) != 0)
        ;
}
__kernel void rain(__global const float4 *drop, __global float *soil, __global int *lock, int nx, int ny, int n) {
    const int i = get_global_id(0);
    if (i >= n) return;
    const int c = clamp((int)drop[i].y, 0, ny - 1) * nx + clamp((int)drop[i].x, 0, nx - 1);
    enter(&lock[c]);
    soil[c] += drop[i].w;
    atomic_xchg(&lock[c], 0);
}
"""

FIRST_COME = """
__global__ void fill(const int *slot, const float *v, int *used, float *sum, int n, int size) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || slot[i] >= size) return;
    if (atomicAdd(&used[slot[i]], 1) == 0) sum[slot[i]] += v[i];
}
"""

SEAT = """
struct Guest { float2 at; int seat; int fed; };
__global__ void sit(Guest *guest, int n, int *taken, int wide, int high) {
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= n) return;
    int x = min(max((int)guest[g].at.x, 0), wide - 1), y = min(max((int)guest[g].at.y, 0), high - 1);
    int s = y * wide + x;
    if (%s) {
        taken[s] = %s;
        guest[g].seat = s;
    }
}
"""

ROW = """
__global__ void pair_up(const int *start, const int *near, int *used, int *mate, int n) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    for (int e = start[v]; e < start[v + 1]; ++e) {
        int w = near[e];
        if (%s) {
            %s
            mate[v] = w;
            break;
        }
    }
}
"""


def test_a_plain_update_of_what_is_updated_atomically_at_the_other_end_loses_sums() -> None:
    (found,) = findings(RULE, BOND % "force[ends.x] -= f;")
    assert found.severity is None or found.severity is Severity.WARNING
    assert not findings(RULE, BOND % "atomicAdd(&force[ends.x], -f);")


def test_a_field_is_updated_plainly_beside_one_that_is_updated_atomically() -> None:
    (found,) = findings(RULE, MEAN % "m->weight += w;")
    assert found.severity is None or found.severity is Severity.WARNING
    assert not findings(RULE, MEAN % "atomicAdd(&m->weight, w);")


def test_an_update_that_is_tried_again_waits_for_nobody() -> None:
    assert findings(RULE, TRIED_AGAIN % "soil[c] += drop[i].w;", "opencl")
    assert not findings(RULE, TRIED_AGAIN % "add(&soil[c], drop[i].w);", "opencl")
    assert not findings(RULE, LOCKED, "opencl")


def test_whoever_an_atomic_operation_has_chosen_updates_alone() -> None:
    assert not findings(RULE, FIRST_COME)


@pytest.mark.parametrize("mark", ["g + 1", "1"])
def test_an_element_found_free_is_taken_by_two(mark: str) -> None:
    (found,) = findings(RULE, SEAT % ("taken[s] == 0", mark))
    assert "marks it" in found.message
    assert not findings(RULE, SEAT % (f"atomicCAS(&taken[s], 0, {mark}) == 0", mark))


def test_candidates_of_a_row_are_taken_by_two() -> None:
    assert findings(RULE, ROW % ("used[w] == 0", "used[w] = 1;"))
    assert not findings(RULE, ROW % ("atomicExch(&used[w], 1) == 0", ""))
    assert not findings(RULE, ROW % ("used[w] == 0", ""))


def test_a_level_that_all_put_there_is_no_claim() -> None:
    code = """
__global__ void level(const int *start, const int *near, int *depth, int *again, int n, int now) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n || depth[v] != now) return;
    for (int e = start[v]; e < start[v + 1]; ++e)
        if (depth[near[e]] == -1) {
            depth[near[e]] = now + 1;
            *again = 1;
        }
}
"""
    assert not findings(RULE, code)


def test_who_has_been_named_before_takes_it_alone() -> None:
    code = """
__global__ void accept(const int *start, const int *near, const int *named, int *used, int *mate, int n) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    for (int e = start[v]; e < start[v + 1]; ++e) {
        int w = near[e];
        if (named[w] == v && used[w] == 0) {
            used[w] = 1;
            mate[v] = w;
        }
    }
}
"""
    assert not findings(RULE, code)


COUNTED = """
__global__ void visit(const int *start, const int *near, int *depth, int *list, int *filled, int n, int now) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    for (int e = start[v]; e < start[v + 1]; ++e)
        if (atomicCAS(&depth[near[e]], -1, now) == -1) {
            %s
        }
}
"""


def test_winners_of_many_elements_count_in_one() -> None:
    assert findings(RULE, COUNTED % "int at = *filled; list[at] = near[e]; *filled = at + 1;")
    assert not findings(RULE, COUNTED % "list[atomicAdd(filled, 1)] = near[e];")
    assert not findings(RULE, COUNTED % "list[near[e]] = now;")
