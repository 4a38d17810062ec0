"""Axes along which the threads of one block share the work, where no launch is in sight."""

from kernlint import registry
from tests.rules.marked import assert_marked

RULE = registry.load().get("KL205")

ROWS = """\
__kernel void sums(__global const float *x, __global float *y, const int n, const int rows) {
    __local float part[64];
    if (get_global_id(0) >= n || get_global_id(1) >= rows) return;
    int l = get_local_id(0), row = get_global_id(1);
    float sum = 0;
    for (int i = l; i < n; i += 64) sum += x[row * n + i];
    part[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        for (int i = 1; i < 64; i++) sum += part[i];
        y[%s] = sum;%s
    }
}
"""


def test_a_row_is_the_work_of_one_group():
    assert_marked(RULE, ROWS % ("row", ""), "opencl")
    assert_marked(RULE, ROWS % ("0", "  // bad"), "opencl")
