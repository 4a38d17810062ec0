"""Grids that are refused for sizes which a comment of the file allows."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.launch_limits import LaunchLimits

from tests.rules.marked import findings

ROWS = """
#include <cstdlib>
__global__ void scale(float *x, int rows, int cols) {
    const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
    if (c < cols) x[(size_t)r * cols + c] *= 2.0f;
}
struct Batch { int rows; int cols; };
// SAID
int run(float *x, const Batch &batch, int rows, int cols) {
    BEFORE
    scale<<<dim3((cols + 127) / 128, COUNT), 128>>>(x, rows, cols);
    return cudaGetLastError() != cudaSuccess;
}
"""


@pytest.mark.parametrize(
    ("said", "before", "count", "told"),
    [
        ("rows: tokens of a batch, 1 .. 262144", "", "rows", "has 262144 blocks along y"),
        ("rows: 1 .. 262144", "", "(rows + 7) / 8", ""),
        ("rows: 1 .. 262144", "if (rows > 65535) return 2;", "rows", ""),
        ("rows: 1 .. 262144", "if (rows > 100000) rows = 100000;", "rows", "blocks along y"),
        ("rows: 1 .. 4096", "", "rows", ""),
        ("rows are many", "", "rows", ""),
        ("rows: 0 for an empty batch", "", "rows", "where rows is 0"),
        ("rows: 0 .. 1000", "", "(rows - 1) / 8 + 1", ""),
        ("rows: 0 .. 1000", "", "((unsigned)rows - 1) / 8 + 1", "where rows is 0"),
        ("rows: 0 .. 1000", "if (rows < 1) return 0;", "rows", ""),
        ("rows: 1 .. 1000", "", "rows", ""),
        ("cols may be 0", "", "rows", "where cols is 0"),
        ("rows: 0 .. 1000", "", "batch.rows", "where rows is 0"),
        ("rows: 0 .. 1000", "if (!batch.rows) return 0;", "batch.rows", ""),
        ("rows: 0 .. 1000", "", "(rows + 1)", ""),
    ],
)
def test_sizes_that_a_comment_allows(said: str, before: str, count: str, told: str) -> None:
    source = ROWS.replace("SAID", said).replace("BEFORE", before).replace("COUNT", count)
    found = [one.message for one in findings(LaunchLimits, source)]
    assert [told in message for message in found] == ([True] if told else [])


def test_an_error_that_nobody_looks_at() -> None:
    source = ROWS.replace("SAID", "rows: 0 .. 9").replace("BEFORE", "").replace("COUNT", "rows")
    assert not findings(LaunchLimits, source.replace("cudaGetLastError() != cudaSuccess", "0"))
