"""Kernels that one function makes and another sets the arguments of and launches, by a member or a variable of the
file; sizes of a launch that stand in members."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.kernel_argument_mismatch import KernelArgumentMismatch
from kernlint_rules.launch.launch_limits import LaunchLimits

from tests.rules.marked import findings

TEXT = """
static const char *text =
    "__kernel void blend(__global const float *a, __global const float *b, __global float *to, float by, int n)"
    "{ int i = get_global_id(0); if (i < n) to[i] = a[i] + by * b[i]; }";
"""

IN_C = (
    TEXT
    + """
typedef struct { cl_command_queue queue; cl_kernel blend; cl_mem a, b, to; } mixer;
void mixer_make(mixer *m, cl_program program, cl_command_queue queue) {
    cl_int status;
    m->queue = queue;
    m->blend = clCreateKernel(program, "blend", &status);
    MADE
}
void mixer_run(mixer *m, float by, int n) {
    const size_t all = n;
    clSetKernelArg(m->blend, 0, sizeof(cl_mem), &m->a);
    clSetKernelArg(m->blend, 1, sizeof(cl_mem), &m->b);
    clSetKernelArg(m->blend, AT, sizeof(cl_mem), &m->to);
    clSetKernelArg(m->blend, 3, sizeof(float), &by);
    clSetKernelArg(m->blend, 4, sizeof(int), &n);
    clEnqueueNDRangeKernel(m->queue, m->blend, 1, NULL, &all, NULL, 0, NULL, NULL);
}
void mixer_drop(mixer *m) { clReleaseKernel(m->blend); }
"""
)


@pytest.mark.parametrize(
    ("at", "made", "told"),
    [
        ("1", "", True),
        ("3", "", True),
        ("2", "", False),
        ("1", "clSetKernelArg(m->blend, 2, sizeof(cl_mem), &m->to);", False),  # once for all launches
        ("1", "for (cl_uint k = 0; k < 3; k++) clSetKernelArg(m->blend, k, sizeof(cl_mem), &m->to);", False),
        ("1", "keep_kernel(m->blend);", False),  # where it may be set as well
    ],
)
def test_an_argument_that_no_function_sets(at: str, made: str, told: bool) -> None:
    found = findings(KernelArgumentMismatch, IN_C.replace("AT", at).replace("MADE", made))
    assert any("is set a second time" in one.message for one in found) is told


IN_CLASS = (
    TEXT
    + """
class Mixer {
public:
    explicit Mixer(cl::Program &program) : kernel_(program, "blend") {}
    void run(cl::CommandQueue &queue, cl::Buffer &a, cl::Buffer &b, cl::Buffer &to, float by, int n) {
        kernel_.setArg(0, a);
        kernel_.setArg(1, b);
        kernel_.setArg(2, to);
        kernel_.setArg(AT, by);
        kernel_.setArg(4, n);
        queue.enqueueNDRangeKernel(kernel_, cl::NullRange, cl::NDRange(n), cl::NullRange);
    }
private:
    cl::Kernel kernel_;
};
"""
)


@pytest.mark.parametrize(("at", "told"), [("4", True), ("3", False)])
def test_an_argument_that_no_method_sets(at: str, told: bool) -> None:
    found = findings(KernelArgumentMismatch, IN_CLASS.replace("AT", at))
    assert any("is set a second time" in one.message for one in found) is told


SIZES = """
static const char *text =
    "__kernel __attribute__((reqd_work_group_size(8, 8, 1))) void mid_of(__global const float *in, __global float *out)"
    "{ out[get_global_id(0)] = 0.5f * in[get_global_id(1)]; }";
struct Step { cl_kernel kernel; size_t all[2]; size_t group[2]; };
void plan(Step *s, cl_program program, unsigned width, unsigned height) {
    cl_int status;
    s->kernel = clCreateKernel(program, "mid_of", &status);
    s->group[0] = GROUP;
    s->group[1] = 8;
    s->all[0] = (size_t(width) + 31) & ~size_t(31);
    s->all[1] = (size_t(height) + 7) & ~size_t(7);
}
void run(Step *s, cl_program program, cl_command_queue queue, cl_mem in, cl_mem out, unsigned width, unsigned height) {
    plan(s, program, width, height);
    clSetKernelArg(s->kernel, 0, sizeof(cl_mem), &in);
    clSetKernelArg(s->kernel, 1, sizeof(cl_mem), &out);
    clEnqueueNDRangeKernel(queue, s->kernel, 2, NULL, s->all, s->group, 0, NULL, NULL);
}
"""


@pytest.mark.parametrize(("group", "told"), [("32", True), ("8", False), ("width", False)])
def test_sizes_that_stand_in_arrays_of_members(group: str, told: bool) -> None:
    found = findings(LaunchLimits, SIZES.replace("GROUP", group))
    assert any("the kernel requires 8 x 8 x 1" in one.message for one in found) is told


TOGETHER = """
INCLUDE
__global__ void spread(const float *from, float *to, size_t n, float by) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        to[i] = by * from[i];
}
void run(const float *from, float *to, size_t n, COUNT small, double wide) {
    void *args[] = {ARGS};
    APILaunchCooperativeKernel((const void *)spread, dim3(64), dim3(256), args, 0, 0);
}
"""


@pytest.mark.parametrize(("api", "include"), [("cuda", ""), ("hip", "#include <hip/hip_runtime.h>")])
@pytest.mark.parametrize(
    ("args", "told"),
    [
        ("&from, &to, &n, &wide", True),
        ("&from, &to, &small, &wide", True),
        ("&from, to, &n, &wide", True),
        ("&from, &to, &n", True),
        ("&from, &to, &n, &by", False),
    ],
)
def test_addresses_for_a_cooperative_launch(api: str, include: str, args: str, told: bool) -> None:
    code = TOGETHER.replace("API", api).replace("INCLUDE", include).replace("COUNT", "int").replace("ARGS", args)
    code = code.replace("double wide", "double wide, float by")
    assert bool(findings(KernelArgumentMismatch, code, api)) is told


PYTHON = '''
import cupy as cp
import numpy as np
text = r"""
extern "C" __global__ void fill(const int *slot, float *to, int n) { if (threadIdx.x < n) to[slot[threadIdx.x]] = 1; }
"""
def run(pairs, to):
    kernel = cp.RawKernel(text, "fill")
    slot = cp.asarray(np.array([p[0] for p in pairs], dtype=int))
    kernel(
        (1,),
        (64,),
        (
            slot,
            to,
            np.int32(len(pairs)),
        ),
    )
'''


def test_where_an_array_of_other_elements_is_made_is_said() -> None:
    (found,) = findings(KernelArgumentMismatch, PYTHON, "python")
    told = {one.message: PYTHON[one.span.start : one.span.end] for one in found.related}
    assert told["made here"].startswith("cp.asarray(np.array(")
    assert told["launched here"].startswith("kernel(")
