"""Rows above and elements before an array: where somebody asks for the start elsewhere, there is nothing before it."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.negative_index import NegativeIndex

from tests.rules.marked import findings

PITCHED = """
__global__ void rise(const float *in, float *out, int width, int height, int pitch) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float s = in[y * pitch + x];
    LEFT
    ABOVE s -= in[(y - 1) * pitch + x];
    out[y * pitch + x] = s;
}
"""


@pytest.mark.parametrize(
    ("left", "above", "bad"),
    [
        ("if (x > 0) s += in[y * pitch + x - 1];", "", True),
        ("if (x > 0) s += in[y * pitch + x - 1];", "if (y > 0)", False),
        ("", "", False),  # a part of an image, which has pixels on all sides
    ],
)
def test_rows_with_a_pitch(left: str, above: str, bad: bool) -> None:
    assert bool(findings(NegativeIndex, PITCHED.replace("LEFT", left).replace("ABOVE", above))) is bad


DIVIDED = """
__global__ void rise(const float *in, float *out, int w, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = i % w, y = i / w;
    float s = x > 0 ? in[y * w + x - 1] : 0.0f;
    ABOVE s -= in[(y - 1) * w + x];
    out[i] = s;
}
"""


@pytest.mark.parametrize(("above", "bad"), [("", True), ("if (y > 0)", False)])
def test_rows_that_a_number_is_divided_into(above: str, bad: bool) -> None:
    assert bool(findings(NegativeIndex, DIVIDED.replace("ABOVE", above))) is bad


BEHIND = """
struct Line { const float *from; float *to; int n; };
__global__ void slope(const Line *line) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (TEST) line->to[i] = line->from[i] - line->from[i - 1];
}
"""


@pytest.mark.parametrize(
    ("test", "bad"), [("i < line->n", True), ("i < line->n && i > 0", False), ("i < line->n && i >= 1", False)]
)
def test_pointers_of_an_object_that_is_passed_by_its_address(test: str, bad: bool) -> None:
    assert bool(findings(NegativeIndex, BEHIND.replace("TEST", test))) is bad
