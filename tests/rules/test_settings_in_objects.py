"""Arguments of a kernel that an object holds, set by its methods."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.kernel_argument_mismatch import KernelArgumentMismatch

from tests.rules.marked import findings

HOLDER = """
#include <CL/cl.h>
#include <stdexcept>
static const char *text = R"(
kernel void blend(global float *to, global const float *from, const float by, const uint count) {
    const uint i = get_global_id(0);
    if (i < count) to[i] += by * from[i];
}
)";
static void check(cl_int status) { if (status != CL_SUCCESS) throw std::runtime_error("OpenCL"); }
class Held {
    cl_kernel kernel;
public:
    Held(cl_program program, const char *name) {
        cl_int status = 0;
        kernel = clCreateKernel(program, name, &status);
        check(status);
    }
    Held(const Held &) = delete;
    ~Held() { clReleaseKernel(kernel); }
    template <class T> void set(cl_uint at, const T &value) { check(clSetKernelArg(kernel, at, sizeof(T), &value)); }
    void memory(cl_mem to, cl_mem from) {
        check(clSetKernelArg(kernel, 0, sizeof(cl_mem), &to));
        check(clSetKernelArg(kernel, FROM, sizeof(cl_mem), &from));
    }
    void more(cl_uint count);
    void start(cl_command_queue queue, size_t all) {
        check(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &all, nullptr, 0, nullptr, nullptr));
    }
};
void prepare(Held &held);
void run(cl_program program, cl_command_queue queue, cl_mem to, cl_mem from, cl_float by, cl_uint count) {
    Held blend(program, "blend");
    blend.memory(to, from);
    SET
    blend.start(queue, count);
}
"""


@pytest.mark.parametrize(
    ("at", "set_", "told"),
    [
        ("1", "blend.set(2, by); blend.set(2, count);", "is set a second time, and count is never set"),
        ("0", "blend.set(2, by); blend.set(3, count);", "is set a second time, and from is never set"),
        ("1", "blend.set(2, by);", "count of blend is not set"),
        ("1", "blend.set(2, by); blend.set(3, count);", ""),
        ("1", "blend.set(2, by); blend.set(2, by); blend.set(3, count);", ""),
        ("1", "blend.set(2, by); prepare(blend);", ""),
        ("1", "blend.set(2, by); blend.more(count);", ""),
    ],
)
def test_settings_by_methods(at: str, set_: str, told: str) -> None:
    found = findings(KernelArgumentMismatch, HOLDER.replace("FROM", at).replace("SET", set_))
    messages = [one.message for one in found]
    assert any(told in message for message in messages) if told else not messages, messages
