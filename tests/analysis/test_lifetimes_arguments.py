"""Arguments of OpenCL kernels whose memory does not live till the launch."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.device_use_after_free import DeviceUseAfterFree

from tests.rules.marked import assert_marked, assert_pair, findings

IN_ONE = """
int run(cl_context context, cl_command_queue queue, cl_kernel kernel, cl_mem to, size_t n) {
    cl_int status;
    cl_mem table = clCreateBuffer(context, CL_MEM_READ_ONLY, 1024, NULL, &status);
    clSetKernelArg(kernel, 0, sizeof(cl_mem), &table);
    clSetKernelArg(kernel, 1, sizeof(cl_mem), &to);
    clReleaseMemObject(table);  // only bad
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL);  // bad
    clReleaseMemObject(table);  // only good
    return clFinish(queue);
}
"""


def test_memory_is_given_back_between_setting_and_launch() -> None:
    assert_pair(DeviceUseAfterFree, IN_ONE)


def test_another_argument_or_a_kernel_handed_on_may_have_taken_its_place() -> None:
    bad = IN_ONE.replace("  // only bad", "").replace("  // bad", "")
    bad = "\n".join(line for line in bad.splitlines() if "only good" not in line)
    again = "clReleaseMemObject(table);\n    clSetKernelArg(kernel, 0, sizeof(cl_mem), &to);"
    assert_marked(DeviceUseAfterFree, bad.replace("clReleaseMemObject(table);", again))
    handed = "clReleaseMemObject(table);\n    set_rest(kernel);"
    assert_marked(DeviceUseAfterFree, bad.replace("clReleaseMemObject(table);", handed))


IN_TWO = """
typedef struct { cl_context context; cl_kernel kernel; cl_command_queue queue; cl_mem taps; } filter;
int filter_taps(filter *f, const float *taps, size_t count) {
    cl_int status;
    cl_mem made = clCreateBuffer(f->context, CL_MEM_COPY_HOST_PTR, count * 4, (void *)taps, &status);
    if (status != CL_SUCCESS) return -1;
    clSetKernelArg(f->kernel, 0, sizeof(cl_mem), &made);
    THEN
    return 0;
}
void filter_run(filter *f, cl_mem in, size_t n) {
    RESET
    clSetKernelArg(f->kernel, 1, sizeof(cl_mem), &in);
    clEnqueueNDRangeKernel(f->queue, f->kernel, 1, NULL, &n, NULL, 0, NULL, NULL);
}
"""


@pytest.mark.parametrize(
    ("then", "reset", "told"),
    [
        ("clReleaseMemObject(made);", "", True),
        ("if (count > 9) { clReleaseMemObject(made); return -2; } f->taps = made;", "", False),  # an error
        ("f->taps = made;", "", False),
        ("size_t n = 1; clEnqueueNDRangeKernel(f->queue, f->kernel, 1, NULL, &n, NULL, 0, NULL, NULL);"
         " clReleaseMemObject(made);", "clSetKernelArg(f->kernel, 0, sizeof(cl_mem), &f->taps);", False),
        ("clReleaseMemObject(made);", "clSetKernelArg(f->kernel, 0, sizeof(cl_mem), &f->taps);", False),
        ("clReleaseMemObject(made);", "set_first(f->kernel, f->taps);", False),
    ],
)  # fmt: skip
def test_memory_is_given_back_before_another_function_launches(then: str, reset: str, told: bool) -> None:
    code = IN_TWO.replace("THEN", then).replace("RESET", reset)
    found = findings(DeviceUseAfterFree, code)
    assert any("stays the argument of a kernel" in one.message for one in found) is told


IN_CLASS = """
class Filter {
public:
    Filter(cl::Context context, cl::Program program) : context_(context), kernel_(program, "fir") {}
    void taps(std::vector<float> &values) {
        cl::Buffer made(context_, values.begin(), values.end(), true);
        kernel_.setArg(0, made);
        THEN
    }
    void run(cl::CommandQueue &queue, cl::Buffer &in, size_t n) {
        kernel_.setArg(1, in);
        queue.enqueueNDRangeKernel(kernel_, cl::NullRange, cl::NDRange(n), cl::NullRange);
    }
private:
    cl::Context context_;
    cl::Kernel kernel_;
    cl::Buffer taps_;
    std::vector<cl::Buffer> all_;
};
"""


@pytest.mark.parametrize(("then", "told"), [("", True), ("taps_ = made;", False), ("all_.push_back(made);", False)])
def test_an_object_ends_before_another_method_launches(then: str, told: bool) -> None:
    found = findings(DeviceUseAfterFree, IN_CLASS.replace("THEN", then))
    assert any("goes out of scope, and stays" in one.message for one in found) is told


def test_one_walk_that_makes_launches_and_drops_says_nothing_of_others() -> None:
    code = """
    typedef struct { cl_kernel kernel; cl_command_queue queue; cl_mem in; } job;
    void job_make(job *j, cl_context context) {
        cl_int status;
        j->in = clCreateBuffer(context, 0, 64, NULL, &status);
        clSetKernelArg(j->kernel, 0, sizeof(cl_mem), &j->in);
    }
    void job_run(job *j, size_t n) {
        clEnqueueNDRangeKernel(j->queue, j->kernel, 1, NULL, &n, NULL, 0, NULL, NULL);
    }
    void job_drop(job *j) { clReleaseMemObject(j->in); }
    int main(int count, char **words) {
        job j;
        job_make(&j, NULL);
        if (count > 1) job_run(&j, 64);
        job_drop(&j);
    }
    """
    assert not findings(DeviceUseAfterFree, code)


def test_which_kernel_of_an_array_is_meant_is_not_known() -> None:
    code = """
    void run(cl_context context, cl_command_queue queue, cl_kernel a, cl_kernel b, int which, size_t n) {
        cl_int status;
        cl_kernel all[2];
        all[0] = a;
        all[1] = b;
        cl_mem x = clCreateBuffer(context, 0, 64, NULL, &status);
        clSetKernelArg(all[which], 0, sizeof(cl_mem), &x);
        clReleaseMemObject(x);
        clEnqueueNDRangeKernel(queue, all[1 - which], 1, NULL, &n, NULL, 0, NULL, NULL);
    }
    """
    assert not findings(DeviceUseAfterFree, code)
