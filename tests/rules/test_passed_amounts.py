"""Loops over as many elements as a launch passes end for all threads of a block at once, if the block divides them."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.barrier_divergence import BarrierDivergence

from tests.rules.marked import findings

COUNTS = """
template <typename T, int K>
__global__ void counts(const T *in, size_t n, unsigned *out, unsigned bins, unsigned part) {
    extern __shared__ unsigned found[];
    for (auto i = threadIdx.x; i < bins; i += blockDim.x) found[i] = 0;
    __syncthreads();
    for (auto i = threadIdx.x; i < part; i += blockDim.x) {
        auto at = blockIdx.x * part + i;
        if (at < n) atomicAdd(&found[in[at] % bins], K);
        __syncthreads();
    }
    for (auto i = threadIdx.x; i < bins; i += blockDim.x) atomicAdd(out + i, found[i]);
}
template <typename T> void count(const T *in, size_t n, unsigned *out, unsigned bins) {
    constexpr auto workers = 256;
    constexpr auto part = PART;
    counts<T, 5><<<(n - 1) / part + 1, workers, 4 * bins>>>(in, n, out, bins, part);
}
"""


@pytest.mark.parametrize(("part", "bad"), [("32768", False), ("workers * 3 / 2", True), ("1000", True)])
def test_constants_of_a_template_that_launches(part: str, bad: bool) -> None:
    assert bool(findings(BarrierDivergence, COUNTS.replace("PART", part))) is bad


MIRROR = """
__global__ void mirror(const float *x, float *y, int n, int padded) {
    __shared__ float s[64];
    for (int i = threadIdx.x; i < padded; i += blockDim.x) {
        s[threadIdx.x] = i < n ? x[i] : 0.0f;
        __syncthreads();
        y[i] = s[63 - threadIdx.x];
        __syncthreads();
    }
}
void flip(const float *x, float *y, int n) { mirror<<<1, BLOCK>>>(x, y, n, (n + 63) / 64 * 64); }
"""


@pytest.mark.parametrize(("block", "bad"), [("64", False), ("32", False), ("48", True), ("128", True)])
def test_sizes_that_the_host_rounds_up(block: str, bad: bool) -> None:
    assert bool(findings(BarrierDivergence, MIRROR.replace("BLOCK", block))) is bad


def test_each_launch_counts() -> None:
    second = "void more(const float *x, float *y, int n) { mirror<<<1, 64>>>(x, y, n, n); }\n"
    assert findings(BarrierDivergence, MIRROR.replace("BLOCK", "64") + second)
