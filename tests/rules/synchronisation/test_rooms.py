"""Sizes that loops over arrays go up to are no larger than the arrays: threads that meet only beyond are no race."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace
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


ROWS = """
typedef struct { float4 centre; int genes; } set;
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void keep(const set s, __global const float *in, __global float *all) {
    __local float own[ROOM];
    const int l = get_local_id(0), g = get_group_id(0);
    for (int i = l; i < s.genes; i += 64) own[i] = in[g * 40 + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = l; i < s.genes; i += 64) all[g * 40 + i] = own[i];
}
"""


@pytest.mark.parametrize("room, bad", [("40", False), ("400", True)])
def test_rows_of_global_memory_are_no_longer_than_the_array_that_they_come_from(room: str, bad: bool) -> None:
    assert bool(findings(GlobalMemoryRace, ROWS.replace("ROOM", room), "opencl")) is bad


TWO_PARTS = """
__global__ void parts(const int2 *range, const float2 *site, int most, float *out) {
    extern __shared__ float2 near[];
    int *turn = reinterpret_cast<int *>(near + most);
    const int2 mine = range[blockIdx.x];
    const int rows = (mine.y + 15) / 16;
    for (int i = threadIdx.x; i < mine.y; i += blockDim.x) near[i] = site[mine.x + i];
    for (int r = threadIdx.x; r < rows; r += blockDim.x) turn[r] = 16 * r;
    BETWEEN
    for (int r = threadIdx.x; r < rows; r += blockDim.x) out[128 * blockIdx.x + r] = near[turn[rows - 1 - r]].x;
}
void run(const int2 *range, const float2 *site, int most, float *out, int n) {
    if (most > 2000) return;
    parts<<<n, 128, most * 8 + 128 * 4>>>(range, site, most, out);
}
"""


def test_data_that_fill_the_first_part_stop_where_the_second_begins() -> None:
    assert not findings(SharedMemoryRace, TWO_PARTS.replace("BETWEEN", "__syncthreads();"))
    assert findings(SharedMemoryRace, TWO_PARTS.replace("BETWEEN", ""))
