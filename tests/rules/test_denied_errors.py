"""Functions that hand on the errors of calls, and say behind a launch that there was none."""

from __future__ import annotations

from kernlint_rules.launch.unchecked_launch import UncheckedLaunch

from tests.rules.marked import assert_marked, assert_pair

SPREAD = """
__global__ void spread(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 2; }
cudaError_t spread_all(float *x, int n, cudaStream_t s) {
    cudaError_t status = cudaMemsetAsync(x, 0, n * sizeof(float), s);
    if (status != cudaSuccess) return status;
    spread<<<(n + 63) / 64, 64, 0, s>>>(x, n);  // bad
    return cudaSuccess;  // only bad
    return cudaGetLastError();  // only good
}
"""


def test_success_behind_a_launch() -> None:
    assert_pair(UncheckedLaunch, SPREAD)


QUIET = """
__global__ void spread(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 2; }
cudaError_t asked(float *x, int n) {
    cudaError_t status = cudaMemset(x, 0, n * sizeof(float));
    if (status != cudaSuccess) return status;
    spread<<<(n + 63) / 64, 64>>>(x, n);
    if ((status = cudaGetLastError()) != cudaSuccess) return status;
    return cudaSuccess;
}
bool look(const char *where);
cudaError_t looked(float *x, int n) {
    cudaError_t status = cudaMemset(x, 0, n * sizeof(float));
    if (status != cudaSuccess) return status;
    spread<<<(n + 63) / 64, 64>>>(x, n);
    look("spread");
    return cudaSuccess;
}
cudaError_t inner(float *x, int n) {
    if (n == 0) return cudaSetDevice(0);
    spread<<<(n + 63) / 64, 64>>>(x, n);
    return cudaSuccess;
}
cudaError_t outer(float *x, int n) {
    cudaError_t status = inner(x, n);
    return status != cudaSuccess ? status : cudaGetLastError();
}
int main() {
    float *x;
    cudaError_t status = cudaMalloc(&x, 256);
    if (status != cudaSuccess) return status;
    spread<<<1, 64>>>(x, 64);
    if (cudaGetLastError() != cudaSuccess) return 1;
    return 0;
}
"""


def test_where_somebody_looks() -> None:
    assert_marked(UncheckedLaunch, QUIET)
