"""Allocations in sight: rows are no longer than they are apart, and sizes are what comments say."""

import pytest
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from kernlint import registry
from tests.rules.marked import assert_marked, findings

RULE = registry.load().get("KL102")

ROWS = """\
#include <cuda_runtime.h>
struct Surface { int width, height, pitch; };
__global__ void convert(const unsigned char *src, int pitch, float *dst, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y %s height) return;
    dst[y * width + x] = src[y * pitch + x];%s
}
void run(Surface s, float *dst) {
    unsigned char *src;
    cudaMalloc(&src, s.pitch * s.height);
    dim3 block(32, 8), grid((s.width + 31) / 32, (s.height + 7) / 8);
    convert<<<grid, block>>>(src, s.pitch, dst, s.width, s.height);
    cudaFree(src);
}
"""


def test_a_pitch_is_as_large_as_the_row():
    assert_marked(RULE, ROWS % (">=", ""))
    assert_marked(RULE, ROWS % (">", "  // bad"))


CHROMA = """\
#include <cuda_runtime.h>
__global__ void colour(const unsigned char *in, unsigned char *out, int width, int height) {%s
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    out[y * width + x] = in[width * height + y / 2 * width + (x & ~1)];%s
}
void run(unsigned char *out, int width, int height) {
    unsigned char *in;
    int luma = width * height;
    cudaMalloc(&in, luma + luma / 2);
    dim3 block(32, 8), grid((width + 31) / 32, (height + 7) / 8);
    colour<<<grid, block>>>(in, out, width, height);
    cudaFree(in);
}
"""


@pytest.mark.parametrize(("said", "bad"), [("  // width and height are even", ""), ("", "  // bad")])
def test_sizes_are_what_comments_call_them(said, bad):
    assert_marked(RULE, CHROMA % (said, bad))


PADDED = """\
#include <cuda_runtime.h>
__global__ void widen(const unsigned char *src, float *dst, int width, int height, int pitch) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= pitch || y >= height) return;
    dst[y * pitch + x] = x < width ? src[y * width + x] : 0.0f;%s
}
float *padded(const unsigned char *src, int width, int height) {
    const int pitch = (width + 31) / 32 * 32;
    float *dst = nullptr;
    cudaMalloc(&dst, sizeof(float) * %s * height);
    dim3 block(32, 8), grid(pitch / 32, (height + 7) / 8);
    widen<<<grid, block>>>(src, dst, width, height, pitch);
    return dst;
}
"""


@pytest.mark.parametrize(("mark", "row"), [("  // bad", "width"), ("", "pitch")])
def test_what_is_a_multiple_anyway_says_nothing_of_its_parts(mark: str, row: str) -> None:
    assert_marked(RULE, PADDED % (mark, row))


RECORDS = """\
#include <cuda_runtime.h>
__global__ void set_up(float *all, int n, int length, int ports) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i @test n) {
        float *own = all + i * length;
        @store
    }
}
void run(int n, int length, int ports) {
    float *all;
    cudaMalloc(&all, n * length * sizeof(float));
    set_up<<<n / 256 + 1, 256>>>(all, n, length, ports);
    cudaFree(all);
}
"""


@pytest.mark.parametrize(
    ("test", "store", "bad"),
    [
        ("<", "own[0] = 1; own[18] = 2;", False),
        ("<", "for (int k = 0; k < (ports - 3) / 2; ++k) own[14 + 3 * k] = k;", False),
        ("<", "for (int k = 0; k <= length; ++k) own[k] = k;", True),
        ("<", "own[length] = 1;", True),
        ("<=", "own[0] = 1;", True),
    ],
)
def test_rows_are_as_long_as_what_a_thread_puts_there(test: str, store: str, bad: bool) -> None:
    """Nothing in sight says how long rows are: they are long enough for a place that rests on no thread."""
    code = RECORDS.replace("@test", test).replace("@store", store)
    assert bool(findings(WrongBoundsGuard, code)) is bad


FIXED = """\
#include <cuda_runtime.h>
template <int N> __global__ void fill(float *all, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i @test n)
        for (int k = 0; k < N; ++k) all[i * N + k] = k;
}
void run(int n, int length) {
    float *all;
    cudaMalloc(&all, n * @length * sizeof(float));
    fill<22><<<n / 256 + 1, 256>>>(all, n);
    cudaFree(all);
}
"""


@pytest.mark.parametrize(
    ("test", "length", "bad"), [("<", "length", False), ("<", "20", True), ("<", "22", False), ("<=", "22", True)]
)
def test_a_length_that_the_kernel_does_not_know_is_its_own(test: str, length: str, bad: bool) -> None:
    code = FIXED.replace("@test", test).replace("@length", length)
    assert bool(findings(WrongBoundsGuard, code)) is bad
