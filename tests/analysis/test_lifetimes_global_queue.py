"""Queues that are variables of the file, read again after calls that may set them."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.unsynchronised_host_read import UnsynchronisedHostRead

from tests.rules.marked import findings

TOTAL = """
#include <CL/cl.h>
cl_command_queue queue, second;
cl_context context;
void told(cl_int code);
cl_kernel made(int blocks);
float total(cl_mem in, cl_mem out, float *host, int blocks, int rounds) {
    float sum = 0;
    cl_kernel kernel = made(blocks);
    clSetKernelArg(kernel, 0, sizeof(cl_mem), &in);
    clSetKernelArg(kernel, 1, sizeof(cl_mem), &out);
    size_t all = blocks * 64, group = 64;
    for (int i = 0; i < rounds; ++i) {
        clFinish(queue);
        told(clEnqueueNDRangeKernel(queue, kernel, 1, 0, &all, &group, 0, NULL, NULL));
        clEnqueueReadBuffer(QUEUE, out, CL_TRUE, 0, blocks * sizeof(float), host, 0, NULL, NULL);
        for (int k = 0; k < blocks; ++k) sum += host[k];
    }
    return sum;
}
float run(int n) {
    cl_int code;
    float *host = new float[n];
    cl_mem in = clCreateBuffer(context, CL_MEM_READ_ONLY, n * 4, 0, &code);
    cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE, n * 4, 0, &code);
    clEnqueueWriteBuffer(queue, in, CL_TRUE, 0, n * 4, host, 0, NULL, NULL);
    const float sum = total(in, out, host, n / 64, 3);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    delete[] host;
    return sum;
}
"""


@pytest.mark.parametrize(("queue", "bad"), [("queue", False), ("second", True)])
def test_a_queue_of_the_file_is_read_again(queue: str, bad: bool) -> None:
    assert bool(findings(UnsynchronisedHostRead, TOTAL.replace("QUEUE", queue))) is bad
