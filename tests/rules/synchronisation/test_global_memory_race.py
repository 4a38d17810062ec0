"""Races in global memory: indices that lack an axis, neighbours, counters; and what only looks like them."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace

from kernlint.finding import Severity
from tests.rules.marked import assert_marked, findings

CUDA = {
    "every block writes the same cells": """
__global__ void k(float *sums, const float *a) {
    float s = 0;
    for (int i = 0; i < 100; ++i) s += a[blockIdx.x * 100 + i];
    sums[threadIdx.x] = s; // bad
}
""",
    "one block only": """
__global__ void k(float *sums, const float *a) {
    sums[threadIdx.x] = a[threadIdx.x] * 2;
}
""",
    "an axis of the block is missing": """
__global__ void k(float *m, int pitch) {
    __shared__ float s[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    s[y][x] = m[y * pitch + x];
    __syncthreads();
    m[blockIdx.y * pitch + x] = s[y][x] + s[15 - y][x]; // bad
}
""",
    "rows and columns": """
__global__ void k(float *m, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) m[y * width + x] = x + y;
}
""",
    "a pitch that nothing guards": """
__global__ void k(float *m, size_t pitch) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    m[y * pitch + x] = x + y;
}
""",
    "a sum in one cell": """
__global__ void k(float *sum, const float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) *sum += a[i]; // bad
}
""",
    "neighbours in place": """
__global__ void k(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1) a[i] = a[i + 1]; // bad
}
""",
    "red and black": """
__global__ void k(float *a, int n, int odd) {
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1;
    if (i < n - 1) a[i] = 0.5f * (a[i - 1] + a[i + 1]);
}
""",
    "grid-stride loop": """
__global__ void k(float *a, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) a[i] *= 2;
}
""",
    "the same flag": """
__global__ void k(const int *a, int *changed, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && a[i]) *changed = 1;
}
""",
    "an element for each warp": """
__global__ void k(float *o, const float *a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = a[i];
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
    if (threadIdx.x % 32 == 0) o[i / 32] = v;
}
""",
    "slots counted in shared memory": """
__global__ void k(const int *a, int *o, int n) {
    __shared__ int used;
    if (threadIdx.x == 0) used = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && a[i]) o[atomicAdd(&used, 1)] = i; // bad
}
""",
    "slots counted in global memory": """
__global__ void k(const int *a, int *o, int *used, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && a[i]) o[atomicAdd(used, 1)] = i;
}
""",
}


@pytest.mark.parametrize("name", CUDA)
def test_cuda(name: str) -> None:
    assert_marked(GlobalMemoryRace, CUDA[name])


def test_a_plain_store_through_an_index_is_a_note() -> None:
    code = """
__global__ void k(const int *where, const float *v, float *o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[where[i]] = v[i];
}
"""
    (found,) = findings(GlobalMemoryRace, code)
    assert found.severity is Severity.NOTE
    (lost,) = findings(GlobalMemoryRace, code.replace("] = v", "] += v"))
    assert lost.severity is Severity.WARNING


def test_a_list_of_active_elements_is_no_scatter() -> None:
    code = """
__global__ void k(const int *active, float *x, const float *v, int n) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n) return;
    int i = active[k];
    x[i] += v[i];
}
"""
    assert all(found.severity is Severity.NOTE for found in findings(GlobalMemoryRace, code))


def test_the_grid_decides() -> None:
    code = CUDA["every block writes the same cells"].replace(" // bad", "")
    assert_marked(GlobalMemoryRace, code, block="64,1,1", grid="1,1,1")
    (found,) = findings(GlobalMemoryRace, code, block="64,1,1", grid="4,1,1")
    assert found.severity is Severity.ERROR


def test_a_condition_that_is_known_in_part() -> None:
    code = """
__global__ void k(const float *a, int *flag, int rounds) {
    int fine = 1;
    for (int r = 0; r < rounds && fine; ++r)
        if (a[r] == 0.0f) {
            fine = 0;
            if (threadIdx.x == 0) *flag = -r;
        }
    if (threadIdx.x == 0 && fine) atomicMin(flag, 0);
}
"""
    assert_marked(GlobalMemoryRace, code, block="32,1,1", grid="1,1,1")
    assert findings(GlobalMemoryRace, code.replace("threadIdx.x == 0 && fine", "threadIdx.x < 2 && fine"))
