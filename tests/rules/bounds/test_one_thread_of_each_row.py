"""One thread of each row of a block: along the other axis there are as many as the block has rows."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.late_bounds_guard import LateBoundsGuard
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard

from tests.rules.marked import findings

KERNEL = """
__global__ void shifted(float *out, const float *in, const float *offsets, int columns, int rows) {
    __shared__ float first[8];
    const int row = threadIdx.y + blockIdx.x * 8;
    if (PICKED) first[threadIdx.y] = offsets[AT];
    __syncthreads();
    const float offset = first[threadIdx.y];
    for (int x = threadIdx.x; x < columns; x += 32) {
        const int at = x + row * columns;
        if (at < columns * rows) out[at] = in[at] + offset;
    }
}
"""


@pytest.mark.parametrize(
    ("picked", "at", "bad"),
    [
        ("threadIdx.x == 0", "row", True),
        ("columns > 4 && threadIdx.x == 0", "row", True),
        ("threadIdx.x < 1", "row", True),
        ("threadIdx.x == 0 && row < rows", "row", False),
        ("threadIdx.y == 0", "row", False),  # one for each block
        ("threadIdx.x + threadIdx.y * 32 == 0", "row", False),
        ("threadIdx.x == 0", "threadIdx.y + blockIdx.y * 8", False),  # along another axis nothing is tested
    ],
)
def test_the_test_comes_behind(picked: str, at: str, bad: bool) -> None:
    code = KERNEL.replace("PICKED", picked).replace("AT", at)
    assert bool(findings(LateBoundsGuard, code)) is bad


@pytest.mark.parametrize(("blocks", "bad"), [("(rows + 7) / 8", True), ("rows / 8", False)])
def test_the_launch_rounds_up(blocks: str, bad: bool) -> None:
    code = """
    __global__ void starts(float *out, const float *in, int columns) {
        const int row = threadIdx.y + blockIdx.x * blockDim.y;
        if (threadIdx.x == 0) out[row] = in[row];
    }
    void run(float *out, const float *in, int columns, int rows) {
        if (rows % 8 == 0 || ROUNDED) starts<<<BLOCKS, dim3(32, 8)>>>(out, in, columns);
    }
    """
    code = code.replace("BLOCKS", blocks).replace("ROUNDED", "true" if bad else "false")
    assert bool(findings(MissingBoundsGuard, code)) is bad
