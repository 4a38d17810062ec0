"""Arguments of kernels that are passed by their addresses, one by one or in an array."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.kernel_argument_mismatch import KernelArgumentMismatch

from tests.rules.marked import findings

ITSELF = """
struct Range { int first, last; };
template <typename T> __global__ void scale(T *x, double *y, const Range *r, float by, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { x[i] *= by; y[i] = r->first; }
}
void run(float *x, double *y, Range *r, float by, int n, int m, float **px, char *slot, void *any,
         int *pn, long *word) {
    void *args[] = {ARGS};
    cudaLaunchKernel((const void *)scale<float>, dim3((m + 63) / 64), dim3(64), args, 0, 0);
}
"""


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ("&x, &y, &r, &by, &n", False),
        ("(void *)x, &y, &r, &by, &n", True),
        ("&x, y, &r, &by, &n", True),
        ("&x, &y, r, &by, &n", True),
        ("px, slot, any, &by, pn", False),  # each leads to a variable that holds the argument, as far as is known
        ("word, &y, &r, &by, &n", False),  # an address that is kept as a number
    ],
)
def test_a_pointer_in_place_of_its_address(args: str, told: bool) -> None:
    found = findings(KernelArgumentMismatch, ITSELF.replace("ARGS", args))
    assert any("the value itself stands" in one.message for one in found) is told


ONLY = """
const char *text = R"(
kernel void sum(global const float *in, global float *out, local float *part, const uint n) {
    part[get_local_id(0)] = get_global_id(0) < n ? in[get_global_id(0)] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) out[get_group_id(0)] = part[0];
}
OTHER)";
cl_int run(cl_command_queue queue, cl_kernel kernel, cl_program program, cl_mem in, cl_mem out, cl_uint n) {
    const size_t all = 4096, group = 64;
    clSetKernelArg(kernel, 0, sizeof(cl_mem), &in);
    clSetKernelArg(kernel, 1, sizeof(cl_mem), &out);
    SET
    return clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &all, &group, 0, nullptr, nullptr);
}
"""

RIGHT = "clSetKernelArg(kernel, 2, 64 * 4, nullptr); clSetKernelArg(kernel, 3, 4, &n);"
EXCHANGED = "clSetKernelArg(kernel, 2, 4, &n); clSetKernelArg(kernel, 3, 64 * 4, nullptr);"
WIDE = "size_t wide = n; clSetKernelArg(kernel, 2, 64 * 4, nullptr); clSetKernelArg(kernel, 3, sizeof wide, &wide);"


@pytest.mark.parametrize(
    ("settings", "other", "told"),
    [
        (RIGHT, "", False),
        (EXCHANGED, "", True),
        (WIDE, "", True),
        (EXCHANGED + "clSetKernelArg(kernel, 4, 4, &n);", "", False),  # of a kernel with more arguments
        ("clSetKernelArg(kernel, 2, 4, &n);", "", False),
        ("clSetKernelArg(kernel, 2, 4, &n); clSetKernelArg(kernel, 3, 8, &in);", "", False),  # nothing like it
        (EXCHANGED, "kernel void more(global float *out) { out[get_global_id(0)] = 0.0f; }", False),
        (EXCHANGED + 'cl_kernel more = clCreateKernel(program, "more", nullptr);', "", False),
    ],
)
def test_a_handle_from_elsewhere_is_of_the_only_kernel(settings: str, other: str, told: bool) -> None:
    code = ONLY.replace("SET", settings).replace("OTHER", other)
    assert bool(findings(KernelArgumentMismatch, code)) is told


HANDED = """
extern "C" __global__ void shift(const float *in, float *out, size_t n, float by) {
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] + by;
}
class Shift {
public:
    Shift(CUfunction function, CUstream stream) : function_(function), stream_(stream) {}
    void operator()(CUdeviceptr in, CUdeviceptr out, COUNT n, float by) {
        void *args[] = {ARGS};
        cuLaunchKernel(function_, (n + 63) / 64, 1, 1, 64, 1, 1, 0, stream_, args, nullptr);
    }
private:
    CUfunction function_;
    CUstream stream_;
};
"""


@pytest.mark.parametrize(
    ("count", "args", "told"),
    [
        ("size_t", "&in, &out, &n, &by", False),
        ("int", "&in, &out, &n, &by", True),
        ("int", "&in, &n, &by", False),  # of a kernel with fewer
        ("int", "&n, &n, &by, &by", False),  # nothing like it
    ],
)
def test_addresses_for_a_function_from_elsewhere(count: str, args: str, told: bool) -> None:
    code = HANDED.replace("COUNT", count).replace("ARGS", args)
    assert bool(findings(KernelArgumentMismatch, code)) is told
