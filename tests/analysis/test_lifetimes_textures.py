"""Memory that others reach by what was made of it: textures, graphs; page-locked memory of the host."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.device_use_after_free import DeviceUseAfterFree
from kernlint_rules.launch.unsynchronised_host_read import UnsynchronisedHostRead

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


GRAPH = """
__global__ void add(const float *in, float *sum, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sum[i] += in[i];
}
void replay(const float *in, float *out, int n, cudaStream_t s) {
    float *sum, *other;
    cudaMalloc(&sum, n * sizeof(float));
    cudaMalloc(&other, n * sizeof(float));
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    add<<<(n + 63) / 64, 64, 0, s>>>(in, sum, n);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&x, g, nullptr, nullptr, 0);
    BEFORE
    cudaGraphLaunch(x, s);
    cudaStreamSynchronize(s);
}
"""


@pytest.mark.parametrize(
    ("before", "told"),
    [("", 0), ("cudaFree(sum);", 1), ("cudaFree(other);", 0), ("cudaFree(sum); cudaGraphExecDestroy(x);", 0)],
)
def test_memory_that_a_graph_was_captured_with(before: str, told: int) -> None:
    assert len(findings(DeviceUseAfterFree, GRAPH.replace("BEFORE", before))) == told


def test_the_library_writes_what_is_still_copied() -> None:
    code = """#include <string.h>
struct Engine {
    float *kept, *d;
    cudaStream_t s;
    int n;
    void init() { cudaMallocHost(&kept, n * 4); cudaMalloc(&d, n * 4); }
    void end() { cudaFreeHost(kept); cudaFree(d); }
    void push(const float *k, const float *v) {
        memcpy(kept, k, n * 4);
        cudaMemcpyAsync(d, kept, n * 4, cudaMemcpyHostToDevice, s);
        WAIT
        memcpy(kept, v, n * 4);
        cudaMemcpyAsync(d, kept, n * 4, cudaMemcpyHostToDevice, s);
        cudaStreamSynchronize(s);
    }
};
"""
    assert len(findings(UnsynchronisedHostRead, code.replace("WAIT", ""))) == 1
    assert not findings(UnsynchronisedHostRead, code.replace("WAIT", "cudaStreamSynchronize(s);"))
