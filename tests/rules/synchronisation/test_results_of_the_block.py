"""Results of a block whose writer may have returned before the barrier, and tables that threads that returned should
have filled, with no launch in sight."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.barrier_divergence import BarrierDivergence

from kernlint.finding import Severity
from tests.rules.marked import findings

SUMS = """
__global__ void spans(const float *x, const int *skip, float *ends, int n) {
    __shared__ float kept[128];
    __shared__ float top;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    kept[threadIdx.x] = 0.0f;
    if (threadIdx.x == 0) top = 0.0f;
    __syncthreads();
    if (LEAVE) return;
    kept[threadIdx.x] = x[i];
    atomicMax((int *)&top, __float_as_int(x[i]));
    __syncthreads();
    RESULT
}
"""


def told(code: str) -> bool:
    """Whether there is a warning about a barrier."""
    return any(f.severity is not Severity.NOTE for f in findings(BarrierDivergence, code))


@pytest.mark.parametrize(
    ("leave", "result", "bad"),
    [
        ("i >= n", "if (threadIdx.x == blockDim.x - 1) ends[blockIdx.x] = kept[5] + top;", True),
        ("skip[i]", "if (threadIdx.x == 0) ends[blockIdx.x] = top;", True),
        ("i >= n", "if (threadIdx.x == 0) ends[blockIdx.x] = top;", False),
        ("threadIdx.x != 0 && skip[i]", "if (threadIdx.x == 0) ends[blockIdx.x] = top;", False),
        ("i >= n", "ends[i] = top;", False),
        ("i >= n", "if (threadIdx.x % 32 == 0) ends[i / 32] = kept[threadIdx.x];", False),
        ("skip[i]", "if (threadIdx.x == 3) ends[blockIdx.x] = x[i];", False),
        ("skip[blockIdx.x]", "if (threadIdx.x == 0) ends[blockIdx.x] = top;", False),
    ],
)
def test_who_writes_for_the_block(leave: str, result: str, bad: bool) -> None:
    assert told(SUMS.replace("LEAVE", leave).replace("RESULT", result)) is bad


TALLY = """
__global__ void tally(const unsigned char *level, int *count, int n) {
    __shared__ int bins[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (LEAVE) return;
    if (threadIdx.x < 64) bins[threadIdx.x] = 0;
    __syncthreads();
    if (i < n) atomicAdd(&bins[level[i] >> 2], 1);
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&count[threadIdx.x], bins[threadIdx.x]);
}
"""


@pytest.mark.parametrize(
    ("leave", "bad"), [("i >= n", True), ("n < 0", False), ("blockIdx.x * blockDim.x >= n", False)]
)
def test_a_table_of_a_block_that_nobody_says_the_size_of(leave: str, bad: bool) -> None:
    assert told(TALLY.replace("LEAVE", leave)) is bad


ONE_ITEM = """
__global__ void trace(const int *item, const int *kind, const float *x, float *out, int n) {
    __shared__ float s[128];
    const int t = threadIdx.x, b = blockIdx.x;
    if (b >= n) return;
    float v = 0.0f;
    if (t < 125) {
        const int e = item[b] - 1;
        if (LEFT) return;
        v = x[e * 125 + t];
    }
    s[t] = v;
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
        if (t % (2 * d) == 0) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) out[b] = s[0];
}
"""


@pytest.mark.parametrize(
    ("left", "told"),
    [("kind[e] == 0", False), ("kind[e * 125 + t] == 0", True), ("t < 3 && kind[e] != 7 && x[e * 125 + t] == 0", True)],
)
def test_a_block_that_has_nothing_to_do_leaves_no_result(left: str, told: bool) -> None:
    """Data of the whole block let all go who have something to do."""
    found = [f for f in findings(BarrierDivergence, ONE_ITEM.replace("LEFT", left)) if f.severity is not Severity.NOTE]
    assert bool(found) is told
