"""Lists in shared memory that a block reads up to and with the place that the count is left at."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import findings

HANDED = """
__global__ void sum(const int *next, const float *x, float *out) {
    __shared__ int path[40];
    __shared__ int length;
    if (threadIdx.x == 0) {
        int n = FROM;
        path[0] = blockIdx.x;
        for (int k = 0; k < 40 - FROM && next[k] != blockIdx.x; ++k) path[n++] = next[k];
        LEFT
    }
    __syncthreads();
    float total = 0.f;
    for (int k = FROM + threadIdx.x; TEST; k += blockDim.x) total += x[path[k]];
    atomicAdd(out, total);
}
"""


@pytest.mark.parametrize(
    ("first", "left", "test", "bad"),
    [
        ("1", "length = n;", "k <= length", True),
        ("1", "length = n;", "k < length + 1", True),
        ("1", "length = n;", "k < length", False),
        ("1", "length = n - 1;", "k <= length", False),
        ("1", "length = n; if (n < 40) path[n] = 0;", "k <= length", False),  # somebody sets it
        ("1", "length = n;", "k <= length && k < 40", False),
        ("2", "path[1] = 0; length = n;", "k <= length", True),
        ("2", "path[1] = 0; length = n;", "k < length", False),
    ],
)
def test_a_list_that_one_thread_fills(first: str, left: str, test: str, bad: bool) -> None:
    code = HANDED.replace("FROM", first).replace("LEFT", left).replace("TEST", test)
    assert any("those that are filled" in one.message for one in findings(WrongBoundsGuard, code)) is bad


DRAWN = """
__global__ void pick(const float *x, float *out, float least, int n) {
    __shared__ int list[128];
    __shared__ int found;
    if (threadIdx.x == 0) found = 0;
    CLEAR
    __syncthreads();
    const int i = blockIdx.x * 128 + threadIdx.x;
    if (i < n && x[i] > least) list[atomicAdd(&found, 1)] = i;
    __syncthreads();
    float total = 0.f;
    for (int k = threadIdx.x; TEST; k += 128) total += x[list[k]];
    atomicAdd(out, total);
}
"""


@pytest.mark.parametrize(
    ("clear", "test", "bad"),
    [
        ("", "k <= found", True),
        ("", "k < found", False),
        ("", "k + 1 <= found", False),
        ("list[threadIdx.x] = 0;", "k <= found", False),
    ],
)
def test_a_list_that_all_threads_append_to(clear: str, test: str, bad: bool) -> None:
    found = findings(WrongBoundsGuard, DRAWN.replace("CLEAR", clear).replace("TEST", test))
    assert any("those that are filled" in one.message for one in found) is bad
