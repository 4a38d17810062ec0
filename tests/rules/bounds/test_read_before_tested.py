"""Elements that are read to the left of the test of their index."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.late_bounds_guard import LateBoundsGuard

from tests.rules.marked import assert_marked

CASES = {
    "the last of a global array": """
__global__ void find(const int *keys, int *out, int key, int n) {
    int i = threadIdx.x;
    while (keys[i] < key && i < n) i++; // bad
    out[threadIdx.x] = i;
}
""",
    "a part of shared memory with another one behind": """
__global__ void find(const int *keys, int *out, int key) {
    extern __shared__ int shared[];
    int *low = shared;
    int *last = &low[256];
    low[threadIdx.x] = keys[threadIdx.x];
    if (threadIdx.x == 0) last[0] = keys[blockDim.x];
    __syncthreads();
    int i = threadIdx.x;
    while (low[i] < key && i < 256) i++;
    out[threadIdx.x] = i + last[0];
}
""",
}


@pytest.mark.parametrize("name", CASES)
def test_case(name: str) -> None:
    assert_marked(LateBoundsGuard, CASES[name])


KEPT = """
__global__ void gather(const int *first, const unsigned char *use, const float *x, float *out, int n) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= n) return;
    int end = first[row + 1];
    float sum = 0;
    for (int i = first[row]; i < end; i += 32) {
        int j = i + lane;
        bool in = %s;
        sum += in ? x[row] : 0.0f;
    }
    atomicAdd(&out[row], sum);
}
"""


@pytest.mark.parametrize(
    ("test", "late"), [("use[j] && j < end", True), ("x == nullptr || (use[j] && j < end)", True),
                       ("j < end && use[j]", False), ("use[i] && j < end", False)],
)  # fmt: skip
def test_a_test_that_is_kept_goes_from_left_to_right_too(test: str, late: bool) -> None:
    code = KEPT.replace("%s;", f"{test};{'  // bad' if late else ''}")
    assert_marked(LateBoundsGuard, code)


ROWS = """
__global__ void ends(const int *labels, const float *x, float *out, int n) {
    for (int u = threadIdx.x; u < n; u += blockDim.x)
        if (%s) out[blockIdx.x * n + u] = x[u];%s
}
"""


@pytest.mark.parametrize(
    ("test", "late"), [("labels[blockIdx.x * n + u + 1] == 3 && u + 1 < n", True),
                       ("u + 1 < n && labels[blockIdx.x * n + u + 1] == 3", False),
                       ("labels[blockIdx.x * n + u] == 3 && u < n", False),
                       ("labels[blockIdx.x * n + u] == 3 && u + 1 < n", False)],
)  # fmt: skip
def test_a_place_in_a_row_is_tested_as_the_row_ends(test: str, late: bool) -> None:
    assert_marked(LateBoundsGuard, ROWS % (test, "  // bad" if late else ""))


def test_a_search_looks_where_it_ends_before_it_looks_at_the_element() -> None:
    code = """
__global__ void find(const int *keys, int *out, int n, int key) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int j = i;
    while (%s) ++j;%s
    out[i] = j;
}
"""
    assert_marked(LateBoundsGuard, code % ("keys[j] != key && j < n", "  // bad"))
    assert_marked(LateBoundsGuard, code % ("j < n && keys[j] != key", ""))
