"""Places where a search of a table has ended, whether it has found something or not."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard

from tests.rules.marked import findings

TALLY = """
#include <cuda_runtime.h>
__global__ void tally(const int *code, int codes, const int *seen, int *often, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int k = 0;
    SEARCH
    TEST atomicAdd(&often[k], 1);
}
void run(const int *code, int codes, const int *seen, int n) {
    int *often;
    cudaMalloc(&often, ROOM * sizeof(int));
    tally<<<(n + 127) / 128, 128>>>(code, codes, seen, often, n);
    cudaFree(often);
}
"""
WHILE = "while (k < codes && code[k] != seen[i]) ++k;"
FOR = "for (; k < codes; ++k) if (code[k] == seen[i]) break;"


@pytest.mark.parametrize(
    ("search", "test", "room", "bad"),
    [
        (WHILE, "", "codes", True),
        (FOR, "", "codes", True),
        (WHILE, "", "(codes + 1)", False),  # what is not in the table has a place of its own
        (WHILE, "if (k < codes)", "codes", False),
        (FOR, "if (k == codes) return;", "codes", False),
        ("while (k < codes - 1 && code[k] != seen[i]) ++k;", "", "codes", False),
        ("while (k < codes && code[k] <= seen[i]) ++k;", "", "codes", False),  # the last may be beyond all
    ],
)
def test_an_array_of_as_many_elements_as_the_table(search: str, test: str, room: str, bad: bool) -> None:
    code = TALLY.replace("SEARCH", search).replace("TEST", test).replace("ROOM", room)
    found = findings(MissingBoundsGuard, code)
    assert any("where a search has ended" in one.message for one in found) is bad, [one.message for one in found]


@pytest.mark.parametrize(("use", "bad"), [("out[i] = code[k];", True), ("if (k < codes) out[i] = code[k];", False)])
def test_the_table_itself(use: str, bad: bool) -> None:
    code = """
__kernel void place(__global const int *code, int codes, __global const int *seen, __global int *out, int n) {
    const int i = get_global_id(0);
    if (i >= n) return;
    int k = 0;
    while (k < codes && code[k] != seen[i]) k++;
    USE
}
"""
    found = findings(MissingBoundsGuard, code.replace("USE", use), "opencl")
    assert any("where a search has ended" in one.message for one in found) is bad, [one.message for one in found]


RISING = """
#include <cuda_runtime.h>
__global__ void lift(const float *heat, const float *water, float *rate, const int *from, int cols, int layers) {
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    const int first = from[c];
    if (first < 0 || first >= layers - 1) return;
    BEFORE
    int k;
    for (k = first; k < LAST; ++k) {
        if (heat[(k + 1) * cols + c] > heat[first * cols + c] + 2.0f) break;
        if (water[k * cols + c] <= 0.0f) break;
    }
    const int top = TOP;
    for (int l = first; l <= top; ++l) rate[l * cols + c] += water[(l + 1) * cols + c] - water[l * cols + c];
}
void run(const float *host, const int *from, int cols, int layers, float *out) {
    const size_t bytes = sizeof(float) * cols * layers;
    float *heat, *water, *rate;
    cudaMalloc(&heat, bytes);
    cudaMalloc(&water, bytes);
    cudaMalloc(&rate, bytes);
    cudaMemcpy(heat, host, bytes, cudaMemcpyHostToDevice);
    lift<<<(cols + 63) / 64, 64>>>(heat, water, rate, from, cols, layers);
    cudaMemcpy(out, rate, bytes, cudaMemcpyDeviceToHost);
}
"""


@pytest.mark.parametrize(
    ("last", "top", "before", "told"),
    [
        ("layers - 1", "k", "", True),
        ("layers - 1", "min(k, layers - 2)", "", False),
        ("layers - 1", "k - 1", "", False),
        ("layers - 2", "k", "", False),
        ("layers - 1", "k", "if (heat[(layers - 1) * cols + c] < 9.0f) return;", False),
    ],
)
def test_beside_where_a_search_by_order_has_ended(last: str, top: str, before: str, told: bool) -> None:
    code = RISING.replace("LAST", last).replace("TOP", top).replace("BEFORE", before)
    found = [one.message for one in findings(MissingBoundsGuard, code) if "search" in one.message]
    assert bool(found) is told, found
