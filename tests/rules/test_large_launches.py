"""Launches that are too large for the sizes they are made of: sides that are capped one by one, bytes by a comment."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.dynamic_shared_memory_omitted import DynamicSharedMemoryOmitted
from kernlint_rules.launch.launch_limits import LaunchLimits

from tests.rules.marked import assert_pair, findings

DIVISORS = """
struct Extent { int x, y, z; };
inline int power_in(int n, int most) {
    int d = 1;
    while (2 * d <= most && n % (2 * d) == 0) d *= 2;
    return d;
}
__global__ void fill(float *at, Extent size, float value) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < size.x && y < size.y) at[y * size.x + x] = value;
}
void run(float *at, Extent size, float value) {
    const dim3 block(power_in(size.x, 128), power_in(size.y, 16));  // only bad
    const dim3 block(power_in(size.x, 128), power_in(size.y, 8));  // only good
    fill<<<dim3(size.x / block.x, size.y / block.y), block>>>(at, size, value);  // bad
}
"""

DOUBLED = """
__global__ void gain(float *x, int w, int h) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < w && j < h) x[j * w + i] *= 2.0f;
}
void run(float *x, int w, int h) {
    const int bx = min(w, 64);
    const int by = min(h, 32);  // only bad
    const int by = min(h, 1024 / bx);  // only good
    gain<<<dim3((w + bx - 1) / bx, (h + by - 1) / by), dim3(bx, by)>>>(x, w, h);  // bad
}
"""


@pytest.mark.parametrize("code", [DIVISORS, DOUBLED], ids=["divisors", "minima"])
def test_sides_that_are_capped_one_by_one(code: str) -> None:
    assert_pair(LaunchLimits, code)


TABLE = """
// columns: 1 .. MOST
__global__ void count(const int *x, int *out, int columns) {
    extern __shared__ int table[];
    for (int i = threadIdx.x; i < columns * 32; i += blockDim.x) table[i] = x[i];
    __syncthreads();
    out[threadIdx.x] = table[threadIdx.x % columns];
}
void run(const int *x, int *out, int columns) {
    RAISED
    count<<<1, 256, columns * 32 * sizeof(int)>>>(x, out, columns);
}
"""

RAISE = "cudaFuncSetAttribute(count, cudaFuncAttributeMaxDynamicSharedMemorySize, columns * 32 * sizeof(int));"


@pytest.mark.parametrize(
    ("most", "raised", "bad"), [("512", "", True), ("384", "", False), ("512", RAISE, False), ("many", "", False)]
)
def test_bytes_for_sizes_that_a_comment_allows(most: str, raised: str, bad: bool) -> None:
    code = TABLE.replace("MOST", most).replace("RAISED", raised)
    assert bool(findings(DynamicSharedMemoryOmitted, code)) is bad


ALL_ALONG_Y = """
__global__ void scaled(const float *x, float *y, int n, float by) {
    INDEX
    y[i] = x[i] * by;
}
void run(const float *x, float *y, int n, float by) {
    const dim3 threads(32, 8), blocks(1, (n + SHARE - 1) / SHARE);
    scaled<<<blocks, threads>>>(x, y, n, by);
}
"""


@pytest.mark.parametrize(
    ("index", "share", "bad"),
    [
        ("const int row = blockIdx.y * 8 + threadIdx.y, i = row * 32 + threadIdx.x; if (row >= n) return;", "8", False),
        ("const int i = (blockIdx.y * 8 + threadIdx.y) * 32 + threadIdx.x; if (i >= n) return;", "256", True),
    ],
)
def test_rows_as_long_as_a_block_are_not_all_the_work(index: str, share: str, bad: bool) -> None:
    assert bool(findings(LaunchLimits, ALL_ALONG_Y.replace("INDEX", index).replace("SHARE", share))) is bad


REQUIRED = """
#include <CL/cl.h>
static const char *text = "__kernel BOUNDS void clear(__global float *x) { x[get_global_id(0)] = 0; }";
void run(cl_context c, cl_command_queue q, cl_mem x) {
    cl_int err;
    cl_program p = clCreateProgramWithSource(c, 1, &text, 0, &err);
    cl_kernel k = clCreateKernel(p, "clear", &err);
    clSetKernelArg(k, 0, sizeof(cl_mem), &x);
    size_t threads = 4096, block = BLOCK;
    clEnqueueNDRangeKernel(q, k, 1, NULL, &threads, &block, 0, NULL, NULL);
}
"""


@pytest.mark.parametrize(("block", "told"), [(1, True), (128, True), (64, False)])
def test_a_block_is_to_be_the_one_that_a_kernel_requires(block: int, told: bool) -> None:
    code = REQUIRED.replace("BOUNDS", "__attribute__((reqd_work_group_size(64, 1, 1)))").replace("BLOCK", str(block))
    found = findings(LaunchLimits, code)
    assert bool(found) is told
    assert all(one.fix is not None and "it requires" in one.fix.description for one in found)
