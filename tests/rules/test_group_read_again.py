"""Global sizes that are rounded to a group which is read once more for the launch, with calls between."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.launch_limits import LaunchLimits

from tests.rules.marked import findings

SNAPPED = """
#include <CL/cl.h>
static const char *text =
    "kernel void shift(global float *x, const float by, const uint count) {\\n"
    "    const uint i = get_global_id(0);\\n"
    "    if (i >= count) return;\\n"
    "    x[i] += by;\\n"
    "}\\n";
static size_t groupSize = 64, other = 32;
static cl_command_queue queue;
static cl_kernel kernel;
static void check(cl_int code);
void setup(cl_program program, size_t wished) {
    cl_int code;
    kernel = clCreateKernel(program, "shift", &code);
    groupSize = wished;
    other = wished;
}
static size_t snap(size_t a, size_t b) { return a % b == 0 ? a : a - a % b + b; }
void shift(cl_mem x, float by, unsigned count) {
    cl_int code;
    size_t global = ALL;
    code = clSetKernelArg(kernel, 0, sizeof(cl_mem), (void *)&x);
    code |= clSetKernelArg(kernel, 1, sizeof(float), (void *)&by);
    code |= clSetKernelArg(kernel, 2, sizeof(unsigned), (void *)&count);
    check(code);
    code = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &groupSize, 0, NULL, NULL);
    check(code);
}
struct System { cl_mem x; unsigned count; void step() { shift(x, 0.5f, count); shift(x, 0.25f, count); } };
void twice(System *system) { system->step(); }
"""


@pytest.mark.parametrize(
    ("size", "bad"),
    [
        ("snap(count, groupSize)", False),
        ("(count + groupSize - 1) / groupSize * groupSize", False),
        ("snap(count, other)", True),
        ("count + 1", True),
    ],
)
def test_the_group_is_read_again(size: str, bad: bool) -> None:
    found = findings(LaunchLimits, SNAPPED.replace("ALL", size))
    assert any("whole number of groups" in one.message for one in found) is bad
