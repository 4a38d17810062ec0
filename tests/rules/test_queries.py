"""Queries of OpenCL's objects with room for less than their answers."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.byte_count_mismatch import ByteCountMismatch

from tests.rules.marked import findings

ASKED = """
#include <CL/cl.h>
size_t largest(cl_kernel k, cl_device_id d, cl_event e) {
    TYPE answer = 0;
    size_t needed = 0;
    if (CALL != CL_SUCCESS) return 0;
    return (size_t)answer + needed;
}
"""


@pytest.mark.parametrize(
    ("kind", "call", "told"),
    [
        ("cl_uint", "clGetKernelWorkGroupInfo(k, d, CL_KERNEL_WORK_GROUP_SIZE, sizeof(answer), &answer, NULL)", True),
        ("size_t", "clGetKernelWorkGroupInfo(k, d, CL_KERNEL_WORK_GROUP_SIZE, sizeof(answer), &answer, NULL)", False),
        ("cl_uint", "clGetDeviceInfo(d, CL_DEVICE_LOCAL_MEM_SIZE, sizeof(answer), &answer, NULL)", True),
        ("cl_uint", "clGetDeviceInfo(d, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(answer), &answer, NULL)", False),
        ("cl_uint", "clGetDeviceInfo(d, CL_DEVICE_LOCAL_MEM_SIZE, 0, NULL, &needed)", False),
        ("float", "clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_START, sizeof(answer), &answer, NULL)", True),
        ("cl_ulong", "clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, sizeof(answer), &answer, NULL)", False),
    ],
)
def test_room_for_an_answer(kind: str, call: str, told: bool) -> None:
    code = ASKED.replace("TYPE", kind).replace("CALL", call)
    assert bool(findings(ByteCountMismatch, code)) is told
