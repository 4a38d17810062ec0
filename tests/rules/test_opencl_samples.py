"""Kinds of false alarm that OpenCL samples and benchmarks showed, and the faults beside them."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard
from kernlint_rules.synchronisation.barrier_divergence import BarrierDivergence
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace
from kernlint_rules.synchronisation.late_barrier import LateBarrier
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from kernlint.finding import Severity
from kernlint.rule import RuleClass
from tests.rules.marked import assert_marked, findings

PARAMETERS_AS_ARRAYS = """
void widest(__local float best[], __local int at[]) {
    const uint t = get_local_id(0);
    for (uint s = get_local_size(0) / 2; s > 0; s >>= 1) {
        if (t < s && best[t + s] > best[t]) {
            best[t] = best[t + s];
            at[t] = at[t + s];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
__kernel void find(__global const float *in, __global int *out, __local float best[], __local int at[]) {
    const uint t = get_local_id(0);
    best[t] = in[get_global_id(0)];
    at[t] = t;
    @barrier
    widest(best, at);
    if (t == 0) out[get_group_id(0)] = at[0];
}
"""

SAME_VALUES = """
struct box { int wide, high, pitch, cells; };
__kernel void fill(__global int *out, const int wide, const int high) {
    __local struct box b;
    b.wide = wide;
    b.high = high;
    b.pitch = b.wide + 2;
    b.cells = b.pitch * b.high@;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = b.cells;
}
"""

CASES: dict[str, tuple[RuleClass, str]] = {
    "local arrays as parameters": (
        GlobalMemoryRace,
        PARAMETERS_AS_ARRAYS.replace("@barrier", "barrier(CLK_LOCAL_MEM_FENCE);"),
    ),
    "fields that all threads give the same values": (SharedMemoryRace, SAME_VALUES.replace("@", "")),
    "one of them made from the thread": (
        SharedMemoryRace,
        SAME_VALUES.replace("@;", " + get_local_id(0); // bad"),
    ),
    "a cell that every thread adds to": (
        SharedMemoryRace,
        """
__kernel void count(__global int *out) {
    __local int seen;
    if (get_local_id(0) == 0) seen = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    seen = seen + 1; // bad
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = seen;
}
""",
    ),
    "two threads that write one result of the other parts of an array": (
        SharedMemoryRace,
        """
__kernel void last(__global float *out, __local float *all, const int n) {
    const int t = get_local_id(0);
    __local float *a = all, *b = &all[n], *x = &all[2 * n];
    a[t] = out[t];
    b[t] = out[t + n];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < 2) x[0] = a[0] * b[1] - a[1] * b[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[t] = x[0];
}
""",
    ),
    "rows that several threads copy alike": (
        SharedMemoryRace,
        """
__kernel void halo(__global const float *in, __global float *out, __local float *s, const int step) {
    const int r = get_local_id(0), c = get_local_id(1), w = get_local_size(1) + 2;
    const int wide = get_num_groups(1) * get_local_size(1) + (step - get_local_size(1) % step);
    const int row = get_group_id(0) * ROWS + r;
    for (int i = 0; i < ROWS + 2; ++i) s[(r + i) * w + c] = in[(row + i) * wide + get_global_id(1)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < ROWS; ++i) out[(row + i) * wide + get_global_id(1)] = s[(r + i + 1) * w + c];
}
""",
    ),
    "parts of an array that hold an element for each thread": (
        SharedMemoryRace,
        """
#define N 32
__kernel void corners(__global const float4 *in, __global float4 *out) {
    __local float4 v[8 * N];
    const int t = get_local_id(0);
    const float4 p = in[get_global_id(0)];
    v[t] = p;
    v[N + t] = p * 2.0f;
    v[2 * N + t] = p * 3.0f;
    v[3 * N + t] = p * 4.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = v[((int)p.w & 3) * N + t];
}
""",
    ),
    "an element beside the thread's own": (
        SharedMemoryRace,
        """
__kernel void beside(__global const float *in, __global float *out) {
    __local float v[257];
    const int t = get_local_id(0);
    v[t] = in[get_global_id(0)];
    v[t + 1] = 2.0f * in[get_global_id(0)]; // bad
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = v[t];
}
""",
    ),
    "two elements of each thread, half a tile apart": (
        GlobalMemoryRace,
        """
#define TILE 512
__kernel void pairs(__global uint *out, __global const uint *in, const uint n) {
    __local uint l[TILE];
    const uint t = get_local_id(0);
    in += get_group_id(0) * TILE + t;
    out += get_group_id(0) * TILE + t;
    l[t] = in[0];
    l[t + TILE / 2] = in[TILE / 2];
    for (uint stride = n / 2; stride > 0; stride >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint at = 2 * t - (t & (stride - 1));
        const uint a = l[at], b = l[at + stride];
        l[at] = min(a, b);
        l[at + stride] = max(a, b);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[0] = l[t];
    out[TILE / 2] = l[t + TILE / 2];
}
""",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_traps(name: str) -> None:
    rule, code = CASES[name]
    assert_marked(rule, code, "opencl")


def test_local_arrays_as_parameters_are_shared() -> None:
    assert findings(SharedMemoryRace, PARAMETERS_AS_ARRAYS.replace("@barrier", ""), "opencl")


WARPS = """
__kernel void sums(__global const float *in, __global float *out, __local volatile float *s) {
    const int t = get_local_id(0), n = get_local_size(0);
    s[t] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = n / 2; k > 32; k >>= 1) {
        if (t < k) s[t] += s[t + k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t < 32) {
        s[t] += s[t + 32];
        s[t] += s[t + 16];
        s[t] += s[t + 8];
        s[t] += s[t + 4];
        s[t] += s[t + 2];
        s[t] += s[t + 1];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t == 0) out[get_group_id(0)] = s[0];
}
"""


def test_what_counts_on_a_warp_in_step_is_told_once() -> None:
    (found,) = findings(SharedMemoryRace, WARPS, "opencl", block="128,1,1", grid="4,1,1")
    assert found.severity is Severity.WARNING
    assert any("in step" in text or "promise" in text for text in found.assumptions)
    assert findings(LateBarrier, WARPS, "opencl", block="128,1,1", grid="4,1,1") == []


def test_threads_of_two_warps_leave_no_excuse() -> None:
    code = WARPS.replace("k > 32; k >>= 1) {\n        if (t < k)", "k > 32; k >>= 1) {\n        if (t < k) ").replace(
        "[t + k];\n        barrier(CLK_LOCAL_MEM_FENCE);", "[t + k];"
    )
    found = findings(SharedMemoryRace, code, "opencl", block="128,1,1", grid="4,1,1")
    assert Severity.ERROR in {one.severity for one in found}


def test_one_barrier_is_asked_for_once() -> None:
    code = """
__kernel void ends(__global const float *a, __global float *out) {
    __local float x[256];
    const int t = get_local_id(0);
    x[t] = a[get_global_id(0)];
    const float left = x[255 - t]; // bad
    const float right = x[254 - t / 2];
    out[get_global_id(0)] = left * right;
}
"""
    assert_marked(SharedMemoryRace, code, "opencl", block="256,1,1")
    assert len(findings(SharedMemoryRace, code, "opencl", block="256,1,1")) == 1


BITONIC = """
__kernel void merge(__global uint *data, __local uint *l, const uint length) {
    const uint t = get_local_id(0), n = get_local_size(0);
    data += get_group_id(0) * 2 * n;
    l[t] = data[t];
    l[t + n] = data[t + n];
    for (uint stride = length / 2; stride > 0; stride >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint at = 2 * t - (t & (stride - 1));
        const uint a = l[at], b = l[at + stride];
        l[at] = min(a, b);
        l[at + stride] = max(a, b);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    data[t] = l[t];
    data[t + n] = l[t + n];
}
"""

COUNTED_BY_A_HEADER = """
#include "salt.h"
typedef struct { int version; uchar hash[32]; uchar contents[MAX_CONTENTS]; } salt_t;
__kernel void load(__constant salt_t *salt, __global uint *out, __global state_t *state) {
    uint sum = state[get_global_id(0)].sum;
    for (uint k = 0; k < 32; ++k) sum += salt->contents[k];
    for (uint k = 0; k < 32; ++k) sum += salt->hash[k + 8]; // bad
    out[get_global_id(0)] = sum;
}
"""

ROWS_OF_OBJECTS = """
typedef struct { uchar v[32]; } key_t;
void fill(__global uchar *key, const uint wanted, const uint seed) {
    for (uint at = 0; at < wanted; at += 20)
        for (uint k = 0; k < 20 && at + k < wanted; ++k) key[at + k] = seed >> k;
}
__kernel void keys(__global key_t *out, __global const uint *in, const uint wanted) {
    const uint i = get_global_id(0);
    fill(out[i @].v, wanted, in[i]);
}
"""

WINNER = """
typedef struct { int keys[65]; int next[65]; } node_t;
__kernel void descend(__global const node_t *nodes, __global int *at, __global const int *key, const int n) {
    const int t = get_local_id(0), b = get_group_id(0);
    if (nodes[b].keys[t] <= key[b] && nodes[b].keys[t + 1] > key[b]) {
        if (nodes[at[b]].next[t] < n) at[b] = @nodes[at[b]].next[t]; @mark
    }
}
"""

ONE_GAP = """
__kernel void spread(__global const float *in, __global float *u, const int n) {
    const int i = get_global_id(0);
    if (i == 0) u[0] = in[0];
    barrier(CLK_GLOBAL_MEM_FENCE);
    const float first = u[0]; // bad
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (i < n) u[i] = first + in[i];
}
"""

FLAG = """
__kernel void rounds(__global volatile uint *size, __global uint *out, __local uint *s) {
    const uint t = get_local_id(0);
    while (1) {
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); @
        s[t] = out[get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        out[get_global_id(0)] = s[get_local_size(0) - 1 - t];
        if (size[0@index] > 100) break;
    }
}
"""

MORE: dict[str, tuple[RuleClass, str]] = {
    "a mask of one less than a stride, which is a power of two": (SharedMemoryRace, BITONIC),
    "a field counted by a name from a header": (ArrayIndexOutOfRange, COUNTED_BY_A_HEADER),
    "a helper that fills a field of each thread's object": (GlobalMemoryRace, ROWS_OF_OBJECTS.replace(" @", "")),
    "one thread finds the condition to hold": (GlobalMemoryRace, WINNER.replace("@mark", "").replace("@", "")),
    "two places at which blocks do not wait": (GlobalMemoryRace, ONE_GAP),
    "a flag that all threads of a block read": (BarrierDivergence, FLAG.replace("@index", "").replace("@", "")),
    "a flag of each thread": (BarrierDivergence, FLAG.replace("@index", " + t").replace("@", "// bad")),
}


@pytest.mark.parametrize("name", MORE)
def test_more_traps(name: str) -> None:
    rule, code = MORE[name]
    assert_marked(rule, code, "opencl")


def test_objects_that_threads_share_are_seen() -> None:
    assert findings(GlobalMemoryRace, ROWS_OF_OBJECTS.replace("i @", "i / 2"), "opencl")


def test_an_update_by_whoever_finds_the_condition_to_hold_is_seen() -> None:
    code = WINNER.replace("@mark", "").replace("@", "at[b] + ")
    assert findings(GlobalMemoryRace, code, "opencl")


def test_a_mask_is_no_excuse_for_a_missing_barrier() -> None:
    assert findings(SharedMemoryRace, BITONIC.replace("        barrier(CLK_LOCAL_MEM_FENCE);\n", ""), "opencl")


TILES = """
__kernel void relax(__global const float *in, __global float *out, const int cols, const int rows) {
    const int at = cols * (@by * get_group_id(1) + get_local_id(1)) + @by * get_group_id(0) + get_local_id(0);
    out[at] = 0.5f * in[at]; @mark
}
"""

EXACT = """
__kernel void lift(__global const float *in, __global float *out, const int nx, const int ny, const int nz) {
    const int x = get_global_id(0) + 1, y = get_global_id(1) + 1, z = @z;
    if (x < nx - 1) out[x + nx * (y + ny * z)] = in[x + nx * (y + ny * z)]; @mark
}
"""

QUARTERS = """
__kernel void regions(__global const float *in, __global float *out, const int layer) {
    const int t = get_local_id(1) * get_local_size(0) + get_local_id(0);
    const int quarter = get_group_id(0) >> 2;
    const int region = (layer * get_num_groups(1) + get_group_id(1)) * (get_num_groups(0) >> 2) + quarter;
    out[(region * 4 + (get_group_id(0) & @mask)) * 64 + t] = in[layer] * t; @mark
}
"""

CHOSEN_BITS = """
__kernel void reach(__global const int *edges, __global const int *seen, __global int *cost) {
    const int i = get_global_id(0), to = edges[i], mine = cost[i] + 1;
    const int mask = -(!seen[to]);
    cost[to] = @value; @mark
}
"""

HALVES = """
#define N 4 * 4 * 4 * 4
#define PARTS 2
#define THREADS N / PARTS
__kernel void turn(__global float *data) {
    __local float work[2 * N];
    const int t = get_local_id(0);
    data += get_group_id(0) * N;
    float v[PARTS];
    for (int k = 0; k < PARTS; ++k) v[k] = data[t + k * THREADS];
    for (int k = 0; k < PARTS; ++k) work[PARTS * t + k] = v[k];
    for (int k = 0; k < PARTS; ++k) work[N + PARTS * t + k] = -v[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < PARTS; ++k) data[t + k * THREADS] = work[t + k * THREADS] + work[2 * N - 1 - t];
}
"""

LAST: dict[str, tuple[RuleClass, str]] = {
    "tiles of a size of the kernel's own": (MissingBoundsGuard, TILES.replace("@by", "16").replace("@mark", "")),
    "a block of one row for each line of a volume": (
        MissingBoundsGuard,
        EXACT.replace("@z", "get_global_id(2) + 1").replace("@mark", ""),
    ),
    "a number of blocks that is divided by four": (
        GlobalMemoryRace,
        QUARTERS.replace("@mask", "3").replace("@mark", ""),
    ),
    "four blocks of a region that do not tell each other apart": (
        GlobalMemoryRace,
        QUARTERS.replace("@mask", "1").replace("@mark", "// bad"),
    ),
    "bits of one value or the other": (
        GlobalMemoryRace,
        CHOSEN_BITS.replace("@value", "(mine & mask) | (cost[to] & ~mask)").replace("@mark", ""),
    ),
    "a stride that is a quotient": (SharedMemoryRace, HALVES),
}


@pytest.mark.parametrize("name", LAST)
def test_last_traps(name: str) -> None:
    rule, code = LAST[name]
    loud = [one for one in findings(rule, code, "opencl") if one.severity is not Severity.NOTE]
    expected = [number for number, line in enumerate(code.splitlines(), 1) if line.rstrip().endswith("// bad")]
    assert [code.encode()[: one.span.start].count(b"\n") + 1 for one in loud] == expected


NOTED: dict[str, tuple[RuleClass, str]] = {
    "tiles of whole groups, which nobody tests": (
        MissingBoundsGuard,
        TILES.replace("@by * get_group_id(1)", "get_local_size(1) * get_group_id(1)")
        .replace("@by * get_group_id(0)", "get_local_size(0) * get_group_id(0)")
        .replace("@mark", "// bad"),
    ),
    "a sum at an index from memory that may or may not repeat": (
        GlobalMemoryRace,
        CHOSEN_BITS.replace("@value", "cost[to] + (mine & mask)").replace("@mark", "// bad"),
    ),
}


@pytest.mark.parametrize("name", NOTED)
def test_what_rests_on_more_than_the_text_says_is_a_note(name: str) -> None:
    rule, code = NOTED[name]
    found = findings(rule, code, "opencl")
    expected = [number for number, line in enumerate(code.splitlines(), 1) if line.rstrip().endswith("// bad")]
    assert [code.encode()[: one.span.start].count(b"\n") + 1 for one in found] == expected
    assert {one.severity for one in found} == {Severity.NOTE}


WAVES = """
__kernel void rows(__global const float *in, __global float *out, __local float *s, const int n) {
    const int t = get_local_id(0), lane = t & 63, row = get_global_id(0) / 64;
    if (row < n) {
        s[t] = in[get_global_id(0)];
        if (lane < 32) s[t] += s[t + 32];
        if (lane < 16) s[t] += s[t + 16];
        if (lane < 1) out[row] = s[t];
    }
}
"""


def test_kernels_written_for_wavefronts_count_on_those_in_step() -> None:
    (found,) = findings(SharedMemoryRace, WAVES, "opencl", block="256,1,1", grid="4,1,1")
    assert found.severity is Severity.WARNING
    found = findings(SharedMemoryRace, WAVES.replace("s[t + 32]", "s[t ^ 64]"), "opencl", block="256,1,1", grid="4,1,1")
    assert Severity.ERROR in {one.severity for one in found}
