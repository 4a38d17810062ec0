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


COUNTED = """
__global__ void weigh(const unsigned char *keys, unsigned *totals, int n) {
    __shared__ unsigned bins[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    WHO bins[i] = 0;
    __syncthreads();
    if (i < n) atomicAdd(&bins[keys[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x) RESULT;
}
"""
DIGITS = """
__attribute__((reqd_work_group_size(128, 1, 1)))
__kernel void digits(__global const uint *keys, __global uint *totals, uint n) {
    __local uint hits[16];
    const uint at = get_global_id(0), lane = get_local_id(0);
    if (PLACE < 16) hits[PLACE] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (at < n) atomic_inc(&hits[keys[at] & 15]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < 16) atomic_add(&totals[lane], hits[lane]);
}
"""
ADDED = "atomicAdd(&totals[b], bins[b])"


def test_results_that_are_added_up_are_of_several_blocks() -> None:
    code = COUNTED.replace("WHO", "if (i < 256)")
    (found,) = findings(UninitialisedSharedMemory, code.replace("RESULT", ADDED))
    assert "a later block writes" in found.message
    (found,) = findings(UninitialisedSharedMemory, DIGITS.replace("PLACE", "at"), "opencl")
    assert "a later block writes" in found.message


def test_each_block_clears_its_own_or_there_is_but_one() -> None:
    own = COUNTED.replace("WHO", "for (int b = threadIdx.x; b < 256; b += blockDim.x)").replace("bins[i]", "bins[b]")
    assert not findings(UninitialisedSharedMemory, own.replace("RESULT", ADDED))
    one = COUNTED.replace("WHO", "if (i < 256)").replace("RESULT", "totals[b] = bins[b]")
    assert not findings(UninitialisedSharedMemory, one)
    assert not findings(UninitialisedSharedMemory, DIGITS.replace("PLACE", "lane"), "opencl")


def test_what_nothing_comes_of_is_a_note() -> None:
    code = FROM_BEFORE.replace("SETS", "blockIdx.x > 0 && threadIdx.x == 0")
    (found,) = findings(UninitialisedSharedMemory, code.replace("AFTER", "if (blockIdx.x == 0) from = 0;"))
    assert found.severity is Severity.NOTE
