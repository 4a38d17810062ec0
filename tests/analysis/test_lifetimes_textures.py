"""Texture objects and the memory that they read; page-locked memory of the host."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.device_use_after_free import DeviceUseAfterFree

from tests.rules.marked import findings

TABLE = """
__global__ void sample(cudaTextureObject_t t, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1D<float>(t, i + 0.5f);
}
static cudaTextureObject_t over(cudaArray_t array) {
    cudaResourceDesc how = {};
    how.resType = cudaResourceTypeArray;
    how.res.array.array = array;
    cudaTextureDesc read = {};
    cudaTextureObject_t made = 0;
    cudaCreateTextureObject(&made, &how, &read, nullptr);
    return made;
}
void run(float *out, int n, bool last) {
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaArray_t array, other;
    cudaMallocArray(&array, &desc, n);
    cudaMallocArray(&other, &desc, n);
    cudaTextureObject_t t = over(array);
    BEFORE
    sample<<<(n + 63) / 64, 64>>>(t, out, n);
    AFTER
}
"""


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("", "cudaDestroyTextureObject(t); cudaFreeArray(array); cudaFreeArray(other);", 0),
        ("cudaFreeArray(array);", "cudaDestroyTextureObject(t); cudaFreeArray(other);", 1),
        ("cudaFreeArray(other);", "cudaDestroyTextureObject(t); cudaFreeArray(array);", 0),
        ("if (last) cudaFreeArray(array);", "cudaDestroyTextureObject(t);", 1),
        ("cudaDestroyTextureObject(t);", "cudaFreeArray(array); cudaFreeArray(other);", 1),
        ("cudaFreeArray(array); t = over(other);", "cudaDestroyTextureObject(t); cudaFreeArray(other);", 0),
    ],
)
def test_memory_behind_a_texture(before: str, after: str, told: int) -> None:
    code = TABLE.replace("BEFORE", before).replace("AFTER", after)
    assert len(findings(DeviceUseAfterFree, code)) == told


LOCKED = """#include <stdlib.h>
int run(int n) {
    int *h = (int *)malloc(n * sizeof(int));
    if (!h) return 1;
    if (cudaHostRegister(h, n * sizeof(int), cudaHostRegisterMapped) != cudaSuccess) { free(h); return 1; }
    LAST
    return 0;
}
"""


@pytest.mark.parametrize(
    ("last", "told"), [("cudaHostUnregister(h); free(h);", 0), ("free(h); cudaHostUnregister(h);", 1), ("free(h);", 0)]
)
def test_page_locked_memory_is_unlocked_before_it_is_freed(last: str, told: int) -> None:
    assert len(findings(DeviceUseAfterFree, LOCKED.replace("LAST", last))) == told
