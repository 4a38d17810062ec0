"""Times of commands of queues that take none."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.unsynchronised_host_read import UnsynchronisedHostRead

from tests.rules.marked import findings

PROGRAM = """
#include <CL/cl.h>
struct Timed {
    cl_command_queue queue;
    cl_event last;
    Timed(cl_context context, cl_device_id device, cl_command_queue_properties given) {
        cl_int status;
        queue = clCreateCommandQueue(context, device, FLAGS, &status);
    }
    void run(cl_kernel kernel, size_t all) {
        clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &all, nullptr, 0, nullptr, &last);
        clFinish(queue);
    }
    double took() { return ASKED; }
};
static cl_ulong at(cl_event of, cl_profiling_info what) {
    cl_ulong found = 0;
    clGetEventProfilingInfo(of, what, sizeof found, &found, nullptr);
    return found;
}
double Timed::took() { return BODY; }
MORE
"""
ASKED = "at(last, CL_PROFILING_COMMAND_END) - at(last, CL_PROFILING_COMMAND_START)"


@pytest.mark.parametrize(
    ("flags", "asked", "more", "told"),
    [
        ("0", ASKED, "", True),
        ("CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE", ASKED, "", True),
        ("CL_QUEUE_PROFILING_ENABLE", ASKED, "", False),
        ("CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE", ASKED, "", False),
        ("given", ASKED, "", False),
        ("0", ASKED, "cl_ulong of(cl_event e) { return at(e, CL_PROFILING_COMMAND_QUEUED); }", False),
        ("0", ASKED, "cl_command_queue make(); void use() { Timed(0, 0, 0).queue = make(); }", False),
    ],
)
def test_times_that_a_queue_does_not_take(flags: str, asked: str, more: str, told: bool) -> None:
    code = PROGRAM.replace("{ return ASKED; }", ";").replace("FLAGS", flags).replace("BODY", asked)
    found = findings(UnsynchronisedHostRead, code.replace("MORE", more))
    assert ["takes no times" in one.message for one in found] == [True] * told
