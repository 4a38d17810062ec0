"""Kernels on streams that do not wait for the fill of what they are given."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.unsynchronised_host_read import UnsynchronisedHostRead

from tests.rules.marked import findings

FILLED = """
__global__ void add(const int *x, int n, int *sum) { int i = threadIdx.x; if (i < n) atomicAdd(sum, x[i]); }
struct Worker {
    cudaStream_t own{}, other{};
    cudaEvent_t event{};
    Worker() { cudaStreamCreateWithFlags(&own, FLAGS); cudaStreamCreate(&other); cudaEventCreate(&event); }
    ~Worker() { cudaStreamDestroy(own); cudaStreamDestroy(other); cudaEventDestroy(event); }
    Worker(const Worker &) = delete;
    cudaStream_t native() const { return own; }
    void run(const int *x, int n, int *to) {
        int *sum = nullptr, *scratch = nullptr;
        cudaMalloc(&sum, sizeof(int));
        cudaMalloc(&scratch, sizeof(int));
        FILL
        BETWEEN
        add<<<1, 64, 0, STREAM>>>(x, n, sum);
        cudaMemcpyAsync(to, sum, sizeof(int), cudaMemcpyDeviceToHost, own);
        cudaDeviceSynchronize();
        cudaFree(sum);
        cudaFree(scratch);
    }
};
"""
ON_DEFAULT = "cudaMemsetAsync(sum, 0, sizeof(int));"
ON_OWN = "cudaMemsetAsync(sum, 0, sizeof(int), own);"
APART = "cudaStreamNonBlocking"


@pytest.mark.parametrize(
    ("fill", "between", "stream", "flags", "told"),
    [
        (ON_DEFAULT, "", "native()", APART, True),
        (ON_DEFAULT, "", "own", APART, True),
        ("cudaMemsetAsync(sum, 0, sizeof(int), 0);", "", "own", APART, True),
        (ON_OWN, "", "0", APART, True),
        (ON_OWN, "", "native()", APART, False),
        (ON_DEFAULT, "", "0", APART, False),
        (ON_DEFAULT, "", "native()", "cudaStreamDefault", False),
        (ON_DEFAULT, "", "other", APART, False),
        ("cudaMemset(sum, 0, sizeof(int));", "", "own", APART, False),
        (ON_DEFAULT, "cudaStreamSynchronize(0);", "own", APART, False),
        (ON_DEFAULT, "cudaDeviceSynchronize();", "own", APART, False),
        (ON_DEFAULT, "cudaEventRecord(event); cudaStreamWaitEvent(own, event, 0);", "own", APART, False),
        (ON_DEFAULT, "cudaMemcpy(to, x, sizeof(int), cudaMemcpyDeviceToHost);", "own", APART, False),
        (ON_DEFAULT, "cudaFree(scratch); scratch = nullptr;", "own", APART, False),
        (ON_DEFAULT.replace("sum, 0", "scratch, 0"), "", "own", APART, False),
    ],
)
def test_a_kernel_that_is_not_behind_the_fill(fill: str, between: str, stream: str, flags: str, told: bool) -> None:
    code = FILLED.replace("FILL", fill).replace("BETWEEN", between).replace("STREAM", stream).replace("FLAGS", flags)
    found = findings(UnsynchronisedHostRead, code)
    assert sum("fill of sum" in one.message for one in found) == told
