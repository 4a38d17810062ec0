"""Buffers of OpenCL that kernels use against the flags they are made with."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.kernel_argument_mismatch import KernelArgumentMismatch

from tests.rules.marked import findings

SQUARE = """#include <CL/cl.h>
static const char *text = "kernel void square(global const int *x, global int *y, int n) {"
    "  int i = get_global_id(0); if (i < n) BODY; }";
int square(cl_context c, cl_device_id d, cl_command_queue q, int *in, int *out, int n, cl_mem_flags given) {
    cl_int e;
    cl_program p = clCreateProgramWithSource(c, 1, &text, 0, &e);
    clBuildProgram(p, 1, &d, 0, 0, 0);
    cl_kernel k = clCreateKernel(p, "square", &e);
    cl_mem x = clCreateBuffer(c, FIRST | CL_MEM_COPY_HOST_PTR, n * sizeof(int), in, &e);
    cl_mem y = clCreateBuffer(c, SECOND, n * sizeof(int), 0, &e);
    clSetKernelArg(k, 0, sizeof x, &x);
    clSetKernelArg(k, 1, sizeof y, &y);
    clSetKernelArg(k, 2, sizeof n, &n);
    size_t g = (n + 31) / 32 * 32, l = 32;
    clEnqueueNDRangeKernel(q, k, 1, 0, &g, &l, 0, 0, 0);
    return clEnqueueReadBuffer(q, y, CL_TRUE, 0, n * sizeof(int), out, 0, 0, 0);
}
"""


@pytest.mark.parametrize(
    ("body", "first", "second", "told"),
    [
        ("y[i] = x[i]", "CL_MEM_READ_ONLY", "CL_MEM_WRITE_ONLY", ""),
        ("y[i] = x[i]", "CL_MEM_READ_WRITE", "CL_MEM_READ_WRITE", ""),
        ("y[i] = x[i]", "CL_MEM_READ_ONLY", "0", ""),
        ("y[i] = x[i]", "CL_MEM_READ_ONLY", "given", ""),
        ("y[i] = x[i]", "CL_MEM_READ_ONLY", "CL_MEM_READ_ONLY", "passed for y is made CL_MEM_READ_ONLY"),
        ("y[i] = x[i]", "CL_MEM_WRITE_ONLY", "CL_MEM_READ_WRITE", "passed for x is made CL_MEM_WRITE_ONLY"),
        ("y[i] += x[i]", "CL_MEM_READ_ONLY", "CL_MEM_WRITE_ONLY", "passed for y is made CL_MEM_WRITE_ONLY"),
    ],
)
def test_flags(body: str, first: str, second: str, told: str) -> None:
    code = SQUARE.replace("BODY", body).replace("FIRST", first).replace("SECOND", second)
    found = [one.message for one in findings(KernelArgumentMismatch, code)]
    assert [told in message for message in found] == ([True] if told else [])
