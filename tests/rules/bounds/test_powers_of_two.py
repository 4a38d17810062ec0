"""Launches in sight whose sizes the host checks to be powers of two, tried with such."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard

from tests.rules.marked import assert_marked

PASSES = """
#define AT_ONCE 32
__global__ void fold(float *a, int rows, int cols) {
    const int col = blockIdx.x * AT_ONCE + threadIdx.x;
    for (int half = rows / 2; half > 0; half /= 2)
        for (int r = 0; r < half; ++r)
            a[(size_t)r * cols + col] += a[(size_t)(r + half) * cols + col];MARK
}
void run(const float *from, float *to, int rows, int cols) {
    if (rows < AT_ONCE || cols < AT_ONCE || (rows & (rows - 1)) != 0 || (cols & (cols - 1)) != 0) return;
    if (MORE) return;
    float *a = nullptr;
    cudaMalloc(&a, sizeof(float) * rows * cols);
    cudaMemcpy(a, from, sizeof(float) * rows * cols, cudaMemcpyHostToDevice);
    fold<<<BLOCKS / AT_ONCE, AT_ONCE>>>(a, rows, cols);
    cudaMemcpy(to, a, sizeof(float) * cols, cudaMemcpyDeviceToHost);
    cudaFree(a);
}
"""


@pytest.mark.parametrize(
    ("blocks", "more", "bad"),
    [
        ("rows", "false", True),
        ("cols", "false", False),
        ("rows", "rows != cols", False),
        ("rows", "rows > cols", False),
        ("rows", "rows < cols", True),
    ],
)
def test_columns_for_rows(blocks: str, more: str, bad: bool) -> None:
    text = PASSES.replace("BLOCKS", blocks).replace("MORE", more).replace("MARK", "  // bad" if bad else "")
    assert_marked(MissingBoundsGuard, text, "cuda")
