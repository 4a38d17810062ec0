"""What no block sets in shared memory, however large; what a first round, or another lane, has not set."""

from __future__ import annotations

import pytest
from kernlint_rules.memory.uninitialised_private import UninitialisedPrivate
from kernlint_rules.memory.uninitialised_shared_memory import UninitialisedSharedMemory

from tests.rules.marked import findings

TABLE = """
__global__ void count(const int *key, int *to, int n) {
    __shared__ int table[64];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    FILL
    __syncthreads();
    if (i < n) atomicAdd(&table[key[i] & 63], 1);
    __syncthreads();
    if (t < 64) to[blockIdx.x * 64 + t] = table[t];
}
"""


@pytest.mark.parametrize(
    ("fill", "bad"),
    [
        ("if (t < 32) table[t] = 0;", True),
        ("if (t < 64) table[t] = 0;", False),
        ("for (int k = t; k < 64; k += blockDim.x) table[k] = 0;", False),
        ("if (t < 32) { table[t] = 0; table[t + 32] = 0; }", False),
        ("if (t == 0) table[0] = 0;", True),
    ],
)
def test_cells_that_no_block_sets(fill: str, bad: bool) -> None:
    assert bool(findings(UninitialisedSharedMemory, TABLE.replace("FILL", fill))) is bad


SUMS = """
__global__ void sums(const float *x, float *to, int n) {
    __shared__ float sum[8];
    float v = x[blockIdx.x * blockDim.x + threadIdx.x];
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
    if (TEST) sum[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        float all = 0.0f;
        for (int w = 0; w < 8; ++w) all += sum[w];
        to[blockIdx.x] = all;
    }
}
"""


@pytest.mark.parametrize(("test", "bad"), [("threadIdx.x == 0", True), ("threadIdx.x % 32 == 0", False)])
def test_sums_of_warps(test: str, bad: bool) -> None:
    assert bool(findings(UninitialisedSharedMemory, SUMS.replace("TEST", test))) is bad


NEXT = """
__global__ void steps(const float *x, float *to, int n) {
    float FIRST, sum = 0.0f;
    for (int k = 0; k < n; ++k) {
        float now = next;
        next = x[k * blockDim.x + threadIdx.x];
        ADD
    }
    to[threadIdx.x] = sum;
}
"""


@pytest.mark.parametrize(
    ("first", "add", "bad"),
    [
        ("next", "sum += now;", True),
        ("next", "sum += next - now;", True),
        ("next = x[threadIdx.x]", "sum += now;", False),
        ("next", "if (k > 0) sum += now;", False),
        ("next", "sum += k > 0 ? now : 0.0f;", False),
        ("next", "sum += (k > 0) * now;", False),
        ("next", "sum += next;", False),
    ],
)
def test_what_the_first_round_takes_up(first: str, add: str, bad: bool) -> None:
    text = NEXT.replace("FIRST", first).replace("ADD", add)
    assert bool(findings(UninitialisedPrivate, text)) is bad


LANES = """
__global__ void scores(const float *q, const float *k, float *to) {
    const int lane = threadIdx.x % 16;
    float mine;
    if (lane < 4) mine = q[lane];
    float v = VALUE;
    for (int d = FIRST; d > 0; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d, 16);
    STORE to[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
"""


@pytest.mark.parametrize(
    ("value", "first", "store", "bad"),
    [
        ("mine * k[threadIdx.x]", "8", "if (lane == 0)", True),
        ("mine * k[threadIdx.x]", "8", "", True),
        ("mine * k[threadIdx.x]", "2", "if (lane < 4)", False),
        ("lane < 4 ? mine * k[threadIdx.x] : 0.0f", "8", "if (lane == 0)", False),
    ],
)
def test_lanes_that_put_their_values_together(value: str, first: str, store: str, bad: bool) -> None:
    text = LANES.replace("VALUE", value).replace("FIRST", first).replace("STORE", store)
    assert bool(findings(UninitialisedPrivate, text)) is bad
