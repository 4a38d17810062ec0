"""Elements that are clamped where they are read first, and not where what is computed from them has been tested."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import findings

AGAIN = """
__global__ void again(const int *item, const float *cost, const int *open, float *out, int *list, int *count, int n) {
    const int lane = threadIdx.x % 32, i = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    const int last = min(i, n - 1);
    float sum = 0.f;
    for (int k = lane; k < 256; k += 32) sum += cost[item[last] * 256 + k];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
    MADE
    if (lane == 0) {
        if (i < n) out[i] = sum;
        if (TEST) list[atomicAdd(count, 1)] = item[AT];
    }
}
"""


@pytest.mark.parametrize(
    ("made", "test", "at", "bad"),
    [
        ("", "sum > 9.f", "i", True),
        ("const bool much = sum * 2.f > 9.f;", "much", "i", True),
        ("", "i < n && sum > 9.f", "i", False),
        ("", "sum > 9.f", "last", False),
        ("if (i >= n) sum = 0.f;", "sum > 9.f", "i", False),
        ("const float own = i < n ? sum : 0.f;", "own > 9.f", "i", False),
        ("", "sum > 9.f && open[i]", "i", False),  # marks of items, which those beyond the end may have too
        ("", "count[1] > 9", "i", False),  # what the kernel changes
    ],
)
def test_what_a_thread_beyond_the_end_has_in_common_with_the_last(made: str, test: str, at: str, bad: bool) -> None:
    code = AGAIN.replace("MADE", made).replace("TEST", test).replace("AT", at)
    assert any("clamps" in one.message for one in findings(WrongBoundsGuard, code)) is bad


PICKED = """
__kernel void pick(__global const float *x, __global float *out, const float least, const int n) {
    const int i = get_global_id(0);
    const float near = x[min(i, n - 1)];
    if (TEST) out[i] = x[i] * 2.f;
}
"""


@pytest.mark.parametrize(("test", "bad"), [("near > least", True), ("near > least && i < n", False)])
def test_work_items(test: str, bad: bool) -> None:
    found = findings(WrongBoundsGuard, PICKED.replace("TEST", test), "opencl")
    assert any("clamps" in one.message for one in found) is bad
