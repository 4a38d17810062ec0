"""Shared memory that every block but the first one sets."""

from __future__ import annotations

import pytest
from kernlint_rules.memory.uninitialised_shared_memory import UninitialisedSharedMemory

from kernlint.finding import Severity
from tests.rules.marked import findings

FROM_BEFORE = """
__global__ void packed(const int *ends, const float *x, float *y) {
    __shared__ int start;
    if (SETS) start = ends[blockIdx.x - 1];
    __syncthreads();
    int from = start;
    AFTER
    y[from + threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
}
"""
ROWS = """
__global__ void rows(const int *ends, const float *x, float *y, int n) {
    __shared__ int ends_of[2];
    const int row = blockIdx.y;
    if (FIRSTthreadIdx.x < 2) ends_of[threadIdx.x] = ends[row - 1 + threadIdx.x];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) y[ends_of[0] + i] = x[row * n + i];
}
"""
GROUPS = """
__kernel void moved(__global const int *ends, __global const float *x, __global float *y) {
    __local int start;
    const int group = get_group_id(0);
    if (group != 0) {
        if (get_local_id(0) == 0) start = ends[group - 1];
    } ELSE
    barrier(CLK_LOCAL_MEM_FENCE);
    y[start + get_local_id(0)] = x[get_global_id(0)];
}
"""


@pytest.mark.parametrize(
    ("code", "language"),
    [
        (FROM_BEFORE.replace("SETS", "blockIdx.x > 0 && threadIdx.x == 0").replace("AFTER", ""), "cuda"),
        (ROWS.replace("FIRST", "row >= 1 && "), "cuda"),
        (GROUPS.replace("ELSE", ""), "opencl"),
    ],
)
def test_nobody_sets_it_in_the_first_block(code: str, language: str) -> None:
    (found,) = findings(UninitialisedSharedMemory, code, language)
    assert "the first block writes" in found.message
    assert found.severity is Severity.WARNING


@pytest.mark.parametrize(
    ("code", "language"),
    [
        (FROM_BEFORE.replace("SETS", "threadIdx.x == 0").replace("AFTER", ""), "cuda"),
        (ROWS.replace("FIRST", ""), "cuda"),
        (GROUPS.replace("ELSE", "else if (get_local_id(0) == 0) start = 0;"), "opencl"),
        (
            FROM_BEFORE.replace("SETS", "blockIdx.x > 0 && threadIdx.x == 0")
            .replace("from = start", "from = blockIdx.x > 0 ? start : 0")
            .replace("AFTER", ""),
            "cuda",
        ),
        (
            FROM_BEFORE.replace("SETS", "threadIdx.x == 0")
            .replace("__shared__", "if (blockIdx.x == 0) return;\n    __shared__")
            .replace("AFTER", ""),
            "cuda",
        ),
    ],
)
def test_the_first_block_sets_it_or_does_not_ask(code: str, language: str) -> None:
    assert not findings(UninitialisedSharedMemory, code, language)


def test_what_nothing_comes_of_is_a_note() -> None:
    code = FROM_BEFORE.replace("SETS", "blockIdx.x > 0 && threadIdx.x == 0")
    (found,) = findings(UninitialisedSharedMemory, code.replace("AFTER", "if (blockIdx.x == 0) from = 0;"))
    assert found.severity is Severity.NOTE
