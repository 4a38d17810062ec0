"""Kinds of false alarm that OpenCL kernels of real libraries showed, and the faults beside them."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard
from kernlint_rules.bounds.negative_index import NegativeIndex
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard
from kernlint_rules.indexing.floating_point_index import FloatingPointIndex
from kernlint_rules.synchronisation.barrier_divergence import BarrierDivergence
from kernlint_rules.synchronisation.cached_spin import CachedSpin
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from kernlint.finding import Severity
from kernlint.rule import RuleClass
from tests.rules.marked import findings

ADD = """
inline void add(volatile local float *p, const float v) {
    union { uint i; float f; } next, prev, want;
    prev.f = *p;
    do {
        want.f = prev.f;
        next.f = want.f + v;
        prev.i = atomic_cmpxchg((volatile local uint *)p, want.i, next.i);
    } while (want.i != prev.i);
}
"""

CASES: dict[str, tuple[RuleClass, str]] = {
    "vectors in rows with a pitch of their own": (
        WrongBoundsGuard,
        """
kernel void brighten(global float *img, const int cols, const int rows, const int pitch, const float by) {
    int x = get_global_id(0) * 4, y = get_global_id(1);
    if (x >= cols || y >= rows) return;
    global float *at = img + y * pitch + x;
    vstore4(vload4(0, at) + by, 0, at);
}
""",
    ),
    "vectors in rows one behind the other": (
        WrongBoundsGuard,
        """
kernel void brighten(global float *img, const int cols, const int rows, const float by) {
    int x = get_global_id(0) * 4, y = get_global_id(1);
    if (x >= cols || y >= rows) return;
    global float *at = img + y * cols + x;
    vstore4(vload4(0, at) + by, 0, at); // bad
}
""",
    ),
    "a loop over the vectors of a row": (
        WrongBoundsGuard,
        """
kernel void sums(global const float *in, global float *out, const int rows, const int length) {
    int row = get_global_id(0);
    if (row >= rows) return;
    float4 sum = 0;
    for (int i = 0; i < length / 4; ++i) sum += vload4(0, in + row * length + i * 4);
    out[row] = sum.x + sum.y + sum.z + sum.w;
}
""",
    ),
    "vectors up to the last whole one": (
        WrongBoundsGuard,
        """
kernel void negate(global float *x, const int n) {
    int i = get_global_id(0) * 4;
    if (i >= n) return;
    if (i < n / 4 * 4) vstore4(-vload4(0, x + i), 0, x + i);
    else for (int k = i; k < n; ++k) x[k] = -x[k];
}
""",
    ),
    "lengths of rows beside the ends of other rows": (
        WrongBoundsGuard,
        """
kernel void lengths(global uint *to, global const uint *left, global const uint *right, const uint rows) {
    const uint r = get_global_id(0);
    const uint a = r < rows ? left[r] : 0, b = r < rows ? left[r + 1] : 0;
    const uint c = r < rows ? right[r] : 0, d = r < rows ? right[r + 1] : 0;
    if (r < rows) to[r + 1] = b - a + d - c;
}
""",
    ),
    "the next element written where nothing else is read there": (
        WrongBoundsGuard,
        """
kernel void next(global uint *to, global const uint *left, const uint rows) {
    const uint r = get_global_id(0);
    if (r < rows) to[r + 1] = left[r]; // bad
}
""",
    ),
    "two tests joined by &": (
        MissingBoundsGuard,
        """
kernel void turn(global float *to, global const float *from, const int width, const int height, const int count) {
    const int x = get_global_id(0), y = get_global_id(1);
    if ((x < width) & (y < height)) to[x * height + y] = from[y * width + x];
}
""",
    ),
    "one of two tests joined by &": (
        MissingBoundsGuard,
        """
