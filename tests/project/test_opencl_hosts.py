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
