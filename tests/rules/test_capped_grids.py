"""Grids that are held down to what the device has room for, of kernels that handle one element a thread."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.uncovered_tail import UncoveredTail

from tests.rules.marked import assert_marked

TEXT = """
#include <algorithm>
__global__ void twice(float *x, int rows, int cols) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    BODY
}
static int blocks(int n) {
    int device = 0, sms = 0, each = 0, largest = 0;
    cudaDeviceProp all;
    cudaGetDevice(&device);
    cudaGetDeviceProperties(&all, device);
    cudaDeviceGetAttribute(&largest, cudaDevAttrMaxGridDimX, device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, twice, 256, 0);
    int needed = (n + 255) / 256;
    COUNT
}
void run(float *x, int rows, int cols) {
    twice<<<blocks(rows * cols), 256>>>(x, rows, cols);MARK
}
"""

ONE = "if (i < rows * cols) x[i] *= 2.0f;"
STEPS = "for (; i < rows * cols; i += gridDim.x * blockDim.x) x[i] *= 2.0f;"


@pytest.mark.parametrize(
    ("body", "count", "mark"),
    [
        (ONE, "return std::min(needed, sms * each);", " // bad"),
        (ONE, "return std::min(needed, sms * (2048 / 256));", " // bad"),
        (ONE, "int most = all.multiProcessorCount * 8; if (needed > most) needed = most; return needed;", " // bad"),
        (ONE, "return needed < sms * each ? needed : sms * each;", " // bad"),
        (STEPS, "return std::min(needed, sms * each);", ""),
        (ONE, "return std::min(needed, largest);", ""),
        (ONE, "return std::min(needed, all.maxGridSize[0]);", ""),
        (ONE, "return std::max(needed, sms * each);", ""),
        (ONE, "return needed < sms * each ? sms * each : needed;", ""),
        (ONE, "return needed;", ""),
    ],
)
def test_room_of_the_device(body: str, count: str, mark: str) -> None:
    assert_marked(UncoveredTail, TEXT.replace("BODY", body).replace("COUNT", count).replace("MARK", mark))


SUMS = """
#include <algorithm>
constexpr int WIDTH = 128;
__global__ void sums(const float *x, float *part, long long n, int most) {
    __shared__ float own[WIDTH];
    float sum = 0;
    long long i = (long long)blockIdx.x * UNIT + threadIdx.x;
    BODY
    own[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) for (int k = 1; k < WIDTH; ++k) own[0] += own[k];
    if (threadIdx.x == 0) part[blockIdx.x] = own[0];
}
void run(const float *x, float *part, long long n) {
    CHECK
    const long long needed = (n + WIDTH - 1) / WIDTH;
    const int blocks = (int)std::min<long long>(needed, 512);
    sums<<<blocks, WIDTH>>>(x, part, n, 512 * WIDTH);MARK
}
"""


@pytest.mark.parametrize(
    ("unit", "body", "check", "mark"),
    [
        ("WIDTH", "if (i < n) sum += x[i];", "", " // bad"),
        ("128", "if (i < n) sum += x[i];", "if (n < 1) return;", " // bad"),
        ("WIDTH", "if (i < n) sum += x[i];", "if (n > 512 * WIDTH) return;", ""),
        ("WIDTH", "for (; i < n; i += gridDim.x * WIDTH) sum += x[i];", "", ""),
        ("WIDTH", "for (; i < n; i += most) sum += x[i];", "", ""),
        ("WIDTH", "for (; i < n; i += 512 * WIDTH) sum += x[i];", "", ""),
    ],
)
def test_the_size_of_the_block_as_a_number(unit: str, body: str, check: str, mark: str) -> None:
    code = SUMS.replace("UNIT", unit).replace("BODY", body).replace("CHECK", check).replace("MARK", mark)
    assert_marked(UncoveredTail, code)
