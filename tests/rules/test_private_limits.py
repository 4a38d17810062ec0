"""From which size on private arrays are worth a warning."""

from __future__ import annotations

import pytest
from kernlint_rules.resources.oversized_private_array import OversizedPrivateArray

from tests.rules.marked import findings

RANK = """
#define SIDE SIZE
inline float at(__global const float *in, const int x, const int y, const int w) { return in[y * w + x]; }
__kernel void rank(__global const float *in, __global float *out, const int w, const int picked) {
    float seen[SIDE * SIDE];
    const int x = get_global_id(0), y = get_global_id(1);
    for (int j = 0; j < SIDE; ++j)
        for (int i = 0; i < SIDE; ++i) seen[j * SIDE + i] = at(in, x + i, y + j, w);
    out[y * w + x] = seen[picked % (SIDE * SIDE)];
}
"""


@pytest.mark.parametrize(("side", "level"), [(9, []), (31, ["NOTE"]), (45, ["NOTE"]), (47, ["WARNING"])])
def test_levels(side: int, level: list[str]) -> None:
    shown = findings(OversizedPrivateArray, RANK.replace("SIZE", str(side)), "opencl")
    assert [one.severity.name for one in shown] == level
