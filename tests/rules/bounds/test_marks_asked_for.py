"""Marks that another kernel of the file asks for in the very element that is read here."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard

from tests.rules.marked import findings

FACES = """
#define NONE (-7)
__global__ void open_edges(CONST short2 *across, int *open, int edges) {
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges) return;
    const short2 face = across[e];
    open[e] = FIRST ? 1 : 0;
    WRITES
}
__global__ void areas(const short2 *across, const float *area, float *sum, int edges, int columns) {
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges) return;
    const short2 face = across[ELEMENT];
    TEST
    sum[e] = area[face.y * columns + face.x];
}
"""


@pytest.mark.parametrize(
    ("first", "element", "test", "writes", "bad"),
    [
        ("face.x == NONE", "e", "", "", True),
        ("face.x != NONE && face.x < edges", "e", "", "", True),
        ("face.x == NONE", "e", "if (face.x == NONE) return;", "", False),
        ("face.x == NONE", "e", "if (face.y < 0) return;", "", False),
        ("face.x == NONE", "e", "if (sum[e] < 0.0f) return;", "", False),  # other data may tell
        ("face.x == 7", "e", "", "", False),  # a face like others
        ("face.x == NONE", "2 * e", "", "", False),
        ("face.x == NONE", "e", "", "if (face.x == NONE) across[e].x = 0;", False),
    ],
)
def test_a_mark_that_is_counted(first: str, element: str, test: str, writes: str, bad: bool) -> None:
    text = FACES.replace("FIRST", first).replace("ELEMENT", element).replace("TEST", test)
    text = text.replace("CONST ", "" if writes else "const ").replace("WRITES", writes)
    assert bool(findings(MissingBoundsGuard, text)) is bad


ROWS = """
__kernel void spread(__global const uint *number, __global const float *row, __global float *out, int width) {
    const int item = get_group_id(0);
    const int n = (int)number[item];
    for (int c = get_local_id(0); c < width; c += get_local_size(0))
        out[item * width + c] = row[(n - FIRST) * width + c];
}
__kernel void gather(__global const uint *number, __global float *sum, __global const float *in, int width) {
    const int item = get_group_id(0);
    const int n = (int)number[item];
    if (n == 0) return;
    for (int c = get_local_id(0); c < width; c += get_local_size(0))
        sum[(n - SECOND) * width + c] += in[item * width + c];
}
"""


@pytest.mark.parametrize(
    ("first", "second", "bad"),
    [("1", "1", True), ("0", "0", False), ("0", "1", False), ("1", "0", False)],
)
def test_a_number_that_counts_from_one(first: str, second: str, bad: bool) -> None:
    assert bool(findings(MissingBoundsGuard, ROWS.replace("FIRST", first).replace("SECOND", second), "opencl")) is bad


HOST = """
void both(const short2 *a, const short2 *b, const float *area, int *open, float *sum, int n) {
    open_edges<<<(n + 63) / 64, 64>>>(a, open, n);
    areas<<<(n + 63) / 64, 64>>>(PASSED, area, sum, n, 12);
}
"""


@pytest.mark.parametrize(("passed", "bad"), [("a", True), ("b", False)])
def test_what_the_host_passes(passed: str, bad: bool) -> None:
    text = FACES.replace("FIRST", "face.x == NONE").replace("ELEMENT", "e").replace("TEST", "")
    text = text.replace("CONST", "const").replace("WRITES", "") + HOST.replace("PASSED", passed)
    assert bool(findings(MissingBoundsGuard, text)) is bad


NEAREST = """
__global__ void link(const float *x, int *near, int n, int many, float reach) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int got = 0;
    for (int j = 0; j < n && got < many; ++j)
        if (fabsf(x[i] - x[j]) < reach) FILL
    while (got < many) near[i * many + got++] = NONE;
}
__global__ void take(const float *value, const int *near, float *out, int width, int all) {
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= all) return;
    const int from = near[ELEMENT];
    TEST
    for (int c = 0; c < width; ++c) out[(size_t)c * all + k] = value[(size_t)c * all + from];
}
__global__ void give(const float *grad, const int *near, float *sum, int width, int all) {
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= all) return;
    const int from = near[k];
    ASKS
    for (int c = 0; c < width; ++c) atomicAdd(&sum[(size_t)c * all + from], grad[(size_t)c * all + k]);
}
"""
STORES = "near[i * many + got++] = j;"


@pytest.mark.parametrize(
    ("fill", "none", "element", "test", "asks", "bad"),
    [
        (STORES, "-1", "k", "", "if (from < 0) return;", True),
        (STORES, "-1", "k", "", "if (from >= 0 && from < all) {} else return;", True),
        ("got++;", "-1", "k", "", "if (from < 0) return;", True),
        (STORES, "-1", "k", "if (from < 0) return;", "if (from < 0) return;", False),
        (STORES, "-1", "k", "", "", False),
        (STORES, "0", "k", "", "if (from < 0) return;", False),  # whoever writes it leaves no mark
        (STORES, "-1", "all - 1 - k", "", "if (from < 0) return;", False),
    ],
)
def test_a_mark_that_a_kernel_stores(fill: str, none: str, element: str, test: str, asks: str, bad: bool) -> None:
    text = NEAREST.replace("FILL", fill).replace("NONE", none).replace("ELEMENT", element).replace("TEST", test)
    text = text.replace("ASKS", asks)
    assert bool(findings(MissingBoundsGuard, text)) is bad


@pytest.mark.parametrize(
    ("asks", "bad"), [("if (from < 0) return;", True), ("if (from < 0 || from >= all) return;", False)]
)
def test_a_mark_in_what_nobody_writes(asks: str, bad: bool) -> None:
    rest = NEAREST[NEAREST.index("__global__ void take") :]
    text = rest.replace("ELEMENT", "k").replace("TEST", "").replace("ASKS", asks)
    assert bool(findings(MissingBoundsGuard, text)) is bad


TOKENS = """
__global__ void scales(const float *scale, float *kept, const long long *slots, int tokens) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= tokens) return;
    const long long slot = slots[t];
    if (slot >= 0) kept[slot] = scale[t];
}
__global__ void rows(const float *in, float *cache, const long long *slots, const int *order, int width) {
    const long long slot = slots[ITEM];
    TEST
    for (int i = threadIdx.x; i < width; i += blockDim.x)
        cache[slot * width + i] = in[(long long)blockIdx.x * width + i];
}
"""


@pytest.mark.parametrize(
    ("item", "test", "bad"),
    [
        ("blockIdx.x", "", True),
        ("blockIdx.x", "if (slot < 0) return;", False),
        ("order[blockIdx.x]", "", False),
        ("blockIdx.x + width", "", False),
    ],
)
def test_the_element_of_an_item_is_one_for_threads_and_blocks(item: str, test: str, bad: bool) -> None:
    assert bool(findings(MissingBoundsGuard, TOKENS.replace("ITEM", item).replace("TEST", test))) is bad
