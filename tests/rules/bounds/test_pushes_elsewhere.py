"""Lists and stacks that one kernel of a file fills under a test of their length, and another without."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange

from tests.rules.marked import findings

LISTS = """
#define SLOTS 40
__kernel void pairs_of_all(__global const float4 *at, __global int *slots, __global int *used, const int n,
                           const float r) {
    const int i = get_global_id(0);
    if (i >= n) return;
    int c = 0;
    for (int j = 0; j < n; ++j)
        if (distance(at[i], at[j]) < r && c < FIRST) slots[i * SLOTS + c++] = j;
    used[i] = c;
}
__kernel void pairs_of_cell(__global const float4 *at, __global const int *cell, __global int *slots,
                            __global int *used, const int n, const float r) {
    const int i = get_global_id(0);
    if (i >= n) return;
    int c = 0;
    for (int k = cell[i]; k < cell[i + 1]; ++k) {
        TEST
        if (distance(at[i], at[k]) < r) slots[i * PITCH + c++] = k;
    }
    used[i] = c;
}
"""


@pytest.mark.parametrize(
    ("first", "test", "pitch", "bad"),
    [
        ("SLOTS", "", "SLOTS", True),
        ("SLOTS", "if (c == SLOTS) break;", "SLOTS", False),
        ("SLOTS", "if (c >= SLOTS) continue;", "SLOTS", False),
        ("SLOTS", "", "2 * SLOTS", False),
        ("7", "", "SLOTS", False),
    ],
)
def test_rows_of_neighbours(first: str, test: str, pitch: str, bad: bool) -> None:
    code = LISTS.replace("FIRST", first).replace("TEST", test).replace("PITCH", pitch)
    found = findings(ArrayIndexOutOfRange, code, "opencl")
    assert bool(found) is bad, [one.message for one in found]


WALKS = """
struct Node { float lo, hi; int left, right; };
__global__ void count(const Node *tree, const float *at, int *found, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int open[24], top = 0, hits = 0;
    open[top++] = 0;
    while (top > 0) {
        const Node node = tree[open[--top]];
        if (at[i] < node.lo || at[i] > node.hi) continue;
        if (node.left < 0) { ++hits; continue; }
        if (top + 2 <= 24) { open[top++] = node.left; open[top++] = node.right; }
    }
    found[i] = hits;
}
__global__ void first(const Node *tree, const float *at, int *found, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int open[SIZE], top = 0, hit = -1;
    open[top++] = 0;
    while (top > 0 && hit < 0) {
        const Node node = tree[open[--top]];
        if (at[i] < node.lo || at[i] > node.hi) continue;
        if (node.left < 0) { hit = node.right; continue; }
        PUSH
    }
    found[i] = hit;
}
"""


@pytest.mark.parametrize(
    ("size", "push", "bad"),
    [
        ("24", "for (int k = 0; k < 2; ++k) open[top++] = node.left + k;", True),
        ("24", "for (int k = 0; k < 2; ++k) if (top < 24) open[top++] = node.left + k;", False),
        ("64", "for (int k = 0; k < 2; ++k) open[top++] = node.left + k;", False),
        ("24", "open[top++] = at[i] < 0.0f ? node.left : node.right;", False),
    ],
)
def test_stacks(size: str, push: str, bad: bool) -> None:
    found = findings(ArrayIndexOutOfRange, WALKS.replace("SIZE", size).replace("PUSH", push))
    assert bool(found) is bad, [one.message for one in found]


NEAREST = """
struct Cell { float at; int near, far, begin, end; };
__global__ void nearest(const Cell *tree, const float *at, float *found, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int open[24], top = 0;
    float best = 1e30f;
    open[top++] = 0;
    while (LOOP) {
        const Cell cell = tree[open[--top]];
        if (fabsf(cell.at - at[i]) >= best) continue;
        if (cell.end > cell.begin) {
            for (int k = cell.begin; k < cell.end; ++k) best = fminf(best, fabsf(at[i] - at[k]));
        } else PUSH
    }
    found[i] = best;
}
"""


@pytest.mark.parametrize(
    ("loop", "push", "bad"),
    [
        ("top > 0", "{ open[top++] = cell.far; open[top++] = cell.near; }", True),
        ("top >= 1", "{ open[top++] = cell.far; open[top++] = cell.near; }", True),
        ("top > 0", "if (top < 23) { open[top++] = cell.far; open[top++] = cell.near; }", False),
        ("top > 0 && top < 23", "{ open[top++] = cell.far; open[top++] = cell.near; }", False),
    ],
)
def test_what_chooses_the_way_is_no_count(loop: str, push: str, bad: bool) -> None:
    """What a search compares distances with stands in the conditions under which its stack grows."""
    first = WALKS.split("__global__ void first")[0]
    found = findings(ArrayIndexOutOfRange, first + NEAREST.replace("LOOP", loop).replace("PUSH", push))
    assert bool(found) is bad, [one.message for one in found]
