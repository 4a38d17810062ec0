"""Row numbers in floats: where there may be more of them than a float can name."""

from __future__ import annotations

import pytest
from kernlint_rules.indexing.floating_point_index import FloatingPointIndex

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
