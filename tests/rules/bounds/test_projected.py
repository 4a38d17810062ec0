"""The two rows of a projection of one position, of which one is tested."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import findings

SHADOW = """
struct Eye { float m[8]; int w, h; };
__global__ void shadow(const float3 *corner, int n, Eye eye, unsigned *seen) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float3 p = corner[i];
    const float side = eye.m[0] * p.x + eye.m[1] * p.y + eye.m[2] * p.z + eye.m[3];
    const float up = eye.m[4] * p.x + eye.m[5] * p.y + eye.m[6] * p.z + eye.m[7];
    BEFORE
    const int u = __float2int_rd(side), v = __float2int_rd(up);
    if (TEST) atomicOr(&seen[v * eye.w + u], 1u);
}
"""


@pytest.mark.parametrize(
    ("before", "test", "bad"),
    [
        ("", "u >= 0 && u < eye.w", True),
        ("", "v >= 0 && v < eye.h", True),
        ("if (p.z < 0.1f) return;", "u >= 0 && u < eye.w", True),
        ("", "u >= 0 && u < eye.w && v >= 0 && v < eye.h", False),
        ("if (up < 0.0f || up >= (float)eye.h) return;", "u >= 0 && u < eye.w", False),
        ("if (fabsf(eye.m[6] * p.z) > 1.0f) return;", "u >= 0 && u < eye.w", False),
    ],
)
def test_two_rows_of_a_projection(before: str, test: str, bad: bool) -> None:
    found = findings(WrongBoundsGuard, SHADOW.replace("BEFORE", before).replace("TEST", test))
    assert any("coordinate" in one.message for one in found) is bad, [one.message for one in found]
