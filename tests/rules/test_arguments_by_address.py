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
