"""Launches in sight that are tried with numbers: what the host asks of its variables holds for those."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import findings

SEEDS = """
#include <cuda_runtime.h>
struct Stream { unsigned key, step; };

__device__ void start(Stream *s, unsigned key) { s->key = key; s->step = 0; }

__global__ void start_all(Stream *streams, unsigned key, size_t count) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    TEST start(&streams[i], key + i);
}

void prepare(unsigned key, size_t count) {
    Stream *streams;
    int blocks = 0, threads = 0;
    cudaMalloc(&streams, count * sizeof(Stream));
    cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, start_all);
    start_all<<<(count + threads - 1) / threads, threads>>>(streams, key, count);
}
"""


def test_a_block_that_the_library_chooses_divides_nothing() -> None:
    (found,) = findings(MissingBoundsGuard, SEEDS.replace("TEST", ""))
    assert any("called from" in related.message for related in found.related)
    assert not findings(MissingBoundsGuard, SEEDS.replace("TEST", "if (i < count)"))


GROUPS = """
#include <cuda_runtime.h>
__global__ void scale(const float *factors, float *x, int rows, int cols, int group) {
    const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
    if (c < cols && r < rows) x[(size_t)r * cols + c] *= factors[(size_t)r * (cols / group) + PICK];
}

int run(float *x, int rows, int cols, int group) {
    if (group <= 0 || cols CHECK) return 1;
    float *factors;
    cudaMalloc(&factors, (size_t)rows * (cols / group) * sizeof(float));
    scale<<<dim3((cols + 63) / 64, rows), 64>>>(factors, x, rows, cols, group);
    cudaFree(factors);
    return 0;
}
"""


@pytest.mark.parametrize("check", ["% group != 0", "% (2 * group) != 0"])
def test_sizes_that_have_to_be_multiples_of_each_other_are_tried_as_such(check: str) -> None:
    code = GROUPS.replace("CHECK", check)
    assert findings(WrongBoundsGuard, code.replace("PICK", "c % group"))
    assert not findings(WrongBoundsGuard, code.replace("PICK", "c / group"))


FEW = """
#include <cuda_runtime.h>
__global__ void spread(float *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { out[i] = 0.0f; out[i + PLUS] = 1.0f; }
}

void run(int n) {
    float *out;
    if (n < 1 || n > 8) return;
    cudaMalloc(&out, 2 * n * sizeof(float));
    spread<<<1, 32>>>(out, n);
}
"""


def test_sizes_stay_within_what_the_host_checks() -> None:
    assert not findings(WrongBoundsGuard, FEW.replace("PLUS", "n"))
    assert not findings(WrongBoundsGuard, FEW.replace("PLUS", "1"))
    assert findings(WrongBoundsGuard, FEW.replace("PLUS", "2 * n"))


PAIRS = """
#include <cuda_runtime.h>
__global__ void near(const float3 *at, const float *weight, float *sum, int n) {
    const int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
    if (TEST) return;
    const float d = at[i].x - at[j].x;
    atomicAdd(&sum[i], weight[j] / (d * d));
}
void run(const float3 *at, const float *weight, float *sum, int n) {
    const dim3 block(16, 16), grid((n + 15) / 16, (n + 15) / 16);
    near<<<grid, block>>>(at, weight, sum, n);
}
"""


@pytest.mark.parametrize(
    ("test", "bad"),
    [("i >= n || i == j", True), ("i >= n || j >= n || i == j", False), ("i >= n || j >= i", False)],
)
def test_that_two_places_differ_bounds_neither(test: str, bad: bool) -> None:
    assert bool(findings(MissingBoundsGuard, PAIRS.replace("TEST", test))) is bad
