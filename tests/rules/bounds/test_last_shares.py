"""Threads that take several elements a round in their block's share, of which the last one ends with the data."""

from __future__ import annotations

import pytest

from tests.rules.bounds.test_wrong_axes import codes

TALLY = """
#define EACH 4
__device__ void share_of(size_t n, size_t &begin, size_t &stop) {
    const size_t share = n / EACH / gridDim.x * EACH;
    begin = blockIdx.x * share;
    STOP
}
__global__ void tally(const unsigned *keys, unsigned *out, size_t n) {
    size_t begin, stop;
    share_of(n, begin, stop);
    unsigned sum = 0;
    for (size_t i = begin + threadIdx.x * EACH; i < stop; i += blockDim.x * EACH)
        for (int k = 0; k < EACH; ++k) { TEST sum += keys[i + k]; }
    atomicAdd(out, sum);
}
"""


@pytest.mark.parametrize(
    ("stop", "test", "bad"),
    [
        ("stop = blockIdx.x == gridDim.x - 1 ? n : begin + share;", "", True),
        ("stop = begin + share; if (blockIdx.x + 1 == gridDim.x) stop = n;", "", True),
        ("stop = begin + share;", "", False),
        ("stop = blockIdx.x == gridDim.x - 1 ? n : begin + share;", "if (i + k >= stop) break;", False),
        ("stop = blockIdx.x == gridDim.x - 1 ? n : begin + share;", "if (i + k < n)", False),
        ("stop = blockIdx.x == gridDim.x - 1 ? n / EACH * EACH : begin + share;", "", False),
    ],
)
def test_the_last_block_takes_the_rest(stop: str, test: str, bad: bool) -> None:
    assert ("KL102" in codes(TALLY.replace("STOP", stop).replace("TEST", test), "k.cu")) is bad


CHUNKS = """
__kernel void scale(__global const float *x, __global float *y, const int n, const int chunk) {
    const int begin = get_group_id(0) * chunk, end = min(begin + chunk, n);
    for (int i = begin + get_local_id(0) * 8; i < end; i += get_local_size(0) * 8) {
        #pragma unroll
        for (int j = 0; j < 8; ++j) { TEST y[i + j] = 2.0f * x[i + j]; }
    }
}
"""


@pytest.mark.parametrize(
    ("test", "bad"), [("", True), ("if (i + j < end)", False), ("if (i + j >= end) break;", False)]
)
def test_chunks_that_end_with_the_data(test: str, bad: bool) -> None:
    assert ("KL102" in codes(CHUNKS.replace("TEST", test), "k.cl")) is bad


HOST = """
__global__ void fold(const float *x, float *out, int n, int chunk) {
    const int begin = blockIdx.x * chunk, end = min(begin + chunk, n);
    float sum = 0.0f;
    for (int i = begin + threadIdx.x * 4; i < end; i += blockDim.x * 4)
        for (int j = 0; j < 4; ++j) sum += x[i + j];
    atomicAdd(out, sum);
}
void run(const float *x, float *out, int n, int blocks) {
    CHECK
    fold<<<blocks, 128>>>(x, out, n, (n / blocks + 3) / 4 * 4);
}
"""


@pytest.mark.parametrize(("check", "bad"), [("", True), ("if (n % 4 != 0) return;", False)])
def test_the_host_sees_to_whole_groups(check: str, bad: bool) -> None:
    assert ("KL102" in codes(HOST.replace("CHECK", check), "k.cu")) is bad
