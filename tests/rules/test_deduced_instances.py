"""Launches that leave the types of a template to their arguments, in a template that is there for several types."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.dynamic_shared_memory_omitted import DynamicSharedMemoryOmitted

from tests.rules.marked import findings

CODE = """
#include <hip/hip_runtime.h>
template <typename T>
__global__ void sums(T const *x, T *y, int n) {
    extern __shared__ char data[];
    T *part = reinterpret_cast<T *>(&data);
    T v = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) v += x[i];
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) y[blockIdx.x] = part[0] + part[1] + part[2] + part[3];
}
template <typename T>
void run(T const *x, T *y, int n, hipStream_t s) {
    int const threads = 128;
    int bytes = (threads / LANES) * sizeof(T);
    hipLaunchKernelGGL(HIP_KERNEL_NAME(WHICH), dim3(4), threads, bytes, s, x, y, n);
}
void all(float *a, float *b, half *c, half *d, int n) {
    run(a, b, n, 0);
    run(c, d, n, 0);
}
"""


@pytest.mark.parametrize("name", ["sums", "sums<T>"])
@pytest.mark.parametrize(("lanes", "told"), [("32", False), ("64", True)])
def test_the_bytes_of_one_type_are_for_the_instance_of_that_type(name: str, lanes: str, told: bool) -> None:
    code = CODE.replace("WHICH", name).replace("LANES", lanes)
    assert bool(findings(DynamicSharedMemoryOmitted, code, "hip")) is told
