"""Counts that go no further than to a limit, at places that data pick."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace

from kernlint.finding import Severity
from tests.rules.marked import assert_pair, findings

SATURATED = """
__device__ int bounded(int v) { return v > 255 ? 255 : (v < -255 ? -255 : v); }
__device__ void raise(int *votes, int by) {
    const int now = *votes;
    *votes = bounded(now + by);  // only bad  // bad
    atomicAdd(votes, by);  // only good
}
__global__ void vote(const float2 *points, int *votes, int side, float cell, int by, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int x = int(points[i].x / cell), y = int(points[i].y / cell);
    if (x < 0 || y < 0 || x >= side || y >= side) return;
    raise(votes + y * side + x, by);
}
"""

LEVELS = """
__kernel void levels(__global const int *grey, __global int *bins, const int n) {
    const int i = get_global_id(0);
    if (i < n) bins[grey[i] & 255] = min(bins[grey[i] & 255] + 1, 65535);  // only bad  // bad
    if (i < n) atomic_inc(&bins[grey[i] & 255]);  // only good
}
"""


@pytest.mark.parametrize(("code", "language"), [(SATURATED, "cuda"), (LEVELS, "opencl")], ids=["votes", "levels"])
def test_counts_with_a_limit(code: str, language: str) -> None:
    assert_pair(GlobalMemoryRace, code, language)


CLAMPED = """
__global__ void settle(const int *cell, float *height, float floor_, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) height[cell[i]] = %s;
}
"""


@pytest.mark.parametrize("value", ["fmaxf(height[cell[i]], 0.0f)", "fmaxf(height[cell[i]] - floor_, 0.0f)"])
def test_elements_that_are_only_brought_into_range(value: str) -> None:
    assert all(one.severity is Severity.NOTE for one in findings(GlobalMemoryRace, CLAMPED % value))
