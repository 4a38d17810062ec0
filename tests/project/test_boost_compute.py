"""Launches of Boost.Compute, whose classes wrap those of OpenCL."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.test_launches_elsewhere import found

KERNEL = """
kernel void turned(global const float *x, global float *y) {
    local float tile[32];
    tile[get_local_id(0)] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    y[get_global_id(0)] = tile[31 - get_local_id(0) % 32];
}
"""
HOST = """
#include <boost/compute/core.hpp>
namespace compute = boost::compute;
static void go(compute::command_queue &queue, compute::kernel &kernel, size_t n) {
    size_t group = SIZE, all = n * 32;
    LAUNCH
}
void run(compute::command_queue &queue, compute::program &program, compute::buffer &x, compute::buffer &y, size_t n) {
    compute::kernel kernel = MADE;
    kernel.set_args(x, y);
    go(queue, kernel, n);
}
"""
LAUNCHES = (
    "queue.enqueue_1d_range_kernel(kernel, 0, all, group);",
    "compute::event done = queue.enqueue_nd_range_kernel(kernel, 1, nullptr, &all, &group);",
    "queue.enqueue_nd_range_kernel(kernel, 1, nullptr, compute::dim(all).data(), compute::dim(group).data());",
)


@pytest.mark.parametrize("launch", LAUNCHES)
@pytest.mark.parametrize("made", ['program.create_kernel("turned")', 'compute::kernel(program, "turned")'])
@pytest.mark.parametrize(("size", "told"), [("32", False), ("64", True)])
def test_sizes_of_groups(tmp_path: Path, launch: str, made: str, size: str, told: bool) -> None:
    host = HOST.replace("LAUNCH", launch).replace("MADE", made).replace("SIZE", size)
    assert found(tmp_path, {"turned.cl": KERNEL, "run.cpp": host}) == ["turned.cl:array-index-out-of-range"] * told


def test_a_size_that_the_runtime_chooses(tmp_path: Path) -> None:
    launch = "queue.enqueue_1d_range_kernel(kernel, 0, all, 0);"
    host = HOST.replace("LAUNCH", launch).replace("MADE", 'program.create_kernel("turned")').replace("SIZE", "64")
    assert found(tmp_path, {"turned.cl": KERNEL, "run.cpp": host}) == []
