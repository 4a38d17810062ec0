"""Sizes that loops over arrays go up to are no larger than the arrays: threads that meet only beyond are no race."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import findings

TILES = """
__global__ void scores(const float *x, const int *starts, float *y) {
    __shared__ float rows[ROWS * 24];
    __shared__ float tile[16 * 24];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    int first = starts[blockIdx.x], length = starts[blockIdx.x + 1] - first;
    int tiles = (length + 15) / 16;
    for (int r = warp; r < length; r += warps)
        if (lane < 24) rows[r * 24 + lane] = x[(first + r) * 24 + lane];
    __syncthreads();
    if (warp < tiles && lane < 16)
        tile[warp % tiles * 16 + lane] = rows[lane];
    __syncthreads();
    if (threadIdx.x < 24) y[blockIdx.x * 24 + threadIdx.x] = tile[threadIdx.x];
    __syncthreads();
    if (warp < tiles * tiles && lane < 16)
        tile[warp / tiles * 24 + warp % tiles * 16 + lane] = rows[lane];
}
void run(const float *x, const int *starts, float *y, int n) { scores<<<n, 128>>>(x, starts, y); }
"""
"""Of more than 16 rows the last statement would have two warps in one row of 24."""


@pytest.mark.parametrize(("rows", "bad"), [("16", False), ("64", True)])
def test_lengths_fit_into_what_is_filled(rows: str, bad: bool) -> None:
    assert bool(findings(SharedMemoryRace, TILES.replace("ROWS", rows))) is bad
