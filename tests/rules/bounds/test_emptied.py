"""Memory for a number of items that may be 0, and sizes that loops of the host round up."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import findings

LISTS = """
#include <cuda_runtime.h>
__global__ void mark(const int *cell_of, int *first, int found) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < found && (i == 0 || cell_of[i] != cell_of[i - 1])) first[cell_of[i]] = i;
}
__global__ void look(const int *first, float *out, int wide, int high) {
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x >= wide || y >= high) return;
    out[y * wide + x] = first[blockIdx.y * gridDim.x + blockIdx.x];
}
void run(const int *cell_of, float *out, int found, int wide, int high) {
    int *first;
    EARLY
    const dim3 cells((wide + 15) / 16, (high + 15) / 16);
    cudaMalloc(&first, ROOM * sizeof(int));
    ASKED mark<<<(found + 63) / 64, 64>>>(cell_of, first, found);
    look<<<cells, dim3(16, 16)>>>(first, out, wide, high);
    cudaFree(first);
}
"""


@pytest.mark.parametrize(
    ("early", "room", "asked", "bad"),
    [
        ("", "found", "if (found > 0)", True),
        ("", "found", "if (found)", True),
        ("", "found", "", False),  # how many there are callers know
        ("", "cells.x * cells.y", "if (found > 0)", False),
        ("", "(found + 1)", "if (found > 0)", False),
        ("if (found == 0) return;", "found", "if (found > 0)", False),
        ("", "found", "if (wide > 0)", False),
    ],
)
def test_the_host_takes_nothing_for_possible(early: str, room: str, asked: str, bad: bool) -> None:
    code = LISTS.replace("EARLY", early).replace("ROOM", room).replace("ASKED", asked)
    found = findings(WrongBoundsGuard, code) + findings(MissingBoundsGuard, code)
    assert bool(found) is bad, [one.message for one in found]


ROUNDED = """
#include <cuda_runtime.h>
static int padded(int n) { int size = 8; while (size < n) size *= 2; return size; }
__global__ void window(const float *in, float *rows, int size, int have) {
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < size) rows[blockIdx.y * size + k] = k < have ? in[k] : 0.0f;
}
void run(const float *in, int rows, int length) {
    const int size = padded(length);
    float *work;
    cudaMalloc(&work, rows * EACH * sizeof(float));
    window<<<dim3((size + 127) / 128, rows), 128>>>(in, work, size, length);
    cudaFree(work);
}
"""


@pytest.mark.parametrize(("each", "bad"), [("length", True), ("size", False), ("2 * length", False)])
def test_rows_of_a_size_that_a_loop_rounds_up(each: str, bad: bool) -> None:
    found = findings(WrongBoundsGuard, ROUNDED.replace("EACH", each))
    assert bool(found) is bad, [one.message for one in found]
