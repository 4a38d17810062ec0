"""Counts that go up to the size of an array, and are used as a place in it."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange

from tests.rules.marked import findings

SORTED = """
#define KEEP 12
__kernel void nearest(__global const float *dist, __global int *out, const int n, const int rows) {
    const int row = get_global_id(0);
    if (row >= rows) return;
    float best[KEEP];
    int who[KEEP];
    int count = 0;
    for (int j = 0; j < n; ++j) {
        const float d = dist[row * n + j];
        FILTER
        int at = FROM;
        for (; at > 0 && best[at - 1] > d; --at) {
            best[at] = best[at - 1];
            who[at] = who[at - 1];
        }
        best[at] = d;
        who[at] = j;
        COUNT
    }
    for (int k = 0; k < count; ++k) out[row * KEEP + k] = who[k];
}
"""

UP = "if (count < KEEP) ++count;"


@pytest.mark.parametrize(
    ("filter_", "start", "count", "bad"),
    [
        ("if (count == KEEP && d >= best[KEEP - 1]) continue;", "count", UP, True),
        ("if (d > 4.0f) continue;", "count", UP, True),
        ("if (d > 4.0f) continue;", "count", "if (count != KEEP) ++count;", False),  # not followed
        ("if (count == KEEP && d >= best[KEEP - 1]) continue;", "min(count, KEEP - 1)", UP, False),
        ("if (count == KEEP && d >= best[KEEP - 1]) continue;", "count < KEEP ? count : KEEP - 1", UP, False),
        ("if (count == KEEP) continue;", "count", UP, False),
        ("if (count >= KEEP) break;", "count", UP, False),
        ("if (d > 4.0f) continue;", "count", UP + " if (count == KEEP) break;", False),
        ("if (d > 4.0f) continue;", "count", "if (count < KEEP - 1) ++count;", False),
    ],
)
def test_insertion_into_a_sorted_list(filter_: str, start: str, count: str, bad: bool) -> None:
    code = SORTED.replace("FILTER", filter_).replace("FROM", start).replace("COUNT", count)
    found = findings(ArrayIndexOutOfRange, code, "opencl")
    assert bool(found) is bad, [one.message for one in found]


LIST = """
template <int N> struct Hits { int id[N]; float t[N]; };
__global__ void trace(const float *t, int *first, int n, int rays) {
    const int ray = blockIdx.x * blockDim.x + threadIdx.x;
    if (ray >= rays) return;
    Hits<8> hits;
    int used = 0;
    for (int k = 0; k < n; ++k) {
        if (t[ray * n + k] < 0.0f) continue;
        STORE
    }
    int sum = 0;
    for (int k = 0; k < used; ++k) sum += hits.id[k];
    first[ray] = sum;
}
"""


@pytest.mark.parametrize(
    ("store", "bad"),
    [
        ("hits.id[used] = k; if (used < 8) used++;", True),
        ("if (used < 8) hits.id[used++] = k;", False),
        ("hits.id[used] = k; if (used < 7) used++;", False),
        ("hits.id[used] = k; used = used < 8 ? used + 1 : used;", True),
        ("hits.id[used] = k; used = min(used + 1, 7);", False),
    ],
)
def test_hits_of_a_ray(store: str, bad: bool) -> None:
    found = findings(ArrayIndexOutOfRange, LIST.replace("STORE", store))
    assert bool(found) is bad, [one.message for one in found]


STACK = """
#define DEPTH 24
struct Box { float lo, hi; int left, right; };
__global__ void visit(const Box *box, const float *at, int *hits, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int open[DEPTH];
    int top = 0, seen = 0;
    open[top++] = 0;
    while (top > 0) {
        const Box b = box[open[--top]];
        if (at[i] < b.lo || at[i] > b.hi) continue;
        if (b.left < 0) { ++seen; continue; }
        PUSH
    }
    hits[i] = seen;
}
"""


@pytest.mark.parametrize(
    ("push", "bad"),
    [
        ("if (top <= DEPTH) open[top++] = b.left; if (top <= DEPTH) open[top++] = b.right;", True),
        ("if (top <= DEPTH) open[top++] = b.left; if (top < DEPTH) open[top++] = b.right;", False),  # one was taken out
        ("if (top < DEPTH) { open[top++] = b.left; open[top++] = b.right; }", True),
        ("if (top + 2 <= DEPTH) { open[top++] = b.left; open[top++] = b.right; }", False),
        ("if (top < DEPTH - 1) { open[top++] = b.left; open[top++] = b.right; }", False),
        ("if (top < DEPTH) open[top++] = b.left; if (top < DEPTH) open[top++] = b.right;", False),
        ("if (top < DEPTH - 1) open[top++] = b.left; open[top++] = b.right;", False),  # one was taken out
        ("if (top < DEPTH + 1) open[top++] = b.left;", False),  # one is taken out before, and one put in
        ("if (top >= DEPTH) break; open[top++] = b.left; open[top++] = b.right;", True),
        ("open[top++] = b.left; open[top++] = b.right;", False),  # nothing says how deep it gets
        ("if (top < DEPTH) open[top++] = b.left; open[top++] = b.right; if (b.hi > 0) open[top++] = b.left;", True),
        ("if (top < DEPTH) open[top++] = b.left; if (at[i] > 0) { open[top++] = b.right; open[top++] = 0; }", True),
        ("if (top < DEPTH) open[top++] = b.left; if (top == DEPTH) continue; open[top++] = 0;", False),
        ("open[top & (DEPTH - 1)] = b.left; ++top;", False),
    ],
)
def test_stacks(push: str, bad: bool) -> None:
    found = findings(ArrayIndexOutOfRange, STACK.replace("PUSH", push))
    assert bool(found) is bad, [one.message for one in found]


APPEND = """
#define ROOM 16
__kernel void collect(__global const int *first, __global const float *w, __global int *list, __global int *length,
                      volatile __global int *total, __global int *all, const int rows) {
    const int row = get_global_id(0);
    if (row >= rows) return;
    int own[ROOM];
    int n = 0;
    for (int k = first[row]; k < first[row + 1]; ++k) {
        if (w[k] <= 0.0f) continue;
        STORE
    }
    AFTER
    length[row] = n;
    for (int k = 0; k < n && k < ROOM; ++k) list[row * ROOM + k] = own[k];
}
"""


@pytest.mark.parametrize(
    ("store", "after", "bad"),
    [
        ("if (n <= ROOM) own[n++] = k;", "", True),
        ("if (n < ROOM) own[n++] = k;", "", False),
        ("if (n < ROOM) own[n++] = k;", "own[n] = -1;", True),
        ("if (n < ROOM - 1) own[n++] = k;", "own[n] = -1;", False),
        ("if (n < ROOM) own[n++] = k;", "if (n < ROOM) own[n] = -1;", False),
        ("if (n > ROOM) break; own[n++] = k;", "", True),
        ("if (n == ROOM) break; own[n++] = k;", "", False),
        ("own[n++] = k; if (n == ROOM) break;", "", False),
        ("if (n < ROOM) { own[n] = k; own[n + 1] = row; n += 2; }", "", False),  # pairs, of an even number
        ("if (n <= ROOM) { own[n] = k; own[n + 1] = row; n += 2; }", "", True),
        ("if (w[k] > 1.0f) { if (n < ROOM) own[n++] = k; } else own[n++] = -k;", "", True),
        ("if (w[k] > 1.0f) { if (n < ROOM) own[n++] = k; } else if (n < ROOM) own[n++] = -k;", "", False),
        ("if (n <= ROOM) list[row * ROOM + n++] = k;", "", True),
        ("if (n < ROOM) list[row * ROOM + n++] = k;", "", False),
        ("if (n <= ROOM) list[row * (ROOM + 1) + n++] = k;", "", False),
        ("const int at = atomic_inc(total); if (at <= ROOM) own[at] = k;", "", True),
        ("const int at = atomic_inc(total); if (at < ROOM) own[at] = k;", "", False),
    ],
)
def test_lists(store: str, after: str, bad: bool) -> None:
    found = findings(ArrayIndexOutOfRange, APPEND.replace("STORE", store).replace("AFTER", after), "opencl")
    assert bool(found) is bad, [one.message for one in found]


CLIP = """
#define MOST 6
__kernel void clip(__global const float *cut, __global float *out, const int n) {
    const int i = get_global_id(0);
    if (i >= n) return;
    float corner[ROOM], kept[MOST];
    for (int k = 0; k < 3; ++k) corner[k] = cut[i + k];
    int n_corner = 3;
    for (int e = 0; e < 3 && n_corner > 0; ++e) {
        int m = 0;
        for (int k = 0; k < n_corner; ++k) {
            if (corner[k] >= cut[e] && m < TOP) kept[m++] = corner[k];
            if (corner[k] < cut[e + 1] && m < TOP) kept[m++] = cut[e] - corner[k];
        }
        for (int k = 0; k < m; ++k) corner[k] = kept[k];
        n_corner = m;
    }
    corner[n_corner] = corner[0];
    float sum = 0.0f;
    for (int k = 0; k < n_corner; ++k) sum += corner[k] * corner[k + 1];
    out[i] = sum;
}
"""


@pytest.mark.parametrize(
    ("room", "top", "bad"), [("MOST", "MOST", True), ("MOST + 1", "MOST", False), ("MOST", "MOST - 1", False)]
)
def test_a_list_that_is_closed_by_its_first_element(room: str, top: str, bad: bool) -> None:
    found = findings(ArrayIndexOutOfRange, CLIP.replace("ROOM", room).replace("TOP", top), "opencl")
    assert bool(found) is bad, [one.message for one in found]


TWO = """
#define MOST 24
__global__ void pack(const float *dense, int rows, int cols, float *val, int *at, int *count) {
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    int k = 0;
    for (int c = 0; c < cols; ++c) {
        const float v = dense[r * cols + c];
        if (v == 0.0f) continue;
        if (k < MOST) val[r * MOST + k] = v;
        SECOND
        ++k;
    }
    count[r] = min(k, MOST);
}
"""


@pytest.mark.parametrize(
    ("second", "bad"),
    [("at[r * MOST + k] = c;", True), ("if (k < MOST) at[r * MOST + k] = c;", False), ("at[r] = c;", False)],
)
def test_the_same_place_in_another_list(second: str, bad: bool) -> None:
    assert bool(findings(ArrayIndexOutOfRange, TWO.replace("SECOND", second))) is bad


PEAKS = """
__global__ void peaks(const float *y, const int *length, int n, int *out, int *counts) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    int at[16];
    int m = 0;
    for (int k = 1; k < length[t]; ++k) {
        if (y[k] > y[k - 1]) {
            at[m++] = k;
            LEFT
        }
    }
    counts[t] = m;
    for (int q = 0; q < min(m, 16); ++q) out[t * 16 + q] = at[q];
}
"""


@pytest.mark.parametrize(
    ("left", "bad"),
    [
        ("if (m > 16) break;", True),
        ("if (m >= 16) break;", False),
        ("if (m == 16) break;", False),
        ("if (m > 15) break;", False),
        ("if (m > 16) return;", True),
        ("if (m > 16 && y[k] > 2.0f) break;", False),
    ],
)
def test_ways_out_behind_the_store(left: str, bad: bool) -> None:
    assert bool(findings(ArrayIndexOutOfRange, PEAKS.replace("LEFT", left))) is bad
