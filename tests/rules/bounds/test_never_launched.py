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


PLANES = """
template <int DIMS, int HEIGHT>
__global__ void planes(const float *x, float *y) {
    float part[DIMS > 1 ? HEIGHT : 1];
    for (int k = 0; k < (DIMS > 1 ? HEIGHT : 1); ++k) part[k] = x[threadIdx.x + k];
    float sum = 0.0f;
    for (int k = 0; k < HEIGHT; ++k) sum += part[k];
    y[threadIdx.x] = sum;
}
template <int DIMS> struct Planes {
    int height;
    void run(const float *x, float *y) {
        if (ASKED) {
            switch (height) {
            case 1: planes<DIMS, 1><<<1, 64>>>(x, y); break;
            case 2: planes<DIMS, 2><<<1, 64>>>(x, y); break;
            }
        } else {
            planes<DIMS, 1><<<1, 64>>>(x, y);
        }
    }
};
void each(const float *x, float *y, Planes<1> *one, Planes<2> *two) {
    one->run(x, y);
    two->run(x, y);
    MORE
}
"""


@pytest.mark.parametrize(
    ("asked", "more", "told"),
    [
        ("DIMS > 1", "", False),
        ("DIMS > 1 || height > 1", "", True),
        ("DIMS > 1", "auto one_row = planes<1, 2>; one_row<<<1, 64>>>(x, y);", True),
        ("DIMS > 1", "planes<1, 2><<<1, 64>>>(x, y);", True),
    ],
)
def test_conditions_of_template_arguments(tmp_path: Path, asked: str, more: str, told: bool) -> None:
    code = PLANES.replace("ASKED", asked).replace("MORE", more)
    assert found(tmp_path, {"planes.cu": code}) == ["planes.cu:array-index-out-of-range"] * told
