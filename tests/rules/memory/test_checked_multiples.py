"""What the host checks a row's length to be a multiple of, and vectors that want more."""

from __future__ import annotations

import pytest
from kernlint_rules.memory.misaligned_vector_access import MisalignedVectorAccess

from tests.rules.marked import findings

NIBBLES = """
__global__ void widen(const unsigned char *codes, float *to, int rows, int length) {
    const int piece = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (row >= rows || piece * 8 >= length) return;
    const unsigned int four = *reinterpret_cast<const unsigned int *>(codes + row * (length / 2) + piece * 4);
    const uchar4 v = *reinterpret_cast<const uchar4 *>(codes + row * (length / 2) + piece * 4);
    to[row * length + piece * 8] = four + v.x;
}
int run(const unsigned char *codes, float *to, int rows, int length, int part) {
    CHECK
    widen<<<dim3((length / 8 + 63) / 64, rows), 64>>>(codes, to, rows, length);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("check", "bad"),
    [
        ("if (length % part != 0 || (part != 4 && part != 16)) return 1;", True),
        ("if (length % part != 0 || (part != 8 && part != 16)) return 1;", False),
        ("if (length % part != 0) return 1;", False),
        ("if (length % 4 != 0) return 1;", True),
        ("if (length % 8 != 0) return 1;", False),
        ("", False),
    ],
)
def test_parts_of_a_size_that_is_a_multiple_of_one_of_a_few(check: str, bad: bool) -> None:
    assert bool(findings(MisalignedVectorAccess, NIBBLES.replace("CHECK", check))) == bad


ROWS = """
#include <cuda_fp16.h>
__global__ void scale(__half *x, int width, float by) {
    const int at = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
    if (at >= width) return;
    uint4 *row = reinterpret_cast<uint4 *>(x + (size_t)blockIdx.y * width + at);
    uint4 v = *row;
    v.x += by;
    *row = v;
}
int run(__half *x, int rows, int width, int heads) {
    CHECK
    scale<<<dim3((width + 1023) / 1024, rows), 128>>>(x, width, 0.5f);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("check", "bad"),
    [
        ("if (width % 4 != 0) return 1;", True),
        ("if (width & 3) return 1;", True),
        ("if (width % 8 != 0) return 1;", False),
        ("if (width % 4 != 0 || width % 8 != 0) return 1;", False),
        ("if (width % 3 != 0) return 1;", False),
        ("if (width % heads != 0) return 1;", False),
    ],
)
def test_rows_of_fewer_lanes_than_a_vector_has(check: str, bad: bool) -> None:
    assert bool(findings(MisalignedVectorAccess, ROWS.replace("CHECK", check))) == bad
