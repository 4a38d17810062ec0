"""Row numbers in floats: where there may be more of them than a float can name."""

from __future__ import annotations

import pytest
from kernlint_rules.indexing.floating_point_index import FloatingPointIndex
from kernlint_rules.indexing.index_overflow import IndexOverflow

from kernlint.finding import Severity
from tests.rules.marked import findings

FETCH = """
HEAD __global__ void fetch(const TYPE *table, const TYPE *rows, TYPE *out, int n, int width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n * width) return;
    int row = (int)rows[i / width];
    out[i] = PLACE;
}
void run(const float *table, const float *rows, float *out, int n, int width) {
    fetch<<<(n * width + 255) / 256, 256>>>(table, rows, out, n, width);
}
"""
IN_64 = "table[(size_t)row * width + i % width]"


@pytest.mark.parametrize(
    ("place", "kind", "level"),
    [
        ("table[row * width + i % width]", "float", Severity.WARNING),
        (IN_64, "float", Severity.WARNING),
        ("table[row]", "float", Severity.WARNING),
        (IN_64, "T", Severity.NOTE),
    ],
)
def test_rows(place: str, kind: str, level: Severity) -> None:
    head = "template <typename T>" if kind == "T" else ""
    text = FETCH.replace("HEAD", head).replace("TYPE", kind).replace("PLACE", place)
    assert [one.severity for one in findings(FloatingPointIndex, text)] == [level]


KINDS = """
__global__ void shift(const int *kind, const float *mean, float *x, int width) {
    const long long item = blockIdx.x;
    float *row = x + item * width;
    for (int i = threadIdx.x; i < width; i += blockDim.x) row[i] -= OF[ROW * width + i];
}
"""


@pytest.mark.parametrize(
    ("of", "row", "level"),
    [
        ("mean", "kind[item]", Severity.NOTE),  # as many rows as there are kinds
        ("mean", "(int)blockIdx.x", Severity.WARNING),  # as many as there are items
        ("x", "kind[item]", Severity.WARNING),  # the rows that were counted with care
    ],
)
def test_rows_of_another_table(of: str, row: str, level: Severity) -> None:
    found = findings(IndexOverflow, KINDS.replace("OF", of).replace("ROW", row))
    assert [one.severity for one in found] == [level]
