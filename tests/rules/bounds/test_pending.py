"""Lists of nodes to visit that are shorter than comments say that trees are deep."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange

from tests.rules.marked import findings

PUSHED = """
SAID
struct Cell { float lo, hi; int child; };
__global__ void walk(const Cell *cells, const float *at, int *hits, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int open[ROOM];
    int used = 0, seen = 0;
    open[used++] = 0;
    while (used > 0) {
        const Cell c = cells[open[--used]];
        if (at[i] < c.lo || at[i] > c.hi) continue;
        if (c.child < 0) { ++seen; continue; }
        PUSH
    }
    hits[i] = seen;
}
"""
TWO = "open[used++] = c.child; open[used++] = c.child + 1;"
FOUR = "for (int k = 0; k < 4; ++k) open[used++] = c.child + k;"
SOME = "for (int k = 0; k < 4; ++k) if (cells[c.child + k].lo < at[i]) open[used++] = c.child + k;"
SAID = "// The tree has at most 26 levels."


@pytest.mark.parametrize(
    ("said", "room", "push", "bad"),
    [
        (SAID, "24", TWO, True),
        (SAID, "25", TWO, False),
        (SAID, "64", TWO, False),
        (SAID, "64", FOUR, True),
        (SAID, "80", FOUR, False),
        (SAID, "64", SOME, True),
        (SAID, "80", SOME, False),
        (SAID, "64", SOME.replace("if (", "if (used < 64 && "), False),
        (SAID, "64", SOME.replace("open[", "{ open[").replace("+ k;", "+ k; break; }"), False),
        (SAID, "24", f"if (used + 2 > 24) break; {TWO}", False),
        (SAID, "24", f"if (used < 23) {{ {TWO} }}", False),
        (SAID, "24", f"if (used == 20) break; {TWO}", False),
        (SAID, "24", f"if (used > 20) __trap(); {TWO}", False),
        (SAID, "24", "open[used++ % 24] = c.child;", False),
        ("", "24", TWO, False),
        ("#define LEVELS 26 // deepest level of the tree", "24", TWO, True),
        ("#define LEVELS 26 // channels of an image", "24", TWO, False),
    ],
)
def test_nodes_taken_out_and_put_in(said: str, room: str, push: str, bad: bool) -> None:
    code = PUSHED.replace("SAID", said).replace("ROOM", room).replace("PUSH", push)
    assert bool(findings(ArrayIndexOutOfRange, code)) is bad


FAR = """
// tree: a path from the root has up to DEEP levels.
typedef struct { int node[16]; float dist[16]; int n; } list_t;
inline void put(list_t *l, int node, float dist) { l->node[l->n] = node; l->dist[l->n] = dist; ++l->n; }
__kernel void nearest(__global const float4 *tree, __global const float *at, __global float *out, const int n) {
    const int i = get_global_id(0);
    if (i >= n) return;
    list_t far;
    far.n = 0;
    float best = 1e30f;
    int here = 0;
    while (here >= 0) {
        const float4 t = tree[here];
        best = fmin(best, fabs(t.x - at[i]));
        int next = -1;
        if (t.y >= 0.0f) {
            const int left = at[i] < t.x;
            next = left ? (int)t.y : (int)t.z;
            TEST put(&far, left ? (int)t.z : (int)t.y, fabs(t.x - at[i]));
        }
        if (next < 0 && far.n > 0) next = far.node[--far.n];
        here = next;
    }
    out[i] = best;
}
"""


@pytest.mark.parametrize(
    ("deep", "test", "bad"), [("20", "", True), ("17", "", False), ("20", "if (far.n < 16)", False)]
)
def test_the_other_child_waits(deep: str, test: str, bad: bool) -> None:
    found = findings(ArrayIndexOutOfRange, FAR.replace("DEEP", deep).replace("TEST", test), "opencl")
    assert bool(found) is bad
