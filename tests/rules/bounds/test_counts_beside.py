"""Lists that a thread goes on to fill in another loop, of which one asks for the room."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange

from tests.rules.marked import findings

LISTS = """
#define ROOM 24
__global__ void edges_of(const float *w, const int *in, const int *out, int *kept, int *degree, int n, int room,
                         float least) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    int c = 0;
    for (int e = in[v]; e < in[v + 1]; ++e)
        if (w[e] > least && FIRST) kept[FIRST_AT] = e;
    BETWEEN
    for (int e = out[v]; e < out[v + 1]; ++e) {
        SECOND
    }
    degree[v] = c;
}
"""
COLUMNS, ROWS = "c++ * n + v", "v * ROOM + c++"
ON = "if (w[e] <= least) kept[c++ * n + v] = ~e;"


@pytest.mark.parametrize(
    ("first", "at", "between", "second", "bad"),
    [
        ("c < ROOM", COLUMNS, "", ON, True),
        ("c < room", COLUMNS, "", ON, True),
        ("c < room", "v * room + c++", "", "if (w[e] <= least) { kept[v * room + c] = ~e; c++; }", True),
        ("c < ROOM", COLUMNS, "if (c > 0)", ON, True),
        ("c < ROOM", COLUMNS, "", "if (w[e] <= least && c < ROOM) kept[c++ * n + v] = ~e;", False),
        ("c < room", COLUMNS, "", "if (c == room) break; " + ON, False),
        ("c < room", COLUMNS, "", "if (c >= room) continue; " + ON, False),
        ("c < room", COLUMNS, "if (c + out[v + 1] - out[v] > room) return;", ON, False),
        ("c < ROOM", COLUMNS, "c = 0;", "kept[(c & 7) * n + v] = ~e; ++c;", False),
        ("c < ROOM", "c++ * n + v", "", "kept[(ROOM + c) * n + v] = ~e; ++c;", False),  # behind what was filled
        ("c < room", "v * 2 * room + c++", "", "if (w[e] <= least) { kept[v * 2 * room + c] = ~e; c++; }", False),
        ("c < ROOM", COLUMNS, "kept[c * n + v] = -1;", "degree[v] += e;", False),  # the mark behind the last one
        ("c < ROOM - 4", COLUMNS, "for (int k = 0; k < 4; ++k) kept[c++ * n + v] = -1;", "", False),
    ],
)
def test_two_loops(first: str, at: str, between: str, second: str, bad: bool) -> None:
    code = LISTS.replace("FIRST_AT", at).replace("FIRST", first).replace("BETWEEN", between).replace("SECOND", second)
    found = findings(ArrayIndexOutOfRange, code)
    assert bool(found) is bad, [one.message for one in found]
    assert len(found) < 2


BRANCHES = """
__kernel void matches(__global const int *a, __global const int *b, __global int *hits, __global int *n_hits,
                      const int n, const int most) {
    const int row = get_global_id(0);
    int found = 0;
    for (int i = 0; i < n; ++i) {
        if (a[i] == row) {
            if (found < most) { hits[row * most + found] = i; ++found; }
        } else if (b[i] == row) {
            BODY
        }
    }
    n_hits[row] = found;
}
"""


@pytest.mark.parametrize(
    ("body", "bad"),
    [
        ("hits[row * most + found] = -i; ++found;", True),
        ("if (found < most) hits[row * most + found++] = -i;", False),
        ("if (found > 0) hits[row * most + found - 1] = -i;", False),
        ("if (found >= most) break; hits[row * most + found++] = -i;", False),
    ],
)
def test_two_branches(body: str, bad: bool) -> None:
    found = findings(ArrayIndexOutOfRange, BRANCHES.replace("BODY", body), "opencl")
    assert bool(found) is bad, [one.message for one in found]
