"""Vectors from a place that the host moves on by a variable, and what it checks that one to be a multiple of."""

from __future__ import annotations

import pytest

from kernlint import registry
from tests.rules.marked import assert_marked

CUT_OUT = """
#include <cuda_runtime.h>
__global__ void halves(const unsigned char *from, size_t pitch, int fours, int rows, float *to)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= fours || y >= rows) return;
    const uchar4 v = ((const uchar4 *)(from + y * pitch))[x];  // bad
    to[y * fours + x] = 0.25f * (v.x + v.y + v.z + v.w);
}
int cut_out(const unsigned char *image, size_t pitch, int left, int top, int wide, int high, float *to)
{
    if (left < 0 || top < 0 || wide <= 0 || high <= 0) return 1;
    if (%s) return 1;
    const unsigned char *at = image + top * pitch + left;%s
    halves<<<dim3((wide / 4 + 63) / 64, high), 64>>>(at, pitch, wide / 4, high, to);
    return 0;
}
"""


@pytest.mark.parametrize("check", ["(left & 1) || (wide & 3)", "left % 2 != 0 || wide % 4 != 0"])
def test_a_multiple_of_fewer(check: str) -> None:
    assert_marked(registry.load().get("KL503"), CUT_OUT % (check, ""))


@pytest.mark.parametrize(
    ("check", "more"),
    [
        ("(left & 3) || (wide & 3)", ""),
        ("(left & 1) || (wide & 3) || (left & 3)", ""),
        ("(left & 1) || (wide & 3)", "\n    if ((unsigned long long)at % 4) return 1;"),
        ("wide & 3", ""),
    ],
    ids=["of enough", "of both", "the address is asked about", "nothing is known"],
)
def test_a_multiple_of_enough(check: str, more: str) -> None:
    assert_marked(registry.load().get("KL503"), (CUT_OUT % (check, more)).replace("  // bad", ""))


ROWS = """
#include <cuda_runtime.h>
__global__ void scale(const float *from, int pitch, int twos, float *to)
{
    const float2 v = ((const float2 *)(from + blockIdx.x * pitch))[threadIdx.x];%s
    to[blockIdx.x * twos + threadIdx.x] = v.x + v.y;
}
void run(const float *x, int pitch, int twos, int rows, float *to)
{
    scale<<<rows, twos>>>(x + %s, pitch, twos, to);
}
"""


def test_the_first_row_begins_at_the_place_itself() -> None:
    assert_marked(registry.load().get("KL503"), ROWS % ("  // bad", "1"))
    assert_marked(registry.load().get("KL503"), ROWS % ("", "2"))
