"""Assembly that jumps to a label in another statement of assembly: what lies between is under a test out of sight."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.negative_index import NegativeIndex

from tests.rules.marked import assert_marked

CODE = """
kernel void blur(global const int *x, global int *y) {
    const int i = get_global_id(1) * get_global_size(0) + get_global_id(0);
    const int before = i - (int)get_global_size(0);
    __asm__ volatile("FIRST" : : "rw"(before));
    y[i] = (x[before] + x[i]) / 2;MARK
    __asm__ volatile("SECOND");
    y[i] += x[i];
}
"""


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        ("cmp.lt (M1, 16) P1 %0(0,0)<1;1,0> 0x0:d\\n(P1) goto (M1, 16) behind\\nhere:\\n", "behind:\\n", False),
        ("mov (M1, 16) V1(0,0)<1> %0(0,0)<1;1,0>\\n", "mov (M1, 16) V2(0,0)<1> V1(0,0)<1;1,0>\\n", True),
    ],
)
def test_a_label_alone(first: str, second: str, told: bool) -> None:
    code = CODE.replace("FIRST", first).replace("SECOND", second).replace("MARK", "  // bad" * told)
    assert_marked(NegativeIndex, code, "opencl")
