"""Libraries that count in elements: given bytes, or more elements than there are."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.byte_count_mismatch import ByteCountMismatch

from kernlint.apis.libraries import Counts, counts_of
from tests.rules.marked import assert_marked, findings


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


GEMM = """#include <cublas_v2.h>
void multiply(cublasHandle_t h, const float *a, const float *b, float *c, int m, int n, int k) {
    const float one = 1.0f, zero = 0.0f;
    CHECK
    cublasSgemm(h, OPS, m, n, k, &one, a, LDA, b, LDB, &zero, c, LDC);
}
"""


@pytest.mark.parametrize(
    ("ops", "dims", "check", "told"),
    [
        ("CUBLAS_OP_N, CUBLAS_OP_N", ("m", "k", "m"), "", 0),
        ("CUBLAS_OP_T, CUBLAS_OP_N", ("k", "k", "m"), "", 0),
        ("CUBLAS_OP_T, CUBLAS_OP_N", ("m", "k", "m"), "", 1),
        ("CUBLAS_OP_N, CUBLAS_OP_T", ("m", "n", "m"), "", 0),
        ("CUBLAS_OP_N, CUBLAS_OP_N", ("m", "k", "n"), "", 1),
        ("CUBLAS_OP_N, CUBLAS_OP_N", ("m", "k", "n"), "if (m != n) return;", 0),
        ("CUBLAS_OP_N, CUBLAS_OP_N", ("m + 4", "k", "m"), "", 0),
        ("CUBLAS_OP_N, CUBLAS_OP_N", ("m - 1", "k", "m"), "", 1),
    ],
)
def test_leading_dimensions(ops: str, dims: tuple[str, str, str], check: str, told: int) -> None:
    code = GEMM.replace("OPS", ops).replace("CHECK", check)
    for name, given in zip(("LDA", "LDB", "LDC"), dims, strict=True):
        code = code.replace(name, given)
    found = findings(ByteCountMismatch, code)
    assert len(found) == told and all("leading dimension" in one.message for one in found)


@pytest.mark.parametrize(("end", "told"), [("x + n", 0), ("x + n * sizeof(int)", 1), ("x + n / 2", 0)])
def test_ranges_of_thrust(end: str, told: int) -> None:
    code = f"""#include <thrust/sort.h>
#include <thrust/execution_policy.h>
void sort(int n) {{
    int *x;
    cudaMalloc(&x, n * sizeof(int));
    thrust::sort(thrust::device, x, {end});
    cudaFree(x);
}}
"""
    assert len(findings(ByteCountMismatch, code)) == told


@pytest.mark.parametrize(("size", "told"), [("sizeof(double)", 0), ("sizeof(int)", 1), ("2 * sizeof(double)", 0)])
def test_pieces_that_overwrite_each_other(size: str, told: int) -> None:
    code = f"""#include <CL/cl.h>
void send(cl_command_queue *queues, cl_mem whole, double *from, int devices) {{
    for (int i = 0; i < devices; i++)
        clEnqueueWriteBuffer(queues[i], whole, CL_TRUE, i * 16 * {size}, 16 * sizeof(double), from + i * 16, 0, 0, 0);
}}
"""
    assert len(findings(ByteCountMismatch, code)) == told
