"""OpenCL hosts in C and C++: kernels created by name, arguments set one by one, global sizes that round up."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.test_launches_elsewhere import found

KERNELS = """
__kernel void peaks(__global const float *x, __global float *y, __local float *part, const uint n) {
    const uint l = get_local_id(0);
    part[l] = get_global_id(0) < n ? x[get_global_id(0)] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) y[get_group_id(0)] = part[0] + part[get_local_size(0) - 1];
}
__kernel void shift(__global float *x, const float by) { x[get_global_id(0)] += by; }
"""

HOST = """
#include <CL/cl.h>
struct Filter {
    cl_kernel peaks_, shift_;
    void create(cl_program program) {
        peaks_ = clCreateKernel(program, "peaks", nullptr);
        shift_ = clCreateKernel(program, "shift", nullptr);
    }
    static size_t rounded(cl_uint n) { return (n + 63) / 64 * 64; }
    cl_int peaks(cl_command_queue queue, cl_mem x, cl_mem y, cl_uint n) {
        const size_t local = 64, global = rounded(n);
        set(peaks_, 0, x);
        set(peaks_, 1, y);
        clSetKernelArg(peaks_, 2, CELLS * sizeof(cl_float), nullptr);
        clSetKernelArg(peaks_, 3, sizeof(n), &n);
        return clEnqueueNDRangeKernel(queue, peaks_, 1, nullptr, &global, &local, 0, nullptr, nullptr);
    }
    cl_int shift(cl_command_queue queue, cl_mem x, cl_float by, cl_uint n) {
        CHECK
        const size_t local = 64, global = SHIFTED;
        set(shift_, 0, x);
        clSetKernelArg(shift_, 1, sizeof(by), &by);
        return clEnqueueNDRangeKernel(queue, shift_, 1, nullptr, &global, &local, 0, nullptr, nullptr);
    }
    template <class T> static void set(cl_kernel kernel, cl_uint at, const T &value) {
        clSetKernelArg(kernel, at, sizeof(T), &value);
    }
};
"""

LOCAL, TAIL = "cl/filter.cl:local-size-mismatch", "cl/filter.cl:missing-bounds-guard"


@pytest.mark.parametrize(
    ("cells", "check", "shifted", "expected"),
    [
        ("64", "if (n % 64) return CL_INVALID_VALUE;", "n", []),
        ("local", "if (n == 0 || n % 64 != 0) return CL_INVALID_VALUE;", "rounded(n)", []),
        ("32", "", "n", [LOCAL]),
        ("local", "", "rounded(n)", [TAIL]),
        ("(local / 2)", "", "rounded(n)", [LOCAL, TAIL]),
    ],
)
def test_what_the_host_gives(tmp_path: Path, cells: str, check: str, shifted: str, expected: list[str]) -> None:
    host = HOST.replace("CELLS", cells).replace("CHECK", check).replace("SHIFTED", shifted)
    assert found(tmp_path, {"cl/filter.cl": KERNELS, "src/filter.cpp": host}) == expected


def test_setting_under_a_condition_says_nothing(tmp_path: Path) -> None:
    host = (
        HOST.replace("CHECK", "")
        .replace("SHIFTED", "n")
        .replace(
            "clSetKernelArg(peaks_, 2, CELLS * sizeof(cl_float), nullptr);",
            "clSetKernelArg(peaks_, 2, 256, nullptr); if (n < 9) clSetKernelArg(peaks_, 2, 128, nullptr);",
        )
    )
    assert not found(tmp_path, {"cl/filter.cl": KERNELS, "src/filter.cpp": host})


ARRAYS = """
#include <CL/cl.h>
cl_int run(cl_command_queue queue, cl_program program, cl_mem x, int nx, int ny) {
    size_t global[3], local[3]FIRST;
    cl_int status;
    local[0] = 8;
    SECOND
    local[2] = 8;
    global[0] = nx * local[0];
    global[1] = ny * local[1];
    global[2] = local[2];
    cl_kernel kernel = clCreateKernel(program, "flags", &status);
    status = clSetKernelArg(kernel, 0, sizeof(cl_mem), &x);
    return clEnqueueNDRangeKernel(queue, kernel, 3, NULL, global, local, 0, NULL, NULL);
}
"""

FLAGS = """
__kernel void flags(__global int *x) {
    __local int seen[512];
    int l = (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
    seen[l & 127] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    x[get_global_id(0)] = seen[l & 127];
}
"""


@pytest.mark.parametrize("first", ["", " = {8, 2, 8}"])
def test_sizes_are_those_that_were_stored_last(tmp_path: Path, first: str) -> None:
    host, second = ARRAYS.replace("FIRST", first), "" if first else "local[1] = 2;"
    right = found(tmp_path, {"flags.cl": FLAGS, "host.c": host.replace("SECOND", second)})
    assert "flags.cl:shared-memory-race" not in right
    wrong = found(tmp_path, {"flags.cl": FLAGS, "host.c": host.replace("SECOND", "local[1] = 4;")})
    assert "flags.cl:shared-memory-race" in wrong


ONE, OTHER = (
    "__kernel void step(__global int *x) { x[0] = 1; }",
    "__kernel void step(__global int *x, int n) { x[0] = n; }",
)

STEPS = """
#include <CL/cl.h>
#include <stddef.h>
OWN
void run(cl_command_queue queue, cl_program program, cl_mem x, cl_int n) {
    size_t global = 1;
    const char *from = "FILE";
    cl_kernel kernel = clCreateKernel(program, "step", NULL);
    clSetKernelArg(kernel, 0, sizeof(cl_mem), PASSED);
    clSetKernelArg(kernel, 1, sizeof(cl_int), &n);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
}
"""


@pytest.mark.parametrize(
    ("own", "file", "passed", "expected"),
    [
        ("", "one.cl", "&x", ["cl/one.cl:kernel-argument-mismatch"]),
        ("", "other.cl", "&x", []),
        ("", "", "&x", []),  # which of the two is not known
        ('static const char *mine =\n"kernel "\n"void step(global int *x, int n) { x[0] = n; }";', "", "&x", []),
        ("", "other.cl", "NULL", []),  # a null pointer for the kernel
    ],
)
def test_of_several_kernels_of_a_name_the_host_means_the_one_that_it_names(
    tmp_path: Path, own: str, file: str, passed: str, expected: list[str]
) -> None:
    host = STEPS.replace("OWN", own).replace("FILE", file).replace("PASSED", passed)
    files = {"cl/one.cl": ONE, "cl/other.cl": OTHER, "host/run.c": host}
    named = [one.replace("host/run.c", "cl/one.cl") for one in found(tmp_path, files) if "argument" in one]
    assert named == expected


SHARED_MEMORY = """
#include <CL/cl.h>
#include <stddef.h>
const char *text = "kernel void mark(global int *x, int n) { x[0] = n; }";
void run(cl_context context, cl_command_queue queue, int *x, cl_int n) {
    size_t global = 1;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "mark", NULL);
    SET
    clSetKernelArg(kernel, 1, sizeof n, &n);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}
