"""Arrays of the libraries' complex numbers are as large as those are, whether or not their headers are there."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange

from tests.rules.marked import findings

PARTS = """
#include <complex>
#include <thrust/complex.h>
__global__ void __launch_bounds__(32) k(double *x) {
  __shared__ @<double> numbers[16];
  double *parts = reinterpret_cast<double *>(numbers);
  parts[threadIdx.x + SHIFT] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = parts[31 - threadIdx.x];
}
"""


@pytest.mark.parametrize("type_", ["std::complex", "thrust::complex"])
@pytest.mark.parametrize(("shift", "count"), [("0", 0), ("1", 1)])
def test_numbers_of_two_parts(type_: str, shift: str, count: int) -> None:
    assert len(findings(ArrayIndexOutOfRange, PARTS.replace("@", type_).replace("SHIFT", shift))) == count
