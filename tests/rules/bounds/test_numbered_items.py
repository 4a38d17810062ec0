"""Blocks that the numbers of a kernel's items speak for, where no launch is in sight: shared memory has to fit them."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange

from tests.rules.marked import findings

ROW = """
#define ITEMS 64
kernel void ahead(global const float *from, global float *to, const int n) {
    local float kept[ROOM];
    const int l = get_local_id(0), i = get_group_id(0) * ITEMS + l;
    kept[l + 1] = i < n ? from[i] : 0.0f;
    if (l == 0) kept[0] = 0.0f;
    MORE
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n) to[i] = kept[l] + kept[l + 1];
}
"""


@pytest.mark.parametrize(
    ("room", "more", "bad"),
    [
        ("ITEMS", "", True),
        ("ITEMS + 1", "", False),
        ("ITEMS", "to[i + 32] = 0.0f;", False),  # a group of half as many work-items perhaps
        ("ITEMS", "for (int k = 0; k < ITEMS; k += 16) to[i + k] = 0.0f;", False),
        ("ITEMS", "for (int k = -2; k < 3; ++k) to[0] += from[i + k];", True),
    ],
)
def test_items_in_a_row(room: str, more: str, bad: bool) -> None:
    assert bool(findings(ArrayIndexOutOfRange, ROW.replace("ROOM", room).replace("MORE", more), "opencl")) is bad


TILE = """
#define SIDE 16
__global__ void blur(const float *from, float *to, int w, int h) {
    __shared__ float tile[SIDE + 2][SIDE + 2];
    int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
    for (int j = threadIdx.y; j < END; j += STEP)
        for (int i = threadIdx.x; i < SIDE + 2; i += STEP) tile[j][i] = from[0];
    __syncthreads();
    if (x < w && y < h) to[y * w + x] = tile[threadIdx.y][threadIdx.x];
}
"""


@pytest.mark.parametrize(
    ("end", "step", "bad"),
    [
        ("SIDE + 3", "SIDE", True),
        ("SIDE + 2", "SIDE", False),
        ("SIDE + 3", "blockDim.x", False),  # of any block
    ],
)
def test_items_of_two_dimensions(end: str, step: str, bad: bool) -> None:
    assert bool(findings(ArrayIndexOutOfRange, TILE.replace("END", end).replace("STEP", step))) is bad
