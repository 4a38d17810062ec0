"""Fragments of matrices: how many elements a lane holds."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange

from tests.rules.marked import findings

KERNEL = """
#include <mma.h>
using namespace nvcuda;
__global__ void k(const half *in, float *out) {
    wmma::fragment<USE> f;
    for (int i = 0; i < COUNT; i++) f.x[i] = in[threadIdx.x * COUNT + i];
    out[threadIdx.x] = f.x[0];
}
"""

HELD = {
    "wmma::matrix_a, 16, 16, 16, half, wmma::col_major": 16,
    "wmma::matrix_b, 32, 8, 16, half, wmma::row_major": 16,
    "wmma::accumulator, 16, 16, 16, float": 8,
    "wmma::matrix_b, 32, 8, 16, unsigned char, wmma::row_major": 4,
    "wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major": 4,
    "wmma::accumulator, 8, 8, 4, double": 2,
}


@pytest.mark.parametrize("use", HELD)
def test_elements_of_a_lane(use: str) -> None:
    def told(count: int) -> bool:
        return bool(findings(ArrayIndexOutOfRange, KERNEL.replace("USE", use).replace("COUNT", str(count))))

    assert not told(HELD[use])
    assert told(HELD[use] + 1)
