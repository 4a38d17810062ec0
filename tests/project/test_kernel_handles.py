"""OpenCL kernels that are looked up in one function of a host and launched in another: by classes that launch whatever
they were made with, from arrays of handles, by functions that are looked up themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.test_launches_elsewhere import found

KERNELS = """
__kernel void parts(__global const float *x, __global float *y, __local float *part, int n) {
    int l = get_local_id(0), g = get_global_id(0);
    part[l] = g < n ? x[g] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) y[get_group_id(0)] = part[0] + part[get_local_size(0) - 1];
}
__kernel void last(__global const float *x, __global float *y, __local float *part, int n) {
    int l = get_local_id(0), g = get_global_id(0);
    part[l] = g < n ? x[g] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) y[0] = part[0] + part[get_local_size(0) - 1];
}
"""

LAUNCHER = """#pragma once
#include <CL/cl.h>
template <class T> const T &larger(const T &a, const T &b) { return a > b ? a : b; }
class Launcher {
    cl_command_queue queue_;
    cl_kernel kernel_;
    cl_uint next_;
public:
    Launcher(cl_command_queue queue, cl_kernel kernel);
    ~Launcher();
    void buffers(const cl_mem *all, int count);
    void range(size_t items, size_t group) {
        size_t all[3] = {1, 1, 1}, part[3] = {1, 1, 1};
        part[0] = group;
        all[0] = larger((size_t)1, items / group + (items % group ? 1 : 0));
        all[0] *= part[0];
        clEnqueueNDRangeKernel(queue_, kernel_, 1, nullptr, all, part, 0, nullptr, nullptr);
    }
};
"""

TOOLS = """#pragma once
#include <CL/cl.h>
namespace tools { cl_kernel build(cl_context c, cl_device_id d, const char *text, const char *name, const char *how); }
"""

WITH_CLASS = """
#include "launcher.h"
#include "tools.h"
struct Sum {
    cl_kernel parts_, last_;
    cl_command_queue queue_;
    Sum(cl_context c, cl_device_id d, const char *text);
    void run(cl_mem *all, int n);
};
Sum::Sum(cl_context c, cl_device_id d, const char *text) {
    parts_ = tools::build(c, d, text, "parts", "-DX=1");
    last_ = tools::build(c, d, text, "last", "-DX=1");
}
void Sum::run(cl_mem *all, int n) {
    {
        Launcher launcher(queue_, parts_);
        launcher.buffers(all, 2);
        launcher.range(n, 64);
    }
    Launcher launcher(queue_, last_);
    launcher.buffers(all, 2);
    launcher.range(ITEMS, 64);
}
"""

WITH_LIST = """
#include <CL/cl.h>
static cl_kernel kernels[2];
static const char *names[] = {"parts", "last"};
void prepare(cl_program program) {
    for (int i = 0; i < 2; ++i) kernels[i] = clCreateKernel(program, names[i], nullptr);
}
static void start(cl_command_queue queue, cl_kernel kernel, size_t all, size_t group) {
    clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &all, &group, 0, nullptr, nullptr);
}
enum { PARTS, LAST };
void run(cl_command_queue queue, size_t n) {
    start(queue, kernels[PARTS], (n + 63) / 64 * 64, 64);
    start(queue, kernels[LAST], ITEMS, 64);
}
"""

LOADED = """
#include <CL/cl.h>
typedef cl_int (*enqueue_t)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *,
                            cl_uint, const cl_event *, cl_event *);
