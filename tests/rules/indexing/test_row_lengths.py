"""Indices that begin at a row: what they count up to by themselves is the row's length."""

from __future__ import annotations

import pytest
from kernlint_rules.indexing.index_overflow import IndexOverflow

from kernlint.finding import Severity
from tests.rules.marked import findings

BANDS = """
__global__ void shift(size_t bands, size_t band, size_t width, const float *x, float *y, const float *by) {
    const size_t at = threadIdx.x + blockIdx.x * blockDim.x, all = blockDim.x * gridDim.x;
    for (size_t b = blockIdx.z; b < bands; b += gridDim.z) {
        const size_t first = b * LENGTH, last = (b + 1) * LENGTH;
        for (size_t r = first + at; r < last; r += all) y[r] = x[r] + by[b];
    }
}
void run(size_t bands, size_t band, size_t width, const float *x, float *y, const float *by) {
    dim3 grid, block;
    block.x = 256;
    grid.x = (LENGTH + 255) / 256;
    grid.z = bands;
    shift<<<grid, block>>>(bands, band, width, x, y, by);
}
"""


@pytest.mark.parametrize(("length", "bad"), [("band", False), ("(band * width)", True)])
def test_the_length_of_a_row_is_the_count(length: str, bad: bool) -> None:
    found = findings(IndexOverflow, BANDS.replace("LENGTH", length))
    assert any(one.severity is not Severity.NOTE for one in found) is bad
