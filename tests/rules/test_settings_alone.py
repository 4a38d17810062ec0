"""Arguments that are set where nobody launches, handed through helpers, or kept by a class of the program's own."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.kernel_argument_mismatch import KernelArgumentMismatch

from tests.rules.marked import findings

FILTER = """#include <CL/cl.h>
static const char *text = "kernel void gain(global float *x, float by, uint n) {"
                          "  uint i = get_global_id(0); if (i < n) x[i] *= by; }";
class Filter {
public:
    Filter(cl_program p) { gain = clCreateKernel(p, "gain", nullptr); }
    void configure(cl_mem x, TYPE by, size_t n) {
        cl_uint at = 0;
        set(at++, x);
        set(at++, by);
        set(at++, COUNT);
        all = (n + 63) / 64 * 64;
    }
    void run(cl_command_queue queue) { clEnqueueNDRangeKernel(queue, gain, 1, 0, &all, 0, 0, 0, 0); }
private:
    template <class T> void set(cl_uint at, T value) { clSetKernelArg(gain, at, sizeof(T), &value); }
    cl_kernel gain = nullptr;
    size_t all = 0;
};
"""


@pytest.mark.parametrize(
    ("type_", "count", "told"),
    [
        ("float", "(cl_uint)n", []),
        ("float", "n", ["8 bytes are passed for n, which has 4"]),
        ("double", "(cl_uint)n", ["8 bytes are passed for by, which has 4"]),
        ("int", "(cl_uint)n", ["the variable passed for by is a whole number"]),
    ],
)
def test_set_in_one_method_and_launched_in_another(type_: str, count: str, told: list[str]) -> None:
    code = FILTER.replace("TYPE", type_).replace("COUNT", count)
    found = [one.message for one in findings(KernelArgumentMismatch, code)]
    assert len(found) == len(told) and all(message.startswith(one) for message, one in zip(found, told, strict=True))


HANDLE = """
const char *text = "kernel void gain(global float *x, global float *y) { y[get_global_id(0)] = x[get_global_id(0)]; }";
void set(cl_program p, cl_mem x, cl_mem *ys, int at) {
    cl_kernel gain = clCreateKernel(p, "gain", nullptr);
    clSetKernelArg(gain, 0, sizeof(cl_mem), GIVEN);
    clSetKernelArg(gain, 1, sizeof(cl_mem), &ys[at]);
}
"""


@pytest.mark.parametrize(("given", "told"), [("&x", 0), ("(void *)&x", 0), ("x", 1), ("(void *)x", 1), ("ys + at", 0)])
def test_a_handle_in_place_of_its_address(given: str, told: int) -> None:
    found = findings(KernelArgumentMismatch, HANDLE.replace("GIVEN", given))
    assert [one.message.startswith("the handle itself") for one in found] == [True] * told


LAUNCHER = """#include <cuda.h>
#include <vector>
extern "C" __global__ void gain(float *x, unsigned n, float by) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= by;
}
class Arguments {
public:
    template <class T> void add(const T &value) {
        kept.push_back(Slot{});
        *reinterpret_cast<T *>(kept.back().bytes) = value;
    }
    void **data() {
        at.clear();
        for (Slot &one : kept) at.push_back(one.bytes);
        return at.data();
    }
private:
    struct Slot { alignas(16) unsigned char bytes[16]; };
    std::vector<Slot> kept;
    std::vector<void *> at;
};
void launch(CUfunction f, unsigned blocks, std::vector<void *> args) {
    cuLaunchKernel(f, blocks, 1, 1, 64, 1, 1, 0, 0, args.data(), 0);
}
void run(CUmodule m, CUdeviceptr x, unsigned n, float by, double wide, bool twice) {
    CUfunction f;
    cuModuleGetFunction(&f, m, "gain");
    GIVEN
}
"""
KEPT = "Arguments a; {} cuLaunchKernel(f, (n + 63) / 64, 1, 1, 64, 1, 1, 0, 0, a.data(), 0);"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("launch(f, (n + 63) / 64, {&x, &n, &by});", 0),
        ("launch(f, (n + 63) / 64, {&x, &n, &wide});", 1),
        ("std::vector<void *> a{&x, &n}; a.push_back(&by); launch(f, (n + 63) / 64, a);", 0),
        ("std::vector<void *> a{&x, &n}; launch(f, (n + 63) / 64, a);", 1),
        ("std::vector<void *> a{&x, &n}; if (twice) a.push_back(&by); launch(f, (n + 63) / 64, a);", 0),
        (KEPT.format("a.add(x); a.add(n); a.add(by);"), 0),
        (KEPT.format("a.add(x); a.add(by); a.add(n);"), 1),
        (KEPT.format("a.add(x); a.add(n);"), 1),
        (KEPT.format("a.add(x); a.add(n); if (twice) a.add(by);"), 0),
    ],
)
def test_sequences_handed_on_and_classes_that_keep_arguments(given: str, told: int) -> None:
    assert len(findings(KernelArgumentMismatch, LAUNCHER.replace("GIVEN", given))) == told


def test_a_handle_of_a_kernel_whose_name_is_no_literal_the_second_time() -> None:
    code = """#include <CL/cl.h>
static const char *text = "kernel void turn(uint p, global float *x) { x[get_global_id(0)] *= p; }"
                          "kernel void scale(global float *x, uint n) { if (get_global_id(0) < n) x[0] *= 2.0f; }";
void run(cl_program p, cl_command_queue q, cl_mem x, cl_uint n, const char *name) {
    size_t all = 64;
    cl_kernel k = clCreateKernel(p, "turn", 0);
    clSetKernelArg(k, 0, sizeof(cl_uint), &n);
    clSetKernelArg(k, 1, sizeof(cl_mem), &x);
    clEnqueueNDRangeKernel(q, k, 1, 0, &all, 0, 0, 0, 0);
    k = clCreateKernel(p, name, 0);
    clSetKernelArg(k, 0, sizeof(cl_mem), &x);
    clSetKernelArg(k, 1, sizeof(cl_uint), &n);
    clEnqueueNDRangeKernel(q, k, 1, 0, &all, 0, 0, 0, 0);
}
"""
    assert not findings(KernelArgumentMismatch, code)


WIPE = """#include <CL/cl.h>
static const char *text = "kernel void bench(global int *data) { data[get_global_id(0)] += 1; }"
                          "kernel void fill(uint n, global uint *to) { to[get_global_id(0)] = n; }";
static void wipe(cl_kernel kernel, cl_command_queue queue, cl_mem to, cl_uint n) {
    const size_t local = 64, global = 64 * 64;
    clSetKernelArg(kernel, 0, sizeof(cl_uint), &n);
    clSetKernelArg(kernel, 1, sizeof(cl_mem), &to);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
}
void build(cl_program program, cl_kernel &kernel) { kernel = clCreateKernel(program, "bench", NULL); }
void run(cl_program program, cl_command_queue queue, cl_mem to) {
    cl_kernel OTHER;
    OTHER = clCreateKernel(program, "NAME", NULL);
    wipe(OTHER, queue, to, 7);
}
"""


@pytest.mark.parametrize(
    ("other", "name", "bad"), [("other", "fill", False), ("kernel", "bench", True), ("kernel", "fill", False)]
)
def test_a_parameter_is_no_handle_of_that_name_in_another_function(other: str, name: str, bad: bool) -> None:
    code = WIPE.replace("OTHER", other).replace("NAME", name)
    assert bool(findings(KernelArgumentMismatch, code)) is bad
