"""Instances that the host names in cases alone that cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.test_launches_elsewhere import found

ROWS = """
template <int PARTS, int LAST>
__global__ void rows(const float *x, float *y, int n) {
    float part[PARTS];
    for (int k = 0; k < PARTS; ++k) part[k] = 0.0f;
    for (int i = threadIdx.x; i < n; i += 64)
        for (int k = 0; k < PARTS; ++k) part[k] += x[i * PARTS + k];
    for (int k = 0; k < LAST; ++k) y[k * 64 + threadIdx.x] = part[k];
}
void run(const float *x, float *y, int n, int m) {
    switch (LEFT) {
    case 0: rows<2, 0><<<1, 64>>>(x, y, n); break;
    case 1: rows<2, 1><<<1, 64>>>(x, y, n); break;
    case 2: rows<2, 2><<<1, 64>>>(x, y, n); break;
    case 3: rows<2, 3><<<1, 64>>>(x, y, n); break;
    }
}
"""


@pytest.mark.parametrize(("left", "told"), [("m % 2", False), ("m & 1", False), ("m % 4", True), ("m", True)])
def test_a_remainder_leaves_cases_out(tmp_path: Path, left: str, told: bool) -> None:
    assert found(tmp_path, {"rows.cu": ROWS.replace("LEFT", left)}) == ["rows.cu:array-index-out-of-range"] * told