kernel void turn(global float *to, global const float *from, const int width, const int height, const int on) {
    const int x = get_global_id(0), y = get_global_id(1);
    if ((x < width) & (on > 0)) to[y * width + x] = from[y * width + x]; // bad
}
""",
    ),
    "pitches of more axes than are launched": (
        MissingBoundsGuard,
        """
typedef struct { int of[4]; } four;
kernel void planes(global float *to, const four size, const four pitch) {
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x < size.of[0] && y < size.of[1]) to[x * pitch.of[0] + y * pitch.of[1] + z * pitch.of[2]] = 0.0f;
}
""",
    ),
    "the size of an axis that nothing tests": (
        MissingBoundsGuard,
        """
typedef struct { int of[2]; } two;
kernel void plane(global float *to, const two size) {
    const int x = get_global_id(0), y = get_global_id(1);
    if (x < size.of[0]) to[y * size.of[0] + x] = 0.0f; // bad
}
""",
    ),
    "pixels around those of a part of an image": (
        NegativeIndex,
        """
kernel void spread(global const float *in, const int pitch, global float *out, const int cols, const int rows) {
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= cols || y >= rows) return;
    global const float *at = in + y * pitch + x;
    out[y * cols + x] = at[-pitch] + at[-1] + at[1] + at[pitch];
}
""",
    ),
    "rows below those of a part of an image": (
        WrongBoundsGuard,
        """
kernel void spread(global const float *in, const int pitch, global float *out, const int cols, const int rows) {
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= cols || y >= rows) return;
    float sum = 0;
    for (int d = -1; d < 2; ++d) sum += in[(y + d) * pitch + x];
    out[y * cols + x] = sum;
}
""",
    ),
    "pixels around those of a whole image": (
        NegativeIndex,
        """
kernel void spread(global const float *in, global float *out, const int cols, const int rows) {
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= cols || y >= rows) return;
    out[y * cols + x] = in[y * cols + x - 1] + in[y * cols + x + 1]; // bad
}
""",
    ),
    "an axis whose index only a test against a size reads": (
        GlobalMemoryRace,
        """
kernel void most(const int nx, const int ny, global const float *in, global int *out, const int length) {
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= nx || y >= ny) return;
    int best = 0;
    for (int i = 0; i < length; ++i)
        if (in[i * ny + y] > in[best * ny + y]) best = i;
    out[y] = best;
}
""",
    ),
    "an axis that the results rest on and their places do not": (
        GlobalMemoryRace,
        """
kernel void most(const int nx, const int ny, global const float *in, global float *out) {
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= nx || y >= ny) return;
    out[y] = in[x * ny + y]; // bad
}
""",
    ),
    "an update by all threads of an axis": (
        GlobalMemoryRace,
        """
kernel void count(const int nx, const int ny, global int *out) {
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= nx || y >= ny) return;
    out[y] = out[y] + 1; // bad
}
""",
    ),
    "a test of the index in the grid where the work goes by that in the group": (
        BarrierDivergence,
        """
kernel void rows(const int nx, const int ny, global const float *in, global float *out, const int length) {
    local float part[128];
    if (get_global_id(0) >= nx || get_global_id(1) >= ny) return;
    const int l = get_local_id(0), row = get_global_id(1);
    float sum = 0;
    for (int i = l; i < length; i += 128) sum += in[row * length + i];
    part[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 64; s > 0; s >>= 1) {
        if (l < s) part[l] += part[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) out[row] = part[0];
}
""",
    ),
    "a test of the index in the grid by which the work goes": (
        BarrierDivergence,
        """
kernel void sums(const int n, global const float *in, global float *out) {
    local float part[128];
    const int i = get_global_id(0), l = get_local_id(0);
    if (i >= n) return;
    part[l] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE); // bad
    for (int s = 64; s > 0; s >>= 1) {
        if (l < s) part[l] += part[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) out[get_group_id(0)] = part[0];
}
""",
    ),
    "a return of threads that the strides have no use for": (
        BarrierDivergence,
        """
kernel void best(global const float *in, global float *out, const int length) {
    local float part[128];
    const int l = get_local_id(0);
    if (l >= 128) return;
    float most = in[get_group_id(0) * length];
    for (int i = l; i < length; i += 128) most = max(most, in[get_group_id(0) * length + i]);
    part[l] = most;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) out[get_group_id(0)] = part[1];
}
""",
    ),
    "a return of threads that have work behind it": (
        BarrierDivergence,
        """
