"""Hosts in C that launch kernels by CUDA's driver API bind to them as hosts in C++ do."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.test_launches_elsewhere import found

KERNELS = """
extern "C" __global__ void mirror(const float *in, float *out, long long n) {
    __shared__ float held[64];
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    held[threadIdx.x] = i < n ? in[i] : 0.0f;
    __syncwarp();
    if (i < n) out[i] = held[blockDim.x - 1 - threadIdx.x];
}
"""

HOST = """
#include <cuda.h>
struct plan { CUmodule module; CUfunction mirror; };
CUresult plan_load(struct plan *plan, const char *file) {
    CUresult err = cuModuleLoad(&plan->module, file);
    return err != CUDA_SUCCESS ? err : cuModuleGetFunction(&plan->mirror, plan->module, "mirror");
}
static CUresult start(CUfunction function, int n, unsigned threads, void **args) {
    return cuLaunchKernel(function, (n + threads - 1) / threads, 1, 1, threads, 1, 1, 0, NULL, args, NULL);
}
CUresult mirrored(const struct plan *plan, CUdeviceptr in, CUdeviceptr out, COUNT) {
    void *args[] = {&in, &out, &n};
    return start(plan->mirror, n, THREADS, args);
}
"""


@pytest.mark.parametrize(
    ("threads", "count", "bad"),
    [
        ("32", "long long n", []),
        ("64", "long long n", ["mirror.cu:shared-memory-race"]),
        ("32", "int n", ["host.c:kernel-argument-mismatch"]),
    ],
)
def test_blocks_and_arguments(tmp_path: Path, threads: str, count: str, bad: list[str]) -> None:
    host = HOST.replace("THREADS", threads).replace("COUNT", count)
    assert found(tmp_path, {"mirror.cu": KERNELS, "host.c": host}) == bad
