"""Sizes of memory that wrap in 32 bits by what checks before them admit."""

from __future__ import annotations

import pytest
from kernlint_rules.indexing.index_overflow import IndexOverflow
from kernlint_rules.launch.byte_count_mismatch import ByteCountMismatch
from kernlint_rules.memory.uninitialised_shared_memory import UninitialisedSharedMemory

from tests.rules.marked import findings

BOX = """
struct Box { int low[3], high[3]; };
static bool side_fits(int low, int high) { return low >= 0 && high > low && high - low <= MOST; }
float *make(const Box &box) {
    for (int k = 0; k < 1; ++k) {}
    if (!side_fits(box.low[0], box.high[0]) || !side_fits(box.low[1], box.high[1])) return nullptr;
    if (!side_fits(box.low[2], box.high[2])) return nullptr;
    const int cells = (box.high[0] - box.low[0]) * (box.high[1] - box.low[1]) * (box.high[2] - box.low[2]);
    SIZE
    float *found = nullptr;
    cudaMalloc(&found, bytes);
    return found;
}
"""
NARROW = "const int bytes = 8 * cells;"


@pytest.mark.parametrize(
    ("most", "size", "bad"),
    [
        ("700", NARROW, True),
        ("600", NARROW, False),
        ("700", "const size_t bytes = 8 * (size_t)cells;", False),
        ("1500", "const size_t bytes = 8 * (size_t)cells;", True),
    ],
)
def test_bytes_that_are_counted_in_32_bits(most: str, size: str, bad: bool) -> None:
    found = findings(ByteCountMismatch, BOX.replace("MOST", most).replace("SIZE", size))
    assert bool(found) is bad
    assert all("checks before let them be" in one.message for one in found)


def test_sizes_that_nothing_bounds_say_nothing() -> None:
    code = """
float *make(int rows, int columns) {
    if (rows <= 0 || columns <= 0 || columns > 70000) return nullptr;
    float *found = nullptr;
    cudaMalloc(&found, rows * columns * sizeof(float));
    return found;
}
"""
    assert not findings(ByteCountMismatch, code)


TRIANGLE = """
#define MOST %s
kernel void pairs(global const float *x, global float *out, const uint n) {
    const uint k = get_global_id(0), i = get_global_id(1);
    if (n > MOST || i >= n || k >= i) return;
    const ulong row = %s;
    out[row + k] = x[i] * x[k];
}
"""


@pytest.mark.parametrize(
    ("most", "row", "bad"),
    [
        ("80000u", "i * (i - 1) / 2", True),
        ("60000u", "i * (i - 1) / 2", False),
        ("80000u", "(ulong)i * (i - 1) / 2", False),
    ],
)
def test_what_the_kernel_tests_its_size_against(most: str, row: str, bad: bool) -> None:
    found = findings(IndexOverflow, TRIANGLE % (most, row), "opencl")
    assert bool(found) is bad
    assert all("by what the kernel tests" in one.message for one in found)


TABLE = """
__global__ void __launch_bounds__(BOUND) tally(const unsigned char *x, int n, unsigned *out) {
    __shared__ unsigned count[256];
    SET
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&count[x[i]], 1u);
    __syncthreads();
    for (int k = threadIdx.x; k < 256; k += blockDim.x) atomicAdd(&out[k], count[k]);
}
"""
ONCE = "if (threadIdx.x < 256) count[threadIdx.x] = 0;"
ALL = "for (int k = threadIdx.x; k < 256; k += blockDim.x) count[k] = 0;"


@pytest.mark.parametrize(("bound", "set_", "bad"), [("192", ONCE, True), ("256", ONCE, False), ("192", ALL, False)])
def test_a_table_with_more_cells_than_a_block_may_have_threads(bound: str, set_: str, bad: bool) -> None:
    assert bool(findings(UninitialisedSharedMemory, TABLE.replace("BOUND", bound).replace("SET", set_))) is bad
