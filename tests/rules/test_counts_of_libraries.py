"""Libraries that count in elements: given bytes, or more elements than there are."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.byte_count_mismatch import ByteCountMismatch

from kernlint.apis.libraries import Counts, counts_of
from tests.rules.marked import assert_marked


def test_names_of_the_libraries() -> None:
    assert counts_of("cublasSaxpy_v2") == counts_of("hipblasSaxpy") == Counts((1,), ((3, 4), (5, 6)), 4)
    assert counts_of("cub::DeviceScan::ExclusiveSum") == counts_of("hipcub::DeviceScan::ExclusiveSum")
    assert counts_of("ncclAllReduce") is not None and counts_of("cublasCreate_v2") is None
    assert counts_of("cudaMemcpy") is None and counts_of("Saxpy") is None


@pytest.mark.parametrize(
    "call",
    [
        "curandGenerateUniform(gen, x, n * sizeof(float));",
        "cublasSetVector(n * sizeof(float), sizeof(float), host, 1, x, 1);",
        "cublasSaxpy(blas, sizeof(float) * n, &one, x, 1, y, 1);",
        "ncclAllReduce(x, y, n * sizeof(float), ncclFloat, ncclSum, comm, stream);",
        "cub::DeviceScan::ExclusiveSum(scratch, bytes, x, y, n * sizeof(float), stream);",
    ],
)
def test_bytes_for_elements(call: str) -> None:
    head = """#include <cublas_v2.h>
#include <cub/cub.cuh>
#include <curand.h>
#include <nccl.h>
void f(curandGenerator_t gen, cublasHandle_t blas, ncclComm_t comm, cudaStream_t stream, float *x, float *y,
       const float *host, void *scratch, int n) {
    const float one = 1;
    size_t bytes = 0;
"""
    assert_marked(ByteCountMismatch, f"{head}    {call}  // bad\n}}\n")
    right = call.replace("n * sizeof(float)", "n").replace("sizeof(float) * n", "n")
    assert_marked(ByteCountMismatch, f"{head}    {right}\n}}\n")


def test_more_elements_than_there_are() -> None:
    code = """#include <cublas_v2.h>
double norm(cublasHandle_t blas, const double *host, int n, int stride) {
    double *x = nullptr, result = 0;
    cudaMalloc(&x, (n - 1) * sizeof(double));
    cublasSetVector(n, sizeof(double), host, 1, x, 1);  // bad
    cublasDnrm2(blas, n, x, 1, &result);  // bad
    cublasDnrm2(blas, n / 2, x, 1, &result);
    cublasDnrm2(blas, n, x, stride, &result);
    cudaFree(x);
    return result;
}
"""
    assert_marked(ByteCountMismatch, code)
    assert_marked(ByteCountMismatch, code.replace("(n - 1)", "n").replace("  // bad", ""))


PLANS = """#include <cufft.h>
class Spectrum {
public:
    Spectrum(int rows, int n) {
        cudaMalloc(&in_, sizeof(cufftReal) * rows * n);
        cudaMalloc(&out_, sizeof(cufftComplex) * rows * (n / 2 + 1));
        cufftPlan2d(&plan_, rows, n, CUFFT_R2C);
        cufftPlan2d(&back_, rows, n, CUFFT_C2R);
    }
    void run() {
        cufftExecR2C(plan_, in_, out_);
        cufftExecC2R(back_, out_, in_);
    }
private:
    cufftReal *in_ = nullptr;
    cufftComplex *out_ = nullptr;
    cufftHandle plan_, back_;
};
"""


def test_transforms_of_real_numbers_have_one_more_than_half() -> None:
    assert_marked(ByteCountMismatch, PLANS)
    short = PLANS.replace("(n / 2 + 1)", "(n / 2)")
    short = short.replace("in_, out_);", "in_, out_);  // bad").replace("out_, in_);", "out_, in_);  // bad")
    assert_marked(ByteCountMismatch, short)
