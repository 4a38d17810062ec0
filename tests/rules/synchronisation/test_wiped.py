"""Elements that each thread sets to a constant, in the launch in which threads store at places that data choose."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace

from kernlint.finding import Finding, Severity
from tests.rules.marked import findings


def told(code: str, language: str = "cuda") -> list[Finding]:
    return [one for one in findings(GlobalMemoryRace, code, language) if one.severity is not Severity.NOTE]


SPREAD = """
#include <cooperative_groups.h>
__global__ void spread(const int *where, const float *x, float *y, int count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) FILL;
    BETWEEN
    if (i < count) STORE;
}
"""


@pytest.mark.parametrize(
    ("fill", "between", "store", "wrong"),
    [
        ("y[i] = 0", "", "y[where[i]] = x[i]", True),
        ("y[i] = -1.0f", "__syncthreads();", "y[where[i]] = x[i]", True),
        ("y[i] = 0", "cooperative_groups::this_grid().sync();", "y[where[i]] = x[i]", False),
        ("y[i] = x[i]", "", "y[where[i]] = x[i]", False),
        ("y[i] = 0", "", "y[i] = x[where[i]]", False),
        ("y[i] = 0", "", "y[i * 8 + where[i]] = x[i]", False),
        ("y[i] = 0", "", "y[where[i]] = 0", False),
        ("y[i] = 0", "if (where[0] > 3) return;", "y[where[i]] = x[i]", True),
        ("y[2 * i] = 0", "", "y[2 * where[i] + 1] = x[i]", False),
        ("y[2 * i] = 0", "", "y[2 * where[i]] = x[i]", True),
        ("y[i] = 0", "", "atomicAdd(&y[where[i]], x[i])", True),
        ("y[i] = 0", "cooperative_groups::this_grid().sync();", "atomicAdd(&y[where[i]], x[i])", False),
        ("y[2 * i] = 0", "", "atomicAdd(&y[2 * where[i] + 1], x[i])", False),
    ],
)
def test_what_threads_set_may_wipe_what_data_choose(fill: str, between: str, store: str, wrong: bool) -> None:
    code = SPREAD.replace("FILL", fill).replace("BETWEEN", between).replace("STORE", store)
    assert any("still set" in one.message for one in told(code)) is wrong


LINKED = """
struct Link { int left, right, parent; void RESET };
__global__ void link(Link *links, const unsigned *codes, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    FIRST
    int low = 0, high = n - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (codes[middle] < codes[i] / 2) low = middle + 1; else high = middle;
    }
    links[i].left = low;
    links[low].parent = i;
}
"""


@pytest.mark.parametrize(
    ("reset", "first", "wrong"),
    [
        ("clear() { left = right = parent = -1; }", "links[i].clear();", True),
        ("clear() { left = right = -1; }", "links[i].clear();", False),
        ("clear() { left = right = parent = -1; }", "", False),
    ],
)
def test_members_that_were_found_by_a_search(reset: str, first: str, wrong: bool) -> None:
    code = LINKED.replace("void RESET", f"__device__ void {reset}").replace("FIRST", first)
    assert any("still set" in one.message for one in told(code)) is wrong


def test_rows_of_opencl_with_strides() -> None:
    code = """
    __kernel void rows(__global const uint *ids, __global const float *v, uint count, __global float *y, uint4 at) {
      FILL
      for (uint i = get_global_id(0); i < count; i += get_global_size(0)) y[(size_t)ids[i] * at.y + at.x] = v[i];
    }"""
    fill = "for (uint r = get_global_id(0); r < at.z; r += get_global_size(0)) y[(size_t)r * at.y + at.x] = 0.f;"
    assert any("still set" in one.message for one in told(code.replace("FILL", fill), "opencl"))
    assert not told(code.replace("FILL", ""), "opencl")
