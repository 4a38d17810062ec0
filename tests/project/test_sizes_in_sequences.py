"""Sizes that a launch takes from sequences which its function is given."""

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
#include <CL/cl.h>
#include <vector>
static void launch(cl_command_queue q, cl_kernel k, const std::vector<size_t> &all, const std::vector<size_t> &group) {
    clEnqueueNDRangeKernel(q, k, all.size(), nullptr, all.data(), group.data(), 0, nullptr, nullptr);
}
void run(cl_command_queue q, cl_program p, cl_mem x, cl_mem y, size_t n) {
    cl_kernel k = clCreateKernel(p, "turned", nullptr);
    clSetKernelArg(k, 0, sizeof(cl_mem), &x);
    clSetKernelArg(k, 1, sizeof(cl_mem), &y);
    LAUNCH
}
"""
LISTS = "launch(q, k, {n * 32}, {SIZE});"
NAMED = "std::vector<size_t> all = {n * 32}, group{SIZE}; launch(q, k, all, group);"


@pytest.mark.parametrize("launch", [LISTS, NAMED])
@pytest.mark.parametrize(("size", "told"), [("32", False), ("64", True)])
def test_lists_behind_a_function(tmp_path: Path, launch: str, size: str, told: bool) -> None:
    host = HOST.replace("LAUNCH", launch.replace("SIZE", size))
    assert found(tmp_path, {"turned.cl": KERNEL, "run.cpp": host}) == ["turned.cl:array-index-out-of-range"] * told


def test_a_sequence_out_of_sight_says_nothing(tmp_path: Path) -> None:
    host = HOST.replace("LAUNCH", "launch(q, k, all_of(n), group_of(n));")
    assert found(tmp_path, {"turned.cl": KERNEL, "run.cpp": host}) == []