kernel void best(global const float *in, global float *out) {
    local float part[128];
    const int l = get_local_id(0);
    part[l] = in[get_group_id(0) * 128 + l];
    if (l >= 64) return;
    part[l] = max(part[l], part[l + 64]);
    barrier(CLK_LOCAL_MEM_FENCE); // bad
    if (l == 0) out[get_group_id(0)] = part[1];
}
""",
    ),
    "a reduction behind a loop with a barrier that may not run at all": (
        SharedMemoryRace,
        """
kernel void most(global float *out, global const float *in, const int n) {
    local float best[256];
    const int l = get_local_id(0);
    best[l] = -1.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < n; ++k) {
        best[l] = max(best[l], in[k * 256 + l]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int s = 128; s > 0; s >>= 1) {
        if (l < s && best[l + s] > best[l]) best[l] = best[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) *out = best[0];
}
""",
    ),
    "a reduction that has no barrier behind such a loop": (
        SharedMemoryRace,
        """
kernel void most(global float *out, global const float *in, const int n) {
    local float best[256];
    const int l = get_local_id(0);
    best[l] = -1.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < n; ++k) {
        best[l] = max(best[l], in[k * 256 + l]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int s = 128; s > 0; s >>= 1)
        if (l < s) best[l] = best[l] + best[l + s]; // bad
    if (l == 0) *out = best[0];
}
""",
    ),
    "sums of floats by compare-and-swap of their bits": (
        SharedMemoryRace,
        ADD
        + """
kernel void sums(global float *out, global const float *in, const int n) {
    local float s[2];
    const int l = get_local_id(0);
    if (l < 2) s[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = l; i < n; i += get_local_size(0)) add(s, in[i]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) *out = s[0];
}
""",
    ),
    "a plain sum beside them": (
        SharedMemoryRace,
        ADD
        + """
kernel void sums(global float *out, global const float *in, const int n) {
    local float s[2];
    const int l = get_local_id(0);
    if (l < 2) s[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = l; i < n; i += get_local_size(0)) add(s, in[i]);
    if (l == 0) *out = s[0]; // bad
}
""",
    ),
    "two such sums are no lock": (
        CachedSpin,
        ADD
        + """
kernel void sums(global float *out, global const float *in, const int n) {
    local float s[2];
    const int l = get_local_id(0);
    if (l < 2) s[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    add(s, in[l]);
    add(s, in[n + l]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) *out = s[0];
}
""",
    ),
    "a lock that is given back after the loop": (
        CachedSpin,
        """
kernel void sums(global float *out, global const float *in, global int *lock) {
    while (atomic_cmpxchg(lock, 0, 1) != 0) ; // bad
    *out += in[get_global_id(0)];
    atomic_xchg(lock, 0);
}
""",
    ),
    "labels of a type that the build names": (
        FloatingPointIndex,
        """
kernel void relabel(global LABEL *map, global const LABEL *to, const int n) {
    const int i = get_global_id(0);
    if (i < n) map[i] = to[(int)map[i]];
}
""",
    ),
    "labels of a type of floats": (
        FloatingPointIndex,
        """
typedef float label;
kernel void relabel(global label *map, global const label *to, const int n) {
    const int i = get_global_id(0);
    if (i < n) map[i] = to[(int)map[i]]; // bad
}
""",
    ),
    "loops up to a member of a type that no header gave": (
        BarrierDivergence,
        """
kernel void sums(global float *out, global const float *in, const info n) {
    local float part[64];
    const int l = get_local_id(0);
    float sum = 0;
    for (int i = 0; i < n.sizes[1]; ++i) {
        part[l] = in[i * n.pitches[0] + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += part[63 - l];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = sum;
}
""",
    ),
    "lanes of groups of one sub-group": (
        GlobalMemoryRace,
        """
kernel void spread(global const float *in, global float *out) {
    const int group = get_group_id(0), lane = get_sub_group_local_id();
    out[group * 32 + lane] = in[group] * lane;
}
""",
    ),
    "the last group resets the counter that told it so": (
        GlobalMemoryRace,
        """
kernel void total(global const float *in, global float *parts, global float *out, volatile global uint *drawn) {
    local int last;
    const int l = get_local_id(0), group = get_group_id(0);
    if (l == 0) {
        parts[group] = in[group];
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        last = atomic_inc(drawn) == get_num_groups(0) - 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (last && l == 0) {
        *out = parts[0];
        *drawn = 0;
    }
}
""",
    ),
    "a counter that every group resets": (
        GlobalMemoryRace,
        """
kernel void total(global const float *in, global float *out, volatile global uint *drawn) {
    const int l = get_local_id(0), group = get_group_id(0);
    if (l == 0) *drawn = 0;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[get_global_id(0)] = in[atomic_inc(drawn)]; // bad
}
""",
    ),
    "an edge that one thread finds, the first in a way of its own": (
        SharedMemoryRace,
        """
kernel void edges(global const char *flags, global int *out) {
    local char flag[64];
    local int edge;
    const int l = get_local_id(0), i = get_global_id(0);
    flag[l] = flags[i];
    if (l == 0) edge = -1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        if (flag[l] == 1) edge = i;
    } else {
        if (flag[l - 1] == 0 && flag[l] == 1) edge = i;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) out[get_group_id(0)] = edge;
}
""",
    ),
    "one mark or the other by every thread": (
        SharedMemoryRace,
        """
kernel void edges(global const char *flags, global int *out) {
    local int edge;
    const int l = get_local_id(0), i = get_global_id(0);
    const char f = flags[i];
    if (f == 1) edge = 1;
    else edge = 0; // bad
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) out[get_group_id(0)] = edge;
}
""",
    ),
    "an axis that the work in shared memory leaves out": (
        SharedMemoryRace,
        """
kernel void pool(global const float *in, global float *out, local float *part, const int n) {
    const int x = get_local_id(0), y = get_local_id(1), row = get_global_id(1), size = get_local_size(0);
    for (int i = x; i < 4 * n; i += size) part[y * 4 * n + i] = in[row * 4 * n + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = x; i < 2 * n; i += size) part[i] += part[i + 2 * n];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = x; i < n; i += size) part[i] += part[i + n];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = x; i < n; i += size) part[i] *= 0.25f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = x; i < n; i += size) out[row * n + i] = part[i];
}
""",
    ),
    "an axis that one write in shared memory leaves out": (
        SharedMemoryRace,
        """
kernel void pool(global const float *in, global float *out, local float *part, const int n) {
    const int x = get_local_id(0), y = get_local_id(1), row = get_global_id(1), size = get_local_size(0);
    for (int i = x; i < 2 * n; i += size) part[y * 2 * n + i] = in[row * 2 * n + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = x; i < n; i += size) part[i] += part[i + n]; // bad
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = x; i < n; i += size) out[row * n + i] = part[y * 2 * n + i];
}
""",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_trap(name: str) -> None:
    """The lines of warnings and errors are those marked."""
    rule, code = CASES[name]
    found = (f for f in findings(rule, code, "opencl") if f.severity is not Severity.NOTE)
    lines = {code.encode()[: f.span.start].count(b"\n"): f.message for f in found}
    assert lines.keys() == {at for at, line in enumerate(code.splitlines()) if line.endswith("// bad")}, lines
