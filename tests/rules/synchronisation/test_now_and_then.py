"""Barriers in every so many rounds of a loop: what stands before the next one meets the rounds since the last."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import findings

ROWS = """
#define STAGE 64
__global__ void rows(const int *ends, const int *cols, const float *x, float *y, int n) {
    __shared__ int staged[STAGE];
    const int begin = ends[blockIdx.x], end = ends[blockIdx.x + 1];
    float sum = 0.f;
    for (int j = begin; j < end; ++j) {
        const int at = (j - begin) % STAGE;
        if (at == 0) {
            BARRIER
            if (j + threadIdx.x < end) staged[threadIdx.x] = cols[j + threadIdx.x];
            __syncthreads();
        }
        if (staged[at] > n) continue;
        sum += x[staged[at] * STAGE + threadIdx.x];
    }
    y[blockIdx.x * STAGE + threadIdx.x] = sum;
}
void run(const int *ends, const int *cols, const float *x, float *y, int n, int rows_) {
    rows<<<rows_, STAGE>>>(ends, cols, x, y, n);
}
"""
WINDOWS = """
__attribute__((reqd_work_group_size(128, 1, 1)))
__kernel void windows(__global const float *x, __global float *y, int n) {
    __local float part[128];
    const int t = get_local_id(0);
    float most = 0.0f;
    for (int i = 0; i < n; i++) {
        if ((i & 31) == 0) {
            BARRIER
            part[t] = x[i * 4 + t];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        most = fmax(most, part[(i & 31) * 4 + (t & 3)]);
    }
    y[get_global_id(0)] = most;
}
"""
AT_THE_END = """
__global__ void flushed(const float *x, float *y, int n) {
    __shared__ float kept[256];
    const int t = threadIdx.x;
    kept[t] = 0.f;
    for (int i = 0; i < n; i++) {
        kept[t] += x[i * 256 + t];
        if (i % 16 == 15) {
            __syncthreads();
            y[i * 256 + t] = kept[255 - t];
            BARRIER
        }
    }
}
void run(const float *x, float *y, int n) {
    flushed<<<1, 256>>>(x, y, n);
}
"""


@pytest.mark.parametrize(
    ("code", "language"), [(ROWS, "cuda"), (WINDOWS, "opencl"), (AT_THE_END, "cuda")], ids=["rest", "mask", "end"]
)
def test_rounds_since_the_last_barrier(code: str, language: str) -> None:
    barrier = "barrier(CLK_LOCAL_MEM_FENCE);" if language == "opencl" else "__syncthreads();"
    assert findings(SharedMemoryRace, code.replace("BARRIER", ""), language)
    assert not findings(SharedMemoryRace, code.replace("BARRIER", barrier), language)


def test_own_elements_need_no_further_barrier() -> None:
    code = ROWS.replace("staged[at]", "staged[threadIdx.x]").replace("BARRIER", "")
    assert not findings(SharedMemoryRace, code)
