"""A number that the build gives, of which the sizes in a kernel are made (``-D WG=...``)."""

from __future__ import annotations

import pytest

from kernlint import registry
from kernlint.frontends.clang.sizes_given import size_names
from tests.rules.marked import assert_marked

SUM = """
__kernel %s void total(__global const float *in, __global float *out, int n) {
    __local float part[%s];
    int t = get_local_id(0);
    part[t] = get_global_id(0) < n ? in[get_global_id(0)] : 0.0f;
    for (int d = WG / 2; d > 0; d >>= 1) {
        %s
        if (t < d) part[t] += part[t + d];  // %s
        %s
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t == 0) out[get_group_id(0)] = part[0];
}
"""
BLOCK = "__attribute__((reqd_work_group_size(WG, 1, 1)))"
BARRIER = "barrier(CLK_LOCAL_MEM_FENCE);"


@pytest.mark.parametrize("block", ["", BLOCK])
@pytest.mark.parametrize("size", ["WG", "2 * WG"])
def test_one_name_for_the_sizes_gets_a_number(block: str, size: str) -> None:
    rule = registry.load().get("KL201")
    assert_marked(rule, SUM % (block, size, "", "bad", BARRIER), language="opencl")
    assert_marked(rule, SUM % (block, size, BARRIER, "good", ""), language="opencl")


def test_names_that_hang_together_get_none() -> None:
    text = SUM % ("__attribute__((reqd_work_group_size(WG, ROWS, 1)))", "WG", "", "not known", BARRIER)
    assert_marked(registry.load().get("KL201"), text, language="opencl")


def test_a_name_that_the_preprocessor_tests_gets_none() -> None:
    text = "#if WG > 32\n#define WIDE\n#endif\n" + SUM % (BLOCK, "WG", "", "not known", BARRIER)
    assert_marked(registry.load().get("KL201"), text, language="opencl")


def test_which_names_are_sizes() -> None:
    text = """
    __attribute__((reqd_work_group_size(LANES, 1, 1)))
    kernel void f() { __local float a[4], tile[SIDE][SIDE + 1]; float own[OWN]; x[PLACE] = 1; }
    """
    assert size_names(text, {"LANES", "SIDE", "OWN", "PLACE"}) == {"LANES": False, "SIDE": True}