extern enqueue_t my_clEnqueueNDRangeKernel;
struct Data { cl_kernel *kernel; };
struct Data *load_all(const char *text, const char **names);
static struct Data *data;
extern cl_command_queue queue;
void prepare(const char *text) {
    const char *names[] = {"parts", "last", 0};
    data = load_all(text, names);
}
void run(size_t n) {
    size_t one = 64, all = ITEMS;
    my_clEnqueueNDRangeKernel(queue, data->kernel[1], 1, NULL, &all, &one, 0, NULL, NULL);
}
"""

RACE = "cl/sum.cl:global-memory-race"


@pytest.mark.parametrize("host", [WITH_CLASS, WITH_LIST, LOADED], ids=["class", "list", "loaded"])
@pytest.mark.parametrize(("items", "expected"), [("64", []), ("64 * (n / 64)", [RACE])])
def test_one_group_is_told_by_the_handle(tmp_path: Path, host: str, items: str, expected: list[str]) -> None:
    files = {"cl/sum.cl": KERNELS, "host/launcher.h": LAUNCHER, "host/tools.h": TOOLS}
    files["host/sum.cpp"] = host.replace("ITEMS", items)
    assert [one for one in found(tmp_path, files, "cl/sum.cl") if one == RACE] == expected


TWO = """
#include <CL/cl.h>
cl_program load(cl_context c, const char *file);
void run(cl_context c, cl_command_queue q, cl_mem x, size_t n) {
    cl_kernel k = clCreateKernel(load(c, "cl/plain.cl"), "step", nullptr);
    clSetKernelArg(k, 0, sizeof(cl_mem), &x);
    clEnqueueNDRangeKernel(q, k, 1, nullptr, &n, nullptr, 0, nullptr, nullptr);
    k = clCreateKernel(load(c, "cl/tiled.cl"), "step", nullptr);
    clSetKernelArg(k, 0, sizeof(cl_mem), &x);
    clSetKernelArg(k, 1, 64 * sizeof(float), nullptr);
    clEnqueueNDRangeKernel(q, k, 1, nullptr, &n, nullptr, 0, nullptr, nullptr);
}
"""


def test_a_host_of_two_programs_is_not_told_which_launch_is_whose(tmp_path: Path) -> None:
    files = {
        "cl/plain.cl": "__kernel void step(__global float *x) { x[get_global_id(0)] = 1.0f; }",
        "cl/tiled.cl": "__kernel void step(__global float *x, __local float *t) {\n"
        "    t[get_local_id(0)] = 1.0f;\n    x[get_global_id(0)] = t[get_local_id(0)];\n}",
        "host.cpp": TWO,
    }
    assert found(tmp_path, files, "cl/plain.cl") == found(tmp_path, files, "cl/tiled.cl") == []


BLUR = """__kernel void blur(__global float *to, __global const float *from, unsigned n) {
    unsigned i = get_global_id(0);
    to[i] = 0.5f * from[i];
}
"""

FUNCTOR = """
#include <CL/cl2.hpp>
#include <map>
#include <mutex>
#define UP(a, b) (((a) + (b) - 1) / (b))
int device_id();
cl::Program &build(int device);
START
void run(cl::CommandQueue &q, cl::Buffer to, cl::Buffer from, unsigned n) {
    int device = device_id();
    KERNEL
}
"""

LAUNCH = """
    auto op = cl::make_kernel<cl::Buffer, cl::Buffer, unsigned>(HANDLE);
    const cl::NDRange local(128, 1), global(ITEMS, 1);
    op(cl::EnqueueArgs(q, global, local), to, from, n);
"""

START = "static void start(cl::CommandQueue &q, cl::Kernel *k, cl::Buffer to, cl::Buffer from, unsigned n) {BODY}"
BY_DEVICE = """static std::map<int, cl::Kernel *> kernels;
    if (!kernels[device]) kernels[device] = new cl::Kernel(build(device), "blur");
