"""Fills of the first of several records that a kernel adds to."""

from __future__ import annotations

from kernlint_rules.launch.kernel_argument_mismatch import KernelArgumentMismatch

from tests.rules.marked import assert_marked, assert_pair

SUMS = """
__global__ void summed(const float *x, float *rows, int width, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < width * count) atomicAdd(&rows[(i / width) * 8], x[i]);
}
void sums(const float *x, float *rows, int width, int count, cudaStream_t s) {
    cudaMemsetAsync(rows, 0, sizeof(float), s);  // bad  // only bad
    cudaMemsetAsync(rows, 0, count * 8 * sizeof(float), s);  // only good
    summed<<<(width * count + 127) / 128, 128, 0, s>>>(x, rows, width, count);
}
"""


def test_one_record_of_several() -> None:
    assert_pair(KernelArgumentMismatch, SUMS)


ROUNDS = """
__global__ void digits(const unsigned *keys, unsigned *bins, int pass) {
    unsigned key = keys[blockIdx.x * blockDim.x + threadIdx.x];
    atomicAdd(&bins[pass * 32 + threadIdx.x % 32], key >> pass);
}
void counted(const unsigned *keys, unsigned *bins, int blocks) {
    cudaMemset(bins, 0, 32 * sizeof(unsigned));  // bad  // only bad
    cudaMemset(bins, 0, 4 * 32 * sizeof(unsigned));  // only good
    for (int pass = 0; pass < 4; ++pass) digits<<<blocks, 64>>>(keys, bins, pass);
}
"""


def test_one_round_of_several() -> None:
    assert_pair(KernelArgumentMismatch, ROUNDS)


QUIET = """
__global__ void seen(const float *x, unsigned *found, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] > 0.5f) atomicAdd(found, 1u);
    if (i < n) atomicMax(found + 1, i);
}
void counted(const float *x, unsigned *found, int n) {
    cudaMemset(found, 0, sizeof(unsigned));
    seen<<<(n + 127) / 128, 128>>>(x, found, n);
}
__global__ void tallied(const int *x, unsigned *bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[x[i]], 1u);
}
void tally(const int *x, unsigned *bins, int n) {
    cudaMemset(bins, 0, sizeof(unsigned));
    tallied<<<(n + 127) / 128, 128>>>(x, bins, n);
}
__global__ void lanes(const float *x, float *sums) { atomicAdd(&sums[blockIdx.x], x[threadIdx.x]); }
void one(const float *x, float *sums) {
    cudaMemset(sums, 0, sizeof(float));
    lanes<<<1, 128>>>(x, sums);
}
void each(const float *x, float *sums, int n) {
    cudaMemset(sums, 0, sizeof(float));
    cudaMemset(sums + 1, 0, (n - 1) * sizeof(float));
    lanes<<<n, 128>>>(x, sums);
}
void rounds(const float *x, float *sums, int n) {
    for (int i = 0; i < n; ++i) cudaMemset(sums + i, 0, sizeof(float));
    lanes<<<n, 128>>>(x, sums);
}
"""


def test_where_all_that_is_added_to_is_filled_or_nobody_knows() -> None:
    assert_marked(KernelArgumentMismatch, QUIET)
