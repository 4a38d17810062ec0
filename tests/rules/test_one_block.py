"""Blocks do not race where every launch in sight has one: in CUDA, and in OpenCL with one work-group."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.barrier_divergence import BarrierDivergence
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace

from tests.rules.marked import findings

SCANNED = """
#include <cub/cub.cuh>
namespace ns {
template <int B, int I> __global__ void total(int n, const int *in, int *num) {
    typedef cub::BlockScan<int, B> Scan;
    __shared__ typename Scan::TempStorage scan;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int s[I], r[I];
    for (int k = 0; k < I; k++) s[k] = i * I + k < n ? in[i * I + k] : 0;
    Scan(scan).InclusiveSum<I>(s, r);
    if (threadIdx.x == 0) *num = r[0];
}
void run(const int *in, int n, int *num) {
    constexpr int T = 128;
    total<T, 2><<<BLOCKS, T>>>(n, in, num);
}
}
"""
"""A call that clang does not accept (its ``template`` is left out) keeps the front end from the instance."""


@pytest.mark.parametrize(("blocks", "bad"), [("1", False), ("(n + T - 1) / T", True)])
def test_a_launch_counts_whose_kernel_is_known_by_its_name_alone(blocks: str, bad: bool) -> None:
    assert bool(findings(GlobalMemoryRace, SCANNED.replace("BLOCKS", blocks))) is bad


GROUP = """
#include <CL/cl.h>
static const char *source = R"(
__kernel void last(__global float *part, __global float *out, __local float *sh, int n) {
    int l = get_local_id(0);
    int g = get_global_id(0);
    sh[l] = g < n ? part[g] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = get_local_size(0) / 2; d > 0; d >>= 1) {
        if (l < d) sh[l] += sh[l + d];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) out[0] = sh[0];
}
)";
void run(cl_context c, cl_command_queue q, cl_program p, cl_mem a, cl_mem b, int n, size_t local) {
    size_t all = (n + local - 1) / local * local;
    cl_kernel k = clCreateKernel(p, "last", nullptr);
    clSetKernelArg(k, 0, sizeof(a), &a);
    clSetKernelArg(k, 1, sizeof(b), &b);
    clSetKernelArg(k, 2, local * sizeof(float), nullptr);
    clSetKernelArg(k, 3, sizeof(n), &n);
    clEnqueueNDRangeKernel(q, k, 1, nullptr, &ALL, &local, 0, nullptr, nullptr);
}
"""


@pytest.mark.parametrize(("items", "bad"), [("local", False), ("all", True)])
def test_a_range_as_large_as_its_group_is_one_group(items: str, bad: bool) -> None:
    assert bool(findings(GlobalMemoryRace, GROUP.replace("ALL", items))) is bad


ONE_OR_ALL = """
template <class T> __global__ void weights(const T *x, T *work, T *y, int n, int rows, int row) {
    int k = row >= 0 ? row : blockIdx.x;
    if (k >= rows) return;
    T *mine = row >= 0 ? work : work + (size_t)k * n;
    for (int b = threadIdx.x; b < n; b += blockDim.x) mine[b] = T(blockIdx.x) * x[b * rows + k];
    __syncthreads();
    for (int b = threadIdx.x; b < n; b += blockDim.x) y[(size_t)k * n + b] = mine[n - 1 - b];
}
template <class T> void all(const T *x, T *work, T *y, int n, int rows, int threads) {
    weights<T><<<rows, threads>>>(x, work, y, n, rows, -1);
}
template <class T> void each(const T *x, T *work, T *y, int n, int rows, int threads) {
    for (int k = 0; k < rows; ++k) weights<T><<<BLOCKS, threads>>>(x, work, y, n, rows, k);
}
"""
"""Each launch is right as a whole: the row that one of them names with the blocks of the other would not be."""


@pytest.mark.parametrize(("blocks", "bad"), [("1", False), ("rows", True)])
def test_a_template_that_nobody_instantiates_is_run_as_its_launches_say(blocks: str, bad: bool) -> None:
    assert bool(findings(GlobalMemoryRace, ONE_OR_ALL.replace("BLOCKS", blocks))) is bad


HABIT = """
#include <hip/hip_runtime.h>
__global__ void both_ways(float *y, const float *x, int width, int height) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width) return;
    for (int k = 0; k < height; ++k) y[k * width + i] = x[k * width + i];
    __syncthreads();
    for (int k = height - 1; k >= 0; --k) y[k * width + i] += x[k * width + i];
}
void run(float *y, const float *x, int width, int height, int threads) {
    both_ways<<<BLOCKS, threads>>>(y, x, width, height);
}
"""


@pytest.mark.parametrize(
    ("blocks", "bad"), [("width / threads", False), ("(width + threads - 1) / threads", True), ("64", True)]
)
def test_no_thread_fails_a_test_against_what_the_grid_was_rounded_down_from(blocks: str, bad: bool) -> None:
    assert bool(findings(BarrierDivergence, HABIT.replace("BLOCKS", blocks), "hip")) is bad


UNTESTED = """
__global__ void relax(unsigned *d, unsigned n, unsigned k) {
    int x = threadIdx.x + blockIdx.x * blockDim.x, y = AXIS;
    unsigned now = d[y * n + k] + d[k * n + x];
    if (now < d[y * n + x]) d[y * n + x] = now + blockIdx.y;
}
void run(unsigned *d, size_t *items, size_t *group, unsigned k) {
    relax<<<dim3(items[0] / group[0], items[1] / group[1]), dim3(group[0], group[1])>>>(d, 256, k);
}
"""
"""Nobody tests an index: that rows are long enough is the host's business."""


@pytest.mark.parametrize(("axis", "bad"), [("threadIdx.y + blockIdx.y * blockDim.y", False), ("threadIdx.y", True)])
def test_blocks_do_not_leave_rows_that_nobody_tests(axis: str, bad: bool) -> None:
    found = findings(GlobalMemoryRace, UNTESTED.replace("AXIS", axis))
    assert bool([one for one in found if "both write" in one.message]) is bad, found


IN_PLACE = """
__global__ void centred(float *x, unsigned long n) {
    __shared__ float first;
    unsigned long at = blockIdx.y * n + blockIdx.x * (unsigned long)blockDim.x;
    if (threadIdx.x == 0) first = x[at NEXT];
    __syncthreads();
    x[at + threadIdx.x] -= first;
}
void run(float *x, unsigned long n, const dim3 &grid, const dim3 &block) { centred<<<grid, block>>>(x, n); }
"""


@pytest.mark.parametrize(("further", "bad"), [("", False), ("+ blockDim.x", True)])
def test_blocks_of_two_rows_are_apart(further: str, bad: bool) -> None:
    assert bool(findings(GlobalMemoryRace, IN_PLACE.replace("NEXT", further))) is bad
