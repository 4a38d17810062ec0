"""Indices in 8 and 16 bits, and what says that they do not hold them."""

from __future__ import annotations

import pytest
from kernlint_rules.indexing.index_overflow import IndexOverflow

from tests.rules.marked import assert_pair, findings

TABLE = """
#define BEAMS 96
#define BINS 400
__kernel void lift(__global const float *level, __global float *out) {
    const int bin = get_global_id(0), beam = get_global_id(1);
    if (bin >= BINS || beam >= BEAMS) return;
    KIND cell = beam * BINS + bin;
    out[3 * cell] = level[cell];
}
"""


@pytest.mark.parametrize(
    ("kind", "bins", "bad"),
    [
        ("short", "400", True),
        ("short", "300", False),
        ("ushort", "400", False),
        ("ushort", "800", True),
        ("uchar", "2", False),
        ("uchar", "3", True),
        ("char", "2", True),
        ("int", "4000", False),
    ],
)
def test_what_the_kernel_tests_says_how_far_it_goes(kind: str, bins: str, bad: bool) -> None:
    code = TABLE.replace("KIND", kind).replace("BINS 400", f"BINS {bins}")
    assert bool(findings(IndexOverflow, code, "opencl")) == bad


LAUNCHED = """
__device__ inline short flat(int row, int column, int width) { return row * width + column; }
__global__ void tone(float *pixels, int width, int height) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= width || row >= height) return;
    pixels[flat(row, column, width)] *= 0.5f;  // bad
}
void run(float *pixels) {
    tone<<<dim3(8, 64), dim3(32, 8)>>>(pixels, 256, 512);  // only bad
    tone<<<dim3(8, 16), dim3(32, 8)>>>(pixels, 256, 128);  // only good
}
"""


def test_what_a_helper_gives_back() -> None:
    assert_pair(IndexOverflow, LAUNCHED)


OPEN = """
__global__ void mix(float *to, const unsigned short *which, const float *table) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 4096) return;
    const unsigned short key = (unsigned short)(i * 40503);
    const short lane = threadIdx.x % 32;
    to[i] = table[key] + table[which[i]] + table[lane];
}
"""


def test_hashes_data_and_what_nothing_bounds_are_left_alone() -> None:
    assert not findings(IndexOverflow, OPEN)
    assert not findings(
        IndexOverflow, OPEN.replace("table) {", "table) {\n    const short at = threadIdx.x; to[at] = 0;")
    )
    assert findings(IndexOverflow, OPEN.replace("= (unsigned short)(i * 40503)", "= i * 40503"))
