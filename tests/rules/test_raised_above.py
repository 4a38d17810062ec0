"""The limit of dynamic shared memory, raised only for sizes above some number."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.dynamic_shared_memory_omitted import DynamicSharedMemoryOmitted

from tests.rules.marked import findings

CODE = """
#define CHECK(call) do { if ((call) != cudaSuccess) abort(); } while (0)
constexpr size_t kUnasked = 48 << 10;
__global__ void widest(const float *x, int width, float *to) {
    extern __shared__ float row[];
    STATIC
    for (int i = threadIdx.x; i < width; i += blockDim.x) row[i] = x[i];
    __syncthreads();
    own[threadIdx.x] = row[threadIdx.x % width];
    __syncthreads();
    to[threadIdx.x] = own[(threadIdx.x + 1) % 128];
}
struct Launcher {
    void run(const float *x, int width, float *to, cudaStream_t s) {
        const size_t bytes = SIZE;
        if (TEST) {
            CHECK(cudaFuncSetAttribute(widest, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
        }
        widest<<<1, 128, bytes, s>>>(x, width, to);
        CHECK(cudaGetLastError());
    }
};
"""
OWN = "__shared__ float own[128];"
NONE = "float *own = to;"


@pytest.mark.parametrize(
    ("size", "test", "static", "told"),
    [
        ("12288 * sizeof(float)", "bytes > 48 * 1024", OWN, True),
        ("12288 * sizeof(float)", "bytes > kUnasked", OWN, True),
        ("12288 * sizeof(float)", "bytes >= kUnasked", OWN, False),
        ("12288 * sizeof(float)", "bytes > 48 * 1024", NONE, False),
        ("12000 * sizeof(float)", "bytes > 48 * 1024", OWN, False),
        ("16384 * sizeof(float)", "bytes > 48 * 1024", OWN, False),
        ("width * sizeof(float)", "bytes > 48 * 1024", OWN, True),
        ("width * sizeof(float)", "kUnasked < bytes", OWN, True),
        ("width * sizeof(float)", "bytes > 47 * 1024", OWN, False),
        ("width * sizeof(float)", "bytes > 48 * 1024", NONE, False),
        ("width * sizeof(float)", "bytes > 64 * 1024", NONE, True),
        ("width * sizeof(float)", "bytes + 512 > 48 * 1024", OWN, False),
        ("width * sizeof(float)", "true", OWN, False),
    ],
)
def test_sizes_below_the_test_may_be_refused_too(size: str, test: str, static: str, told: bool) -> None:
    code = CODE.replace("SIZE", size).replace("TEST", test).replace("STATIC", static)
    assert bool(findings(DynamicSharedMemoryOmitted, code)) is told


HELPER = """
#include <cuda_runtime.h>
#define CHECK(call) do { if ((call) != cudaSuccess) abort(); } while (0)
__global__ void sums(const float *x, int n, float *to) {
    extern __shared__ float part[];
    __shared__ float first;
    if (threadIdx.x == 0) first = x[0];
    __syncthreads();
    part[threadIdx.x] = threadIdx.x < n ? x[threadIdx.x] - first : 0.0f;
    __syncthreads();
    to[threadIdx.x] = part[blockDim.x - 1 - threadIdx.x];
}
static void allow(size_t wanted) {
    if (wanted > 49152)
        CHECK(cudaFuncSetAttribute(sums, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)wanted));
}
void run(const float *x, int n, float *to, size_t room) {
    allow(room);
    sums<<<1, 256, room>>>(x, n, to);
    CHECK(cudaGetLastError());
}
"""


def test_so_it_is_where_a_helper_raises_it() -> None:
    assert len(findings(DynamicSharedMemoryOmitted, HELPER)) == 1
    assert not findings(DynamicSharedMemoryOmitted, HELPER.replace("wanted > 49152", "wanted + 4 > 49152"))
    assert not findings(DynamicSharedMemoryOmitted, HELPER.replace("if (wanted > 49152)", ""))
