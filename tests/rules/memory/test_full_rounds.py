"""Tiles of which the threads of a block set a part, though there is work for all."""

from __future__ import annotations

import pytest
from kernlint_rules.memory.uninitialised_shared_memory import UninitialisedSharedMemory

from tests.rules.marked import assert_pair, findings

CLAMPED = """
constexpr int kThreads = 128, kPanel = 256;
__global__ void heights(const float *keys, int amount, float *sum) {
    __shared__ float panel[kPanel];
    float s = 0.0f;
    for (int at = 0; at < amount; at += kPanel) {
        const int here = amount - at < kPanel ? amount - at : kPanel;
        for (int k = threadIdx.x; k < here; k += kThreads) panel[k] = keys[at + k];  // only good
        if (threadIdx.x < here) panel[threadIdx.x] = keys[at + threadIdx.x];  // only bad
        __syncthreads();
        for (int k = 0; k < here; ++k) s += panel[k] * threadIdx.x;  // bad
        __syncthreads();
    }
    sum[blockIdx.x * kThreads + threadIdx.x] = s;
}
void run(const float *keys, int amount, float *sum) { heights<<<64, kThreads>>>(keys, amount, sum); }
"""

PLANES = """
#define WIDE 32
#define HIGH 8
__global__ void blur(const float *in, float *out, int rows, int columns) {
    __shared__ float strip[WIDE * 4];
    const int me = threadIdx.y * WIDE + threadIdx.x;
    for (int r = 0; r < rows; r += 4) {
        const int many = min(4, rows - r) * WIDE;
        if (me < many && threadIdx.y < 2) strip[me] = in[r * WIDE + me];  // only bad
        if (me < many && threadIdx.y < 4) strip[me] = in[r * WIDE + me];  // only good
        __syncthreads();
        float s = 0.0f;
        for (int k = 0; k < many; k += WIDE) s += strip[k];  // bad
        out[(r + threadIdx.y) * WIDE + threadIdx.x] = s;
        __syncthreads();
    }
}
void run(const float *in, float *out, int rows) { blur<<<1, dim3(WIDE, HIGH)>>>(in, out, rows, WIDE); }
"""


@pytest.mark.parametrize("code", [CLAMPED, PLANES], ids=["clamped", "planes"])
def test_tiles_that_are_filled_in_part(code: str) -> None:
    assert_pair(UninitialisedSharedMemory, code)


SILENT = [
    # As many as the block has threads at most, for all that the kernel says.
    """
    __global__ void softmax(const float *x, float *y, int columns) {
        __shared__ float row[1024];
        if (threadIdx.x < columns) row[threadIdx.x] = x[blockIdx.x * columns + threadIdx.x];
        __syncthreads();
        float s = 0.0f;
        for (int k = 0; k < columns; ++k) s += row[k];
        if (threadIdx.x == 0) y[blockIdx.x] = s;
    }
    void run(const float *x, float *y, int rows, int columns) { softmax<<<rows, 256>>>(x, y, columns); }
    """,
    # Each thread sets two.
    """
    __global__ void pairs(const float *keys, int amount, float *sum) {
        __shared__ float panel[256];
        float s = 0.0f;
        for (int at = 0; at < amount; at += 256) {
            const int here = min(256, amount - at);
            if (threadIdx.x < here) panel[threadIdx.x] = keys[at + threadIdx.x];
            if (threadIdx.x + 128 < here) panel[threadIdx.x + 128] = keys[at + threadIdx.x + 128];
            __syncthreads();
            for (int k = 0; k < here; ++k) s += panel[k];
            __syncthreads();
        }
        sum[threadIdx.x] = s;
    }
    void run(const float *keys, int amount, float *sum) { pairs<<<1, 128>>>(keys, amount, sum); }
    """,
]


@pytest.mark.parametrize("code", SILENT, ids=["row", "twice"])
def test_tiles_that_are_filled_as_far_as_they_are_read(code: str) -> None:
    assert not findings(UninitialisedSharedMemory, code)