"""


@pytest.mark.parametrize(("set_", "missing"), [("", True), ("clSetKernelArgSVMPointer(kernel, 0, x);", False)])
def test_arguments_that_are_set_in_another_way(tmp_path: Path, set_: str, missing: bool) -> None:
    said = found(tmp_path, {"run.c": SHARED_MEMORY.replace("SET", set_)})
    assert ("run.c:kernel-argument-mismatch" in said) == missing


CHAINED = """
#include <CL/cl.h>
#include <cstddef>
struct Room { std::size_t bytes; };
struct Curve { cl_float gain; WIDE shift; cl_int at[2]; };
class Job {
    cl_command_queue queue_;
    cl_kernel kernel_;
    template <class T> void put(cl_uint at, const T &value) { clSetKernelArg(kernel_, at, sizeof value, &value); }
    void put(cl_uint at, const Room &room) { clSetKernelArg(kernel_, at, room.bytes, nullptr); }

public:
    Job(cl_program program, cl_command_queue queue, const char *name) : queue_(queue) {
        kernel_ = clCreateKernel(program, name, nullptr);
    }
    template <class... Rest> Job &given(const Rest &...rest) {
        cl_uint at = 0;
        (put(at++, rest), ...);
        return *this;
    }
    Job &twice() { return *this; }
    void all(std::size_t items, std::size_t group) {
        const std::size_t global = ROUNDED;
        clEnqueueNDRangeKernel(queue_, kernel_, 1, nullptr, &global, &group, 0, nullptr, nullptr);
    }
};
void run(cl_program program, cl_command_queue queue, cl_mem x, cl_mem y, const Curve &curve, cl_uint n) {
    Job(program, queue, "peaks").given(x, y, Room{CELLS * sizeof(cl_float)}, n).twice().all(n, 64);
    Job(program, queue, "bend").given(x, curve).all(n, 64);
}
"""

CURVE = """struct curve { float gain; float shift; int at[2]; };
__kernel void bend(__global float *x, const struct curve c) {
    x[get_global_id(0)] += c.gain * c.shift * c.at[1];
}
"""


@pytest.mark.parametrize(
    ("wide", "rounded", "cells", "expected"),
    [
        ("cl_float", "items / group * group", "64", []),
        ("cl_float", "(items + group - 1) / group * group", "64", [TAIL]),
        ("cl_float", "items / group * group", "32", [LOCAL]),
        ("cl_double", "items / group * group", "64", ["src/run.cpp:kernel-argument-mismatch"]),
        ("Away", "items / group * group", "64", []),  # nobody knows how large it is
    ],
)
def test_launchers_without_a_name_whose_methods_give_themselves_back(
    tmp_path: Path, wide: str, rounded: str, cells: str, expected: list[str]
) -> None:
    host = CHAINED.replace("WIDE", wide).replace("ROUNDED", rounded).replace("CELLS", cells)
    assert found(tmp_path, {"cl/filter.cl": KERNELS + CURVE, "src/run.cpp": host}) == expected


BOUND = """#pragma once
#include <CL/opencl.hpp>
class Job {
public:
    Job(const cl::Program &program, const char *name) : kernel_(program, name) {}
    template <class T> Job &with(const T &value) {
        kernel_.setArg(next_++, value);
        return *this;
    }
    Job &room(std::size_t bytes) {
        kernel_.setArg(next_++, cl::Local(bytes));
        return *this;
    }
    void go(cl::CommandQueue &queue, std::size_t groups, std::size_t group) {
        queue.enqueueNDRangeKernel(kernel_, cl::NullRange, cl::NDRange(groups * group), cl::NDRange(group));
    }

private:
    cl::Kernel kernel_;
    cl_uint next_ = 0;
};
class Shore {
public:
    void peaks(cl_uint n);
    void shift(double by, cl_uint groups);

private:
    cl::CommandQueue queue_;
    cl::Program program_;
    cl::Buffer x_, y_;
};
"""
SHORE = """#include "job.hpp"
void Shore::peaks(cl_uint n) {
    Job(program_, "peaks").with(x_).with(y_).room(CELLS * sizeof(cl_float)).with(n).go(queue_, (n + 63) / 64, 64);
}
void Shore::shift(double by, cl_uint groups) {
    const float less = static_cast<float>(by);
    Job(program_, "shift").with(x_).with(BY).go(queue_, groups, 64);
}
"""


@pytest.mark.parametrize(
    ("cells", "by", "expected"),
    [
        ("64", "less", []),
        ("64", "by", ["src/job.hpp:kernel-argument-mismatch"]),
        ("32", "less", [LOCAL]),
    ],
)
def test_a_class_of_a_header_around_the_c_plus_plus_bindings(
    tmp_path: Path, cells: str, by: str, expected: list[str]
) -> None:
    shore = SHORE.replace("CELLS", cells).replace("BY", by)
    assert found(tmp_path, {"cl/filter.cl": KERNELS, "src/job.hpp": BOUND, "src/shore.cpp": shore}) == expected
