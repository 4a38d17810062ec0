"""OpenCL's global ids begin where a launch lets them begin."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.test_launches_elsewhere import found

KERNEL = """
__kernel void relax(__global const float *old, __global float *now, int pitch) {
    int x = get_global_id(0), y = get_global_id(1);
    int at = y * pitch + x;
    now[at] = 0.25f * (old[at - pitch] + old[at + pitch] + old[at - 1] + old[at + 1]);
}
"""

HEADER = """
#include <CL/cl.h>
struct Device {
    cl_command_queue queue;
    cl_kernel relax;
    Device(cl_program program) { cl_int status; relax = clCreateKernel(program, "relax", &status); }
};
"""

HOST = """
#include <thread>
#include "device.h"
void smooth(cl_program program, cl_mem old, cl_mem now, int pitch, int rows) {
    Device device(program);
    std::thread worker([&]() {
        size_t local[2] = {16, 16}, global[2] = {(size_t)pitch - 2, (size_t)rows - 2};
        START
        clSetKernelArg(device.relax, 0, sizeof(cl_mem), &old);
        clSetKernelArg(device.relax, 1, sizeof(cl_mem), &now);
        clSetKernelArg(device.relax, 2, sizeof(int), &pitch);
        clEnqueueNDRangeKernel(device.queue, device.relax, 2, OFFSET, global, local, 0, NULL, NULL);
    });
    worker.join();
}
"""

BEFORE = "relax.cl:negative-index"


@pytest.mark.parametrize(
    ("start", "offset", "expected"),
    [
        ("size_t first[2] = {1, 1};", "first", []),
        ("size_t first[2] = {(size_t)pitch / 2, 1};", "first", []),
        ("", "NULL", [BEFORE]),
        ("size_t first[2] = {0, 0};", "first", [BEFORE]),
        ("const size_t *first = nullptr;", "first", [BEFORE]),
    ],
)
def test_ids_begin_where_the_launch_says(tmp_path: Path, start: str, offset: str, expected: list[str]) -> None:
    host = HOST.replace("START", start).replace("OFFSET", offset)
    files = {"relax.cl": KERNEL, "device.h": HEADER, "main.cpp": host}
    assert found(tmp_path, files) == expected


BINDINGS = """
#include <CL/cl.hpp>
void smooth(cl::Program &program, cl::CommandQueue &queue, cl::Buffer &old, cl::Buffer &now, int pitch, int rows) {
    cl::Kernel relax(program, "relax");
    relax.setArg(0, old);
    relax.setArg(1, now);
    relax.setArg(2, pitch);
    queue.enqueueNDRangeKernel(relax, OFFSET, cl::NDRange(pitch - 2, rows - 2), cl::NDRange(16, 16));
}
"""


@pytest.mark.parametrize(
    ("offset", "expected"),
    [
        ("cl::NDRange(1, 1)", []),
        ("cl::NDRange(pitch, 1)", []),
        ("cl::NullRange", [BEFORE]),
        ("cl::NDRange(0, 0)", [BEFORE]),
    ],
)
def test_bindings(tmp_path: Path, offset: str, expected: list[str]) -> None:
    assert found(tmp_path, {"relax.cl": KERNEL, "main.cpp": BINDINGS.replace("OFFSET", offset)}) == expected


PARTS = """
__kernel void scale(__global float *x, float by) { x[get_global_id(0)] *= by; }
"""

SPLIT = """
#include <CL/cl.h>
void scale(cl_program program, cl_command_queue queue, cl_mem x, float by, unsigned n) {
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t local = 64, half = n / 2 / 64 * 64, rest = n - half, global = (rest + 63) / 64 * 64;
    clSetKernelArg(kernel, 0, sizeof(cl_mem), &x);
    clSetKernelArg(kernel, 1, sizeof(float), &by);
    clEnqueueNDRangeKernel(queue, kernel, 1, OFFSET, &global, &local, 0, NULL, NULL);
}
"""


@pytest.mark.parametrize(("offset", "expected"), [("&half", []), ("NULL", ["scale.cl:missing-bounds-guard"])])
def test_sizes_of_a_part_are_no_end(tmp_path: Path, offset: str, expected: list[str]) -> None:
    assert found(tmp_path, {"scale.cl": PARTS, "main.cpp": SPLIT.replace("OFFSET", offset)}) == expected
