"""Barriers under conditions on an axis along which the launches in sight have one thread."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.barrier_divergence import BarrierDivergence

from tests.rules.marked import findings

KERNEL = """
__global__ void rows(const float *src, float *dst, int height) {
    __shared__ float line[256];
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    BEFORE
        line[threadIdx.x] = src[y * 256 + threadIdx.x];
        __syncthreads();
        dst[y * 256 + threadIdx.x] = line[255 - threadIdx.x];
    }
}
void host(const float *src, float *dst, int height, int part) {
    dim3 block(BLOCK);
    dim3 grid(part / 2, height);
    rows<<<grid, block>>>(src, dst, height);
    MORE
}
"""

BEFORE = ("if (y < height) {", "for (int r = y; r < height; r += gridDim.y * blockDim.y) {")


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("block", ["256", "256, 1", "256, 1, 1", "part"])
def test_one_row_of_threads_agrees_on_its_row(before: str, block: str) -> None:
    code = KERNEL.replace("BEFORE", before).replace("BLOCK", block).replace("MORE", "")
    assert not findings(BarrierDivergence, code)


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize(
    ("block", "more"),
    [("32, 8", ""), ("256, part", ""), ("256", "rows<<<grid, dim3(64, 4)>>>(src, dst, height);")],
)
def test_several_rows_of_threads_do_not(before: str, block: str, more: str) -> None:
    code = KERNEL.replace("BEFORE", before).replace("BLOCK", block).replace("MORE", more)
    assert findings(BarrierDivergence, code)


def test_launches_that_pass_values_of_unknown_types_are_seen() -> None:
    code = """
    #include "views.h"
    template <int R> __global__ void rows(const View src, float *dst, int height) {
        __shared__ float line[256];
        const int y = blockIdx.y * blockDim.y + threadIdx.y;
        if (y < height) {
            line[threadIdx.x] = src(y, threadIdx.x);
            __syncthreads();
            dst[y] = line[R];
        }
    }
    void host(const SizedView &src, float *dst) {
        rows<3><<<dim3(src.cols / 256, src.rows), 256>>>(src, dst, src.rows);
    }
    """
    assert not findings(BarrierDivergence, code)
    assert findings(BarrierDivergence, code.replace(", 256>>>", ", dim3(64, 4)>>>"))
