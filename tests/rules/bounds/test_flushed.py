"""What is left of a buffer that has been handed over in whole parts."""

import pytest

from kernlint import registry
from tests.rules.marked import assert_marked

RULE = registry.load().get("KL104")

COLLECT = """\
kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void collect(global const float *value, const int n, const float least, global int *out, global int *parts) {
    local int kept[128];
    local int count;
    const int lane = get_local_id(0);
    if (lane == 0) count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int first = 0; first < n; first += 32) {
        const int i = first + lane;
        if (i < n && value[i] > least) kept[atomic_inc(&count)] = i;
        barrier(CLK_LOCAL_MEM_FENCE);
        const int held = count;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (held > TEST) {
            const int whole = held / 32;
            for (int p = 0; p < whole; p++) out[(parts[get_group_id(0)] + p) * 32 + lane] = kept[p * 32 + lane];
            REST
            if (lane == 0) count = held - whole * 32;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
"""


@pytest.mark.parametrize(
    ("test", "rest", "mark"),
    [
        ("128 - 32", "kept[lane] = kept[lane + 32 * whole];", " // bad"),
        ("128 - 32", "if (lane + 32 * whole < held) kept[lane] = kept[lane + 32 * whole];", ""),
        ("128 - 64", "kept[lane] = kept[lane + 32 * whole];", ""),  # nothing says how many there may be
    ],
)
def test_a_full_buffer_has_nothing_behind_its_parts(test, rest, mark):
    assert_marked(RULE, COLLECT.replace("TEST", test).replace("REST", rest + mark), "opencl")
