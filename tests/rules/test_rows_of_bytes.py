"""Copies that start whole rows behind the beginning, and sizes that a function out of sight turns into bytes."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.byte_count_mismatch import ByteCountMismatch

from tests.rules.marked import findings

CODE = """
size_t width_of(int type);
struct Buffer { void *keep; int type; };
void save(Buffer *to, float *from, int first, int rows, int columns) {
    cudaMemcpy(to->keep, from + first * columns, SIZE, cudaMemcpyDeviceToDevice);
}
"""


@pytest.mark.parametrize(
    ("size", "told"),
    [
        ("rows * columns", True),
        ("rows * columns * sizeof(float)", False),
        ("width_of(to->type) * rows * columns", False),
        ("rows * columns * width_of(to->type)", False),
    ],
)
def test_a_count_of_rows_is_no_count_of_bytes(size: str, told: bool) -> None:
    assert bool(findings(ByteCountMismatch, CODE.replace("SIZE", size))) is told
