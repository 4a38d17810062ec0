"""Elements whose type is an argument of a template that no code in sight gives: how many bytes they take is a guess."""

from __future__ import annotations

from kernlint_rules.launch.kernel_argument_mismatch import KernelArgumentMismatch

from tests.rules.marked import findings

CODE = """
#include "status.h"
template <typename T, typename F>
__global__ void convert(T *out, F *in, long long n) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n) out[i] = (T)in[i];
}
template <typename T, typename F>
void start(T *out, const F *in, long long n) {
    convert<<<(n + 255) / 256, 256>>>(out, in, n);
}
template <typename C>
STATUS run(C *unused, ITEM *mask, long long *out, long long n) {
    cudaMalloc((void **)&mask, n);
    cudaMemset(mask, 0, n);
    start(out, mask, n);
    cudaFree(mask);
    return success();
}
"""
GIVEN = "template void start<long long, int>(long long *, const int *, long long);"


def test_bytes_of_elements_that_nobody_gives_are_not_counted() -> None:
    assert not findings(KernelArgumentMismatch, CODE.replace("ITEM", "signed char"))


def test_bytes_of_elements_that_are_given_are() -> None:
    code = CODE.replace("STATUS", "int").replace("success()", "0").replace("ITEM", "int") + GIVEN
    assert findings(KernelArgumentMismatch, code)
