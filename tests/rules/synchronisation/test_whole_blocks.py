"""Barriers in loops over as many elements as whole blocks of the launch have: all threads of a block go round."""

from __future__ import annotations

from pathlib import Path

import pytest
from kernlint_rules.synchronisation.barrier_divergence import BarrierDivergence

from tests.project.test_launches_elsewhere import found
from tests.rules.marked import assert_marked

KERNEL = """
__global__ void pooled(const float *x, float *y, int count, int channels) {
    extern __shared__ float row[];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x) {
        row[threadIdx.x] = x[i];
        __syncthreads();MARK
        if (threadIdx.x == 0) {
            float sum = 0.0f;
            for (int k = 0; k < blockDim.x; ++k) sum += row[k];
            y[i / channels] = sum;
        }
        __syncthreads();
    }
}
void run(const float *x, float *y, int rows, int channels, int groups) {
    LAUNCH
}
"""


@pytest.mark.parametrize(
    ("launch", "bad"),
    [
        ("int n = rows * channels; pooled<<<rows, channels, 4096>>>(x, y, n, channels);", False),
        ("int n = rows * groups * channels; pooled<<<(n + channels - 1) / channels, channels, 4096>>>(x, y, n, 1);", 0),
        ("int n = rows * channels; pooled<<<(n + 255) / 256, 256, 4096>>>(x, y, n, channels);", True),
        ("int n = rows * channels + 1; pooled<<<rows + 1, channels, 4096>>>(x, y, n, channels);", True),
        (
            "int n = rows * channels, block = channels > 256 ? 256 : channels;"
            "if (channels < 64) pooled<<<(n + block - 1) / block, block, 4096>>>(x, y, n, channels);",
            False,
        ),
        (
            "int n = rows * channels, block = channels > 256 ? 256 : channels;"
            "if (channels >= 64) pooled<<<(n + block - 1) / block, block, 4096>>>(x, y, n, channels);",
            True,
        ),
        (
            "int n = rows * channels, block = channels > 256 ? 256 : channels;"
            "if (channels == 512) pooled<<<(n + block - 1) / block, block, 4096>>>(x, y, n, channels);",
            False,
        ),
    ],
)
def test_counts_of_whole_blocks(launch: str, bad: bool) -> None:
    assert_marked(BarrierDivergence, KERNEL.replace("LAUNCH", launch).replace("MARK", "  // bad" * bad))


HEADER = """
template <typename T, int C> __global__ void rows_of(const T *x, T *y, int count) {
    __shared__ float row[C];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x) {
        row[threadIdx.x] = x[i];
        __syncthreads();
        if (threadIdx.x == 0) y[i / C] = row[0] + row[C - 1];
        __syncthreads();
    }
}
template <typename T> void run(const T *x, T *y, int rows, int channels) {
    int n = rows * channels, block = channels;
    switch (channels) {
    case 64: rows_of<T, 64><<<(n + block - 1) / block, BLOCK>>>(x, y, n); break;
    case 128: rows_of<T, 128><<<(n + block - 1) / block, BLOCK>>>(x, y, n); break;
    }
}
"""


@pytest.mark.parametrize(("block", "bad"), [("block", False), ("96", True)])
def test_numbers_that_a_header_gives_its_own_templates(tmp_path: Path, block: str, bad: bool) -> None:
    """A template that only its header launches is tried with the numbers that are launched there."""
    files = {"rows.cuh": HEADER.replace("BLOCK", block), "rows.cu": '#include "rows.cuh"\n'}
    assert [one for one in found(tmp_path, files) if "divergence" in one] == ["rows.cuh:barrier-divergence"] * bad
