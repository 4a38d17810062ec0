"""Variables of a file that one function sets to a number and another one launches with."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard

from kernlint.finding import Severity
from tests.rules.marked import findings

CODE = """
#include <cuda_runtime.h>
#define WIDTH 128
#define HEIGHT 64
dim3 grid;
int threads;
__global__ void number(float *x) {
    const int i = threadIdx.x + blockIdx.x * blockDim.x + WIDTH * blockIdx.y;
    x[i] = i;
}
void prepare(int n) { grid.x = WIDTH / 64; grid.y = HEIGHT; threads = 64; MORE }
void step() {
    float *x;
    cudaMalloc(&x, sizeof(float) * (WIDTH * HEIGHT - LESS));
    number<<<grid, threads>>>(x);
    cudaFree(x);
}
"""


@pytest.mark.parametrize(
    ("more", "less", "told"),
    [
        ("", "0", False),
        ("", "1", True),
        ("grid.y = n;", "1", False),  # which it is nobody knows then
        ("if (n > 4) threads = 32;", "1", False),
        ("change(&grid);", "1", False),
        ("change(threads);", "1", False),
        ("grid = dim3(2, 64);", "1", True),
    ],
)
def test_launches_with_variables_of_the_file(more: str, less: str, told: bool) -> None:
    found = findings(MissingBoundsGuard, CODE.replace("MORE", more).replace("LESS", less))
    assert any(one.severity is Severity.ERROR for one in found) == told
