"""Launches in templates of the host, and behind checks of what the runtime returns, say as much as others."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard

from tests.rules.marked import findings

COLUMNS = """
#include <cstdlib>
#define DONE(call) do { cudaError_t status = call; if (status != cudaSuccess) { std::abort(); } } while (0)
template <typename I> __host__ __device__ constexpr I up(I a, I b) { return (a + b - 1) / b; }
template <typename T> __device__ void add(T *at, T value) { atomicAdd(at, value); }
template <typename T, typename I, int THREADS, int COLS>
__global__ void totals(T *total, const T *in, I cols, I rows) {
    const I lane = threadIdx.x % COLS, first = threadIdx.x / COLS;
    const I col = lane + (I)blockIdx.y * COLS;
    T sum = 0;
    for (I row = first + (I)blockIdx.x * (THREADS / COLS); row < rows; row += (THREADS / COLS) * gridDim.x)
        sum += col < cols ? in[row * cols + col] : T(0);
    __shared__ T part[COLS];
    if (threadIdx.x < COLS) part[threadIdx.x] = 0;
    __syncthreads();
    add(part + lane, sum);
    __syncthreads();
    if (threadIdx.x < COLS TEST) add(total + col, part[lane]);
}
TEMPLATE
void run(TYPE *total, const TYPE *in, INDEX cols, INDEX rows) {
    static const int threads = 256;
    CLEAR;
    dim3 grid(up(rows, (INDEX)32), GRID);
    totals<TYPE, INDEX, threads, 32><<<grid, threads>>>(total, in, cols, rows);
}
"""


def columns(test: str, generic: bool, clear: str, grid: str) -> str:
    made = COLUMNS.replace("TEST", test).replace("CLEAR", clear).replace("GRID", grid)
    names = ("template <typename T, typename I>", "T", "I") if generic else ("", "float", "int")
    for name, text in zip(("TEMPLATE", "TYPE", "INDEX"), names, strict=True):
        made = made.replace(name, text)
    return made


@pytest.mark.parametrize("generic", [False, True])
@pytest.mark.parametrize(
    "clear", ["", "cudaMemset(total, 0, sizeof(*total) * cols)", "DONE(cudaMemset(total, 0, sizeof(*total) * cols))"]
)
def test_a_guard_of_one_access_is_evidence_for_another_under_a_launch(generic: bool, clear: str) -> None:
    width = "I" if generic else "int"
    whole = f"up(cols, ({width})32)"
    found = findings(MissingBoundsGuard, columns("", generic, clear, whole))
    assert len(found) == 1, found
    assert not findings(MissingBoundsGuard, columns("&& col < cols", generic, clear, whole))
    assert not findings(MissingBoundsGuard, columns("", generic, clear, "cols / 32"))
