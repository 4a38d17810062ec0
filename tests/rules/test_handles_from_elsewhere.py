"""Launches by a handle that somebody else made, of the only kernel that the file has."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard
from kernlint_rules.launch.kernel_argument_mismatch import KernelArgumentMismatch
from kernlint_rules.launch.launch_limits import LaunchLimits

from tests.rules.marked import findings

GIVEN = """
#include <CL/cl.h>
static const char *text =
    "kernel void shift(global float *to, global const float *from, const float by, const uint count) {\\n"
    "    const uint i = get_global_id(0);\\n"
    "    if (i < count) to[i] = from[i] + by;\\n"
    "}\\n";
struct work { cl_context context; cl_command_queue queue; cl_kernel op; };
int run(struct work *w, const float *in, float by, cl_uint count) {
    cl_int err;
    const size_t group = 64, all = ALL;
    cl_mem from = clCreateBuffer(w->context, CL_MEM_COPY_HOST_PTR, count * sizeof(float), (void *)in, &err);
    if (err) return err;
    cl_mem to = clCreateBuffer(w->context, CL_MEM_READ_WRITE, BYTES, NULL, &err);
    if (err) { clReleaseMemObject(from); return err; }
    err = clSetKernelArg(w->op, 0, sizeof(cl_mem), &to);
    err |= clSetKernelArg(w->op, 1, sizeof(cl_mem), &from);
    err |= clSetKernelArg(w->op, 2, sizeof(cl_float), &by);
    err |= clSetKernelArg(w->op, LAST, sizeof(cl_uint), &count);
    if (!err) err = clEnqueueNDRangeKernel(w->queue, w->op, 1, NULL, &all, GROUP, 0, NULL, NULL);
    clReleaseMemObject(from);
    clReleaseMemObject(to);
    return err;
}
"""

ROUNDED = "(count + group - 1) / group * group"
WHOLE = "count * sizeof(float)"
RULES = (KernelArgumentMismatch, LaunchLimits, MissingBoundsGuard, WrongBoundsGuard)


@pytest.mark.parametrize(
    ("all_", "bytes_", "last", "group", "told"),
    [
        (ROUNDED, WHOLE, "3", "&group", ""),
        ("count", WHOLE, "3", "NULL", ""),
        ("count", WHOLE, "3", "&group", "may be no whole number of groups of 64"),
        (ROUNDED, WHOLE, "2", "&group", "the argument of index 2 is set a second time, and count is never set"),
        (ROUNDED, "count", "3", "&group", "bytes are allocated for to, and the kernel needs 4 times as many"),
        ("count", "count", "3", "NULL", "bytes are allocated for to, and the kernel needs 4 times as many"),
    ],
)
def test_a_handle_of_somebody_else(all_: str, bytes_: str, last: str, group: str, told: str) -> None:
    source = GIVEN.replace("ALL", all_).replace("BYTES", bytes_).replace("LAST", last).replace("GROUP", group)
    found = [one for rule in RULES for one in findings(rule, source)]
    assert [told in one.message for one in found] == ([True] if told else [])


def test_nothing_is_said_where_another_kernel_may_be_meant() -> None:
    source = GIVEN.replace("ALL", "count").replace("BYTES", "count").replace("LAST", "3").replace("GROUP", "&group")
    more = source + 'static const char *other = "kernel void other(global float *x) { x[0] = 0; }";\n'
    assert not [one for rule in RULES for one in findings(rule, more)]
