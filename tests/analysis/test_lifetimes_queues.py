"""Memory that ends while a queue still has work with it: vectors of the host, shared virtual memory."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.device_use_after_free import DeviceUseAfterFree
from kernlint_rules.launch.unsynchronised_host_read import UnsynchronisedHostRead

from kernlint.rule import RuleClass
from tests.rules.marked import assert_pair

CASES: dict[str, tuple[RuleClass, str]] = {
    "a vector that is sent by a call whose status makes a helper throw": (
        UnsynchronisedHostRead,
        """
        #include <CL/cl.h>
        #include <stdexcept>
        #include <vector>
        static void need(cl_int rc) { if (rc != CL_SUCCESS) throw std::length_error("queue"); }
        void send(cl_command_queue queue, cl_mem to, const double *from, size_t n) {
            std::vector<float> small(from, from + n);
            need(clEnqueueWriteBuffer(queue, to, CL_FALSE, 0, 4 * n, small.data(), 0, NULL, NULL));  // only bad  // bad
            need(clEnqueueWriteBuffer(queue, to, CL_TRUE, 0, 4 * n, small.data(), 0, NULL, NULL));  // only good
        }
        """,
    ),
    "a queue of several, waited for by the first one's address": (
        UnsynchronisedHostRead,
        """
        #include <CL/cl.h>
        #include <vector>
        extern cl_command_queue *queues;
        void send(cl_mem to, const float *from, size_t n, unsigned devices) {
            std::vector<float> parts(from, from + n);
            for (unsigned d = 0; d < devices; ++d)
                clEnqueueWriteBuffer(queues[d], to, CL_FALSE, 0, 4 * n, parts.data(), 0, 0, 0);  // only bad  // bad
                clEnqueueWriteBuffer(queues[d], to, CL_TRUE, 0, 4 * n, parts.data(), 0, NULL, NULL);  // only good
            clFinish(*queues);
        }
        """,
    ),
    "shared virtual memory that is unmapped": (
        DeviceUseAfterFree,
        """
        #include <CL/cl.h>
        float first(cl_context context, cl_command_queue queue, cl_kernel fill, size_t n) {
            float *x = (float *)clSVMAlloc(context, CL_MEM_READ_WRITE, 4 * n, 0);
            clSetKernelArgSVMPointer(fill, 0, x);
            clEnqueueNDRangeKernel(queue, fill, 1, NULL, &n, NULL, 0, NULL, NULL);
            clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, x, 4 * n, 0, NULL, NULL);
            const float value = x[0];
            cl_event over;
            clEnqueueSVMUnmap(queue, x, 0, NULL, &over);
            clWaitForEvents(1, &over);  // only good
            clSVMFree(context, x);  // bad
            return value;
        }
        """,
    ),
    "shared virtual memory that a kernel was launched with": (
        DeviceUseAfterFree,
        """
        #include <CL/cl.h>
        void run(cl_context context, cl_command_queue queue, cl_kernel sum, cl_mem out, size_t n) {
            int *scratch = (int *)clSVMAlloc(context, CL_MEM_READ_WRITE, 4 * n, 0);
            clSetKernelArg(sum, 0, sizeof(out), &out);
            clSetKernelArgSVMPointer(sum, 1, scratch);
            clEnqueueNDRangeKernel(queue, sum, 1, NULL, &n, NULL, 0, NULL, NULL);
            clFinish(queue);  // only good
            clSVMFree(context, scratch);  // bad
        }
        """,
    ),
    "shared virtual memory of a kernel before a copy that waits": (
        DeviceUseAfterFree,
        """
        #include <CL/cl.h>
        void run(cl_context context, cl_command_queue queue, cl_kernel sum, cl_mem out, int *found, size_t n) {
            int *scratch = (int *)clSVMAlloc(context, CL_MEM_READ_WRITE, 4 * n, 0);
            clSetKernelArgSVMPointer(sum, 0, scratch);
            clEnqueueNDRangeKernel(queue, sum, 1, NULL, &n, NULL, 0, NULL, NULL);
            clEnqueueReadBuffer(queue, out, CL_FALSE, 0, 4, found, 0, NULL, NULL);  // only bad
            clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 4, found, 0, NULL, NULL);  // only good
            clSVMFree(context, scratch);  // bad
        }
        """,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_fault_and_its_repair(name: str) -> None:
    rule, code = CASES[name]
    assert_pair(rule, code)
