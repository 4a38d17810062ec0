"""Memory of the host behind buffers, read while a kernel may still write it."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.unsynchronised_host_read import UnsynchronisedHostRead

from tests.rules.marked import findings

ENGINE = """
#include <memory>
struct Drop { void operator()(void *p) const { free(p); } };
class Engine {
public:
    Engine(cl_context context, cl_command_queue queue, cl_kernel kernel) : queue_(queue), kernel_(kernel) {
        cl_int status;
        PLACE
        buffer_ = clCreateBuffer(context, CL_MEM_USE_HOST_PTR | FLAGS, 64 * sizeof(float), HOST, &status);
    }
    ~Engine() { clReleaseMemObject(buffer_); }
    float sum() {
        const size_t all = 64;
        float found = 0;
        clSetKernelArg(kernel_, 0, sizeof(cl_mem), &buffer_);
        clEnqueueNDRangeKernel(queue_, kernel_, 1, nullptr, &all, nullptr, 0, nullptr, nullptr);
        WAIT
        for (size_t i = 0; i < all; i++) found += SEEN;
        return found;
    }
private:
    cl_command_queue queue_;
    cl_kernel kernel_;
    MEMBER
    cl_mem buffer_ = nullptr;
};
"""
OWNED = ("sums_.reset((float *)malloc(256));", "sums_.get()", "sums_.get()[i]", "std::unique_ptr<float, Drop> sums_;")
PLAIN = ("sums_ = (float *)malloc(256);", "sums_", "sums_[i]", "float *sums_ = nullptr;")
MAP = (
    "cl_int status; float *now = (float *)clEnqueueMapBuffer(queue_, buffer_, CL_TRUE, CL_MAP_READ, 0, 256, 0,"
    " nullptr, nullptr, &status); clEnqueueUnmapMemObject(queue_, buffer_, now, 0, nullptr, nullptr);"
)


@pytest.mark.parametrize("memory", [OWNED, PLAIN])
@pytest.mark.parametrize(
    ("wait", "flags", "told"),
    [
        ("", "CL_MEM_READ_WRITE", True),
        ("clFlush(queue_);", "CL_MEM_WRITE_ONLY", True),
        ("clFinish(queue_);", "CL_MEM_READ_WRITE", False),
        (MAP, "CL_MEM_READ_WRITE", False),
        ("", "CL_MEM_READ_ONLY", False),
    ],
)
def test_members_that_a_kernel_works_on(memory: tuple[str, ...], wait: str, flags: str, told: bool) -> None:
    place, host, seen, member = memory
    code = ENGINE.replace("PLACE", place)
    code = code.replace("FLAGS, 64 * sizeof(float), HOST", f"{flags}, 64 * sizeof(float), {host}")
    code = code.replace("WAIT", wait).replace("SEEN", seen).replace("MEMBER", member)
    assert bool(findings(UnsynchronisedHostRead, code)) is told


@pytest.mark.parametrize(
    ("wait", "told"),
    [
        ("", True),
        ("clFlush(queue);", True),
        ("clFinish(queue);", False),
        ("clEnqueueReadBuffer(queue, b, CL_TRUE, 0, 256, sums, 0, NULL, NULL);", False),
    ],
)
def test_an_array_that_a_kernel_works_on(wait: str, told: bool) -> None:
    code = """
    float run(cl_context context, cl_command_queue queue, cl_kernel kernel) {
        float sums[64];
        const size_t all = 64;
        cl_int status;
        cl_mem b = clCreateBuffer(context, CL_MEM_USE_HOST_PTR | CL_MEM_WRITE_ONLY, sizeof sums, sums, &status);
        clSetKernelArg(kernel, 0, sizeof(cl_mem), &b);
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &all, NULL, 0, NULL, NULL);
        WAIT
        const float first = sums[0];
        clFinish(queue);
        clReleaseMemObject(b);
        return first;
    }
    """
    assert bool(findings(UnsynchronisedHostRead, code.replace("WAIT", wait))) is told


PROGRAM = """
#include <vector>
cl_mem buffer;
int NAME(cl_context context, cl_command_queue queue, int n) {
    std::vector<float> all(64);
    cl_int status;
    INNER
    buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, 256, MEMORY.data(), &status);
    OUTER
    if (n > 3) return 1;
    clEnqueueNDRangeKernel(queue, (cl_kernel)0, 1, nullptr, nullptr, nullptr, 0, nullptr, nullptr);
    clFinish(queue);
    clReleaseMemObject(buffer);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("name", "inner", "told"),
    [("main", False, False), ("run", False, True), ("main", True, True)],
)
def test_memory_behind_a_buffer_ends_with_the_program(name: str, inner: bool, told: bool) -> None:
    code = PROGRAM.replace("NAME", name).replace("MEMORY", "own" if inner else "all")
    opened, closed = ("{ std::vector<float> own(64);", "}") if inner else ("", "")
    code = code.replace("INNER", opened).replace("OUTER", closed)
    assert bool(findings(UnsynchronisedHostRead, code)) is told
