"""Sizes of launches that are constants of the file: what a dim3 is not given is 1."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.launch_limits import LaunchLimits

from tests.rules.marked import findings

CODE = """
BLOCK;
__global__ void clear(float *x, int w, int h) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < w && j < h) x[j * w + i] = 0;
}
dim3 around(int w, int h) { return dim3((w + 31) / 32, (h + 7) / 8); }
void run(float *x, int w, int h) { clear<<<around(w, h), kBlock>>>(x, w, h); }
"""


@pytest.mark.parametrize(
    "block",
    [
        "const dim3 kBlock(32, 8)",
        "constexpr dim3 kBlock{32, 8}",
        "static const dim3 kBlock = dim3(32, 8)",
        "const dim3 kBlock = {32, 8}",
        "const dim3 kBlock = 256",
        "const dim3 kBlock",
    ],
)
def test_sizes_that_are_left_out_are_one(block: str) -> None:
    assert not findings(LaunchLimits, CODE.replace("BLOCK", block))


@pytest.mark.parametrize("block", ["const dim3 kBlock(32, 8, 0)", "const dim3 kBlock{32, 64}"])
def test_sizes_that_are_given_count(block: str) -> None:
    assert findings(LaunchLimits, CODE.replace("BLOCK", block))
