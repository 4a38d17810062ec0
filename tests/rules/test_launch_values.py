"""Sizes and arguments of launches: what stands in the text, and what is passed with its value."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.launch_limits import LaunchLimits
from kernlint_rules.launch.wrong_copy_direction import WrongCopyDirection

from tests.rules.marked import findings

SIZES = """
__global__ void k(float *x) { x[blockIdx.x * 256 + threadIdx.x] = 0.0f; }
int made(int *count);
void run(float *x) {
    SIZES
}
"""


@pytest.mark.parametrize(
    ("sizes", "told"),
    [
        ("const int blocks = 100 / 256; k<<<blocks, 256>>>(x);", True),
        ("k<<<dim3(4, 0), 256>>>(x);", True),
        ("constexpr int wide = WARP_SIZE_OF_THE_BUILD; dim3 block(wide, 8); k<<<4, block>>>(x);", False),
        ("constexpr int wide = 0; k<<<4, dim3(wide, 8)>>>(x);", False),
        ("int blocks = 0; made(&blocks); k<<<blocks, 256>>>(x);", False),
    ],
)
def test_empty_launches(sizes: str, told: bool) -> None:
    assert bool(findings(LaunchLimits, SIZES.replace("SIZES", sizes))) is told


VALUES = """
#include <array>
__global__ void k(const float *x, KIND c, float *y) { y[threadIdx.x] = x[threadIdx.x] * c[0]; }
void run(const float *x, float *y) {
    VALUE;
    k<<<1, 256>>>(x, c, y);
}
"""


@pytest.mark.parametrize(
    ("kind", "value", "told"),
    [("std::array<float, 4>", "std::array<float, 4> c{}", False), ("const float *", "float c[4] = {}", True)],
)
def test_arrays_by_value(kind: str, value: str, told: bool) -> None:
    assert bool(findings(WrongCopyDirection, VALUES.replace("KIND", kind).replace("VALUE", value))) is told
