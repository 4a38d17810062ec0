"""Groups of elements of which the first is tested against two sizes: only one of them can be the end of the array."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import assert_marked

ROWS = """
__global__ void every_other(const float *src, float *dst, int rows, int cols) {
    int x = blockIdx.x * 32 + threadIdx.x, y = (blockIdx.y * 4 + threadIdx.y) << 1;
    float sum = 0.0f;
    if (y != 0 && y < INNERALSO) {
        for (int at = x; at < cols; at += 32) sum += src[y * cols + at] + src[(y + 1) * cols + at];MARK
    }
    if (x < cols && (y >> 1) < ((rows + 1) >> 1)) dst[(y >> 1) * cols + x] = sum;
}
void run(const float *src, float *dst, int rows, int cols) {
    dim3 grid((cols + 31) / 32, (((rows + 1) >> 1) + 3) / 4);
    every_other<<<grid, dim3(32, 4)>>>(src, dst, rows, cols);
}
"""


@pytest.mark.parametrize(
    ("inner", "also", "told"),
    [
        ("((rows + 1) >> 1)", " && y < rows", False),
        ("rows", "", True),
        ("rows - 1", "", False),
    ],
)
def test_the_inner_half(inner: str, also: str, told: bool) -> None:
    code = ROWS.replace("INNER", inner).replace("ALSO", also).replace("MARK", "  // bad" * told)
    assert_marked(WrongBoundsGuard, code)
