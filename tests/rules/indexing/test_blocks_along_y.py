"""Numbers of blocks along y are no larger than CUDA starts there, and what is divided and multiplied again does not
grow."""

from __future__ import annotations

import pytest
from kernlint_rules.indexing.index_overflow import IndexOverflow

from tests.rules.marked import assert_marked, assert_pair

PLANES = """
__global__ void merge(const float *part, float *state, int rows, int heads) {
    const int row = blockIdx.x, b = blockIdx.y / heads, h = blockIdx.y % heads;
    const int at = (b * heads + h) * rows + row;
    if (threadIdx.x == 0) state[at] = part[at];  // bad
}
void run(const float *part, float *state, int rows, int batch) {
    if (rows > 40000 || batch > 500) return;  // only bad
    if (rows > 32000 || batch > 4096) return;  // only good
    merge<<<dim3(rows, batch * 128), 32>>>(part, state, rows, 128);
}
"""

ONE_ROW = """
// state: [batch, heads, rows], rows = 1
__global__ void merge(const float *part, float *state, int rows, int heads) {
    const int row = blockIdx.x, b = blockIdx.y / heads, h = blockIdx.y % heads;
    const int at = (b * heads + h) * rows + row;
    if (threadIdx.x == 0) state[at] = part[at];
}
"""

TILES = """
__global__ void scores(const float *q, float *out, const float *bias, int rows, int pitch) {
    const int tiles = (rows + 127) / 128;  // only good
    const int plane = blockIdx.y / tiles, tile = blockIdx.y % tiles;  // only good
    const int plane = blockIdx.x, tile = blockIdx.y;  // only bad
    const int row = tile * 128 + threadIdx.x;
    const float *from = q + (long)(plane * rows + tile * 128) * 64;
    if (row >= rows) return;
    const float shift = bias[(long)plane * rows + row];
    out[((long)(plane * rows) + row) * pitch + blockIdx.z] = shift + from[threadIdx.x * 64];  // bad
}
"""


@pytest.mark.parametrize("code", [PLANES, TILES], ids=["planes", "tiles"])
def test_blocks_along_y(code: str) -> None:
    assert_pair(IndexOverflow, code)


def test_what_is_left_of_a_number_is_no_larger() -> None:
    assert_marked(IndexOverflow, ONE_ROW)
