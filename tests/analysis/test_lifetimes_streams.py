"""Kernels that read what a kernel on another stream writes."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.unsynchronised_host_read import UnsynchronisedHostRead

from tests.rules.marked import findings

TWO = """
__global__ void grade(float *mark, int from, int to) {
    int i = from + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < to) mark[i] = 1.5f * i;
}
__global__ void look(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}
void run(const float *seen, float *mark, float *best, int n) {
    cudaStream_t one, two, many[2];
    cudaEvent_t done;
    cudaStreamCreate(&one);
    cudaStreamCreate(&two);
    cudaStreamCreate(&many[0]);
    cudaStreamCreate(&many[1]);
    cudaEventCreate(&done);
    FIRST
    BETWEEN
    SECOND
    cudaDeviceSynchronize();
    cudaStreamDestroy(one);
    cudaStreamDestroy(two);
    cudaStreamDestroy(many[0]);
    cudaStreamDestroy(many[1]);
    cudaEventDestroy(done);
}
"""
WRITES = "grade<<<8, 128, 0, one>>>(mark, 0, n);"
READS = "look<<<8, 128, 0, two>>>(mark, best, n);"


@pytest.mark.parametrize(
    ("first", "between", "second", "told"),
    [
        (WRITES, "", READS, True),
        (WRITES.replace("one", "many[0]"), "", READS.replace("two", "many[1]"), True),
        (WRITES, "cudaEventRecord(done, one);", READS, True),
        (WRITES, "cudaEventRecord(done, one); cudaStreamWaitEvent(two, done, 0);", READS, False),
        (WRITES, "cudaStreamSynchronize(one);", READS, False),
        (WRITES, "look<<<8, 128>>>(seen, best, n);", READS, False),
        (WRITES, "", READS.replace("two", "one"), False),
        (WRITES, "", READS.replace("(mark", "(seen"), False),
        (WRITES, "", "look<<<8, 128, 0, two>>>(mark + n / 2, best, n / 2);", False),
        (WRITES.replace("one", "many[n % 2]"), "", READS.replace("two", "many[1]"), False),
        (WRITES, "grade<<<8, 128, 0, two>>>(mark, n / 2, n);", READS, False),
        ("look<<<8, 128, 0, one>>>(mark, best, n);", "", READS.replace("best", "best + n"), False),
    ],
)
def test_a_kernel_that_is_not_behind_another_one(first: str, between: str, second: str, told: bool) -> None:
    code = TWO.replace("FIRST", first).replace("BETWEEN", between).replace("SECOND", second)
    found = [one for one in findings(UnsynchronisedHostRead, code) if "the one that writes mark" in one.message]
    assert bool(found) is told


def test_streams_of_the_caller_may_be_in_order() -> None:
    code = """
__global__ void grade(float *mark, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) mark[i] = i; }
__global__ void look(const float *in, float *out, int n) { if (threadIdx.x < n) out[threadIdx.x] = in[threadIdx.x]; }
void run(float *mark, float *best, int n, cudaStream_t one, cudaStream_t two) {
    grade<<<8, 128, 0, one>>>(mark, n);
    look<<<1, 128, 0, two>>>(mark, best, n);
}
"""
    assert not findings(UnsynchronisedHostRead, code)
