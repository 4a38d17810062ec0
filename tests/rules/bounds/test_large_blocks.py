"""Stencils over a range of rows that the host begins behind the first and ends before the last, in blocks so large that
few launches can be tried with all their threads."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from kernlint.finding import Severity
from tests.rules.marked import findings

RELAXED = """
#include <cuda_runtime.h>
__global__ void relax(float *out, const float *in, const int first, const int end, const int width) {
    const int row = blockIdx.y * blockDim.y + threadIdx.y + first;
    const int column = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (row < end && column < width - 1)
        out[row * width + column] = 0.25f * (in[row * width + column + 1] + in[row * width + column - 1]
                                             + in[(row + 1) * width + column] + in[(row - 1) * width + column]);
}
void run(int width, int height, int rounds) {
    float *a, *b;
    cudaMalloc(&a, width * height * sizeof(float));
    cudaMalloc(&b, width * height * sizeof(float));
    const dim3 block(32, 32), grid((width + 31) / 32, (height + 31) / 32);
    for (int round = 0; round < rounds; ++round) relax<<<grid, block>>>(b, a, 1, END, width);
    cudaFree(a);
    cudaFree(b);
}
"""


@pytest.mark.parametrize(("end", "told"), [("height - 1", False), ("height", True)])
def test_rows_between_the_first_and_the_last(end: str, told: bool) -> None:
    found = [
        one
        for rule in (WrongBoundsGuard, MissingBoundsGuard)
        for one in findings(rule, RELAXED.replace("END", end))
        if one.severity is not Severity.NOTE
    ]
    assert bool(found) == told


EXCHANGES = [
    "const float *t = a; a = b; b = (float *)t;",
    "std::swap(a, b);",
]


@pytest.mark.parametrize("exchange", EXCHANGES)
@pytest.mark.parametrize(("end", "told"), [("height - 1", False), ("height", True)])
def test_buffers_that_are_exchanged_are_of_the_size_of_both(exchange: str, end: str, told: bool) -> None:
    text = (
        RELAXED.replace("END", end)
        .replace("++round) relax", "++round) { relax")
        .replace("1, " + end + ", width);", "1, " + end + f", width); {exchange} }}")
    )
    text = text.replace("#include <cuda_runtime.h>", "#include <cuda_runtime.h>\n#include <utility>")
    assert exchange in text
    found = [
        one
        for rule in (WrongBoundsGuard, MissingBoundsGuard)
        for one in findings(rule, text)
        if one.severity is not Severity.NOTE
    ]
    assert bool(found) == told


@pytest.mark.parametrize(("first", "told"), [("", True), (" + first", False)])
def test_a_range_that_the_host_begins_it_ends_too(first: str, told: bool) -> None:
    kernel = RELAXED[: RELAXED.index("void run")].replace(" + first", first)
    assert bool(findings(WrongBoundsGuard, kernel)) == told


WRAPPING = """
#include <cuda_runtime.h>
__global__ void fill(double *plane, const unsigned nx, const unsigned ny) {
    const unsigned ix = blockIdx.x * 32u + threadIdx.x;
    const unsigned iy = blockIdx.y * 8u + threadIdx.y;
    if (TEST) plane[(size_t)iy * nx + ix] = (double)ix + 0.5 * (double)iy;
}
void run(unsigned nx, unsigned ny) {
    double *plane;
    cudaMalloc(&plane, sizeof(double) * nx * ny);
    fill<<<dim3((nx + 31) / 32, (ny + 7) / 8), dim3(32, 8)>>>(plane, nx, ny);
    cudaFree(plane);
}
"""


@pytest.mark.parametrize(
    ("test", "told"), [("nx - 1u - ix >= 0 && ny - 1u - iy >= 0", True), ("ix < nx && iy < ny", False)]
)
def test_launches_that_fit_only_where_no_difference_wraps(test: str, told: bool) -> None:
    assert bool(findings(WrongBoundsGuard, WRAPPING.replace("TEST", test))) == told