"""
FUNCTORS = {
    "made of a kernel": 'cl::Kernel k(build(device), "blur");' + LAUNCH.replace("HANDLE", "k"),
    "of a kernel for each device": BY_DEVICE + LAUNCH.replace("HANDLE", "*kernels[device]"),
    "of a kernel that is passed": BY_DEVICE + "start(q, kernels[device], to, from, n);",
}


@pytest.mark.parametrize("how", FUNCTORS)
@pytest.mark.parametrize(("items", "wrong"), [("n", False), ("UP(n, 128) * 128", True)])
def test_functors_are_of_the_kernel_they_are_made_of(tmp_path: Path, how: str, items: str, wrong: bool) -> None:
    start = START.replace("BODY", LAUNCH.replace("HANDLE", "*k")) if "start(" in FUNCTORS[how] else ""
    host = FUNCTOR.replace("START", start).replace("KERNEL", FUNCTORS[how]).replace("ITEMS", items)
    expected = ["cl/blur.cl:missing-bounds-guard"] if wrong else []
    assert found(tmp_path, {"cl/blur.cl": BLUR, "host.cpp": host}, "cl/blur.cl") == expected


def test_of_two_kernels_in_one_container_nothing_is_told(tmp_path: Path) -> None:
    other = 'kernels[device + 1] = new cl::Kernel(build(device), "other");\n'
    host = (
        FUNCTOR.replace("START", "").replace("KERNEL", BY_DEVICE + other + LAUNCH).replace("ITEMS", "UP(n, 128) * 128")
    )
    files = {"cl/blur.cl": BLUR, "host.cpp": host.replace("HANDLE", "*kernels[device]")}
    assert found(tmp_path, files, "cl/blur.cl") == []


PASSES = """#pragma once
#include <CL/cl.h>
class Passes {
public:
    explicit Passes(cl_program program);
    cl_int mix(KIND wide, cl_mem x, cl_uint n);
    cl_int flip(cl_mem x, cl_uint n);
private:
    cl_command_queue queue_;
    cl_kernel wide_, narrow_, flip_;
};
"""

RUN = """#include "passes.hpp"
Passes::Passes(cl_program program) {
    wide_ = clCreateKernel(program, "wide", nullptr);
    narrow_ = clCreateKernel(program, "narrow", nullptr);
    flip_ = clCreateKernel(program, "flip", nullptr);
}
cl_int Passes::mix(KIND wide, cl_mem x, cl_uint n) {
    cl_kernel chosen = CHOICE;
    cl_int err = clSetKernelArg(chosen, 0, sizeof x, &x);
    err |= clSetKernelArg(chosen, 1, sizeof n, &n);
    if (err != CL_SUCCESS) return err;
    const size_t group = GROUP, all = 16 * group;
    return clEnqueueNDRangeKernel(queue_, chosen, 1, nullptr, &all, &group, 0, nullptr, nullptr);
}
cl_int Passes::flip(cl_mem x, cl_uint n) {
    const cl_int err = clSetKernelArg(flip_, 0, sizeof x, &x);
    if (err != CL_SUCCESS) return err;
    const size_t group = 64, all = (n + 63) / 64 * 64;
    return clEnqueueNDRangeKernel(queue_, flip_, 1, nullptr, &all, &group, 0, nullptr, nullptr);
}
"""

CHOSEN = """
__kernel void narrow(__global uchar *x, uint n) {
    __local uchar own[64];
    const uint l = get_local_id(0);
    if (l < 64) own[l] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) x[i] = own[x[i] / 4];
}
__kernel void wide(__global uchar *x, uint n) {
    __local uchar own[128];
    const uint l = get_local_id(0);
    if (l < 128) own[l] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) x[i] = own[x[i] / 2];
}
"""


@pytest.mark.parametrize(
    ("kind", "choice", "group", "bad"),
    [
        ("bool", "wide ? wide_ : narrow_", "64", True),
        ("bool", "wide ? wide_ : narrow_", "128", False),
        ("int", "wide > 2 ? wide_ : narrow_", "64", True),
        ("bool", "wide ? wide_ : narrow_", "(wide ? 128 : 64)", False),
        ("bool", "n > 99 ? wide_ : narrow_", "(n > 99 ? 128 : 64)", False),
    ],
)
def test_an_argument_chooses_the_kernel(tmp_path: Path, kind: str, choice: str, group: str, bad: bool) -> None:
    """Each kernel that a launch may be of has its block, where the choice has no say in that."""
    run = RUN.replace("KIND", kind).replace("CHOICE", choice).replace("GROUP", group)
    files = {"passes.hpp": PASSES.replace("KIND", kind), "passes.cpp": run, "chosen.cl": CHOSEN}
    assert found(tmp_path, files, "chosen.cl") == ["chosen.cl:uninitialised-shared-memory"] * bad


FLIP = "__kernel void flip(__global float *x) { x[get_global_id(0)] = -x[get_global_id(0)]; }\n"


@pytest.mark.parametrize(
    ("check", "bad"),
    [("if (n % 64 != 0) return CL_INVALID_VALUE;", False), ("", True), ("if (n % 32) return CL_INVALID_VALUE;", True)],
)
def test_what_callers_of_a_method_elsewhere_check(tmp_path: Path, check: str, bad: bool) -> None:
    """Whose object they are given, though the class tells what one is made of."""
    run = RUN.replace("KIND", "bool").replace("CHOICE", "narrow_").replace("GROUP", "64")
    caller = (
        f'#include "passes.hpp"\ncl_int flipped(Passes &p, cl_mem x, cl_uint n) {{ {check} return p.flip(x, n); }}\n'
    )
    files = {"passes.hpp": PASSES.replace("KIND", "bool"), "passes.cpp": run, "use.cpp": caller, "flip.cl": FLIP}
    assert found(tmp_path, files, "flip.cl") == ["flip.cl:missing-bounds-guard"] * bad
