"""Vectors that helpers read lane by lane through a reference."""

from __future__ import annotations

import pytest
from kernlint_rules.memory.misaligned_vector_access import MisalignedVectorAccess

from tests.rules.marked import assert_marked

ROWS = """
__device__ float fold(const float4 &v) { return LANES; }
__global__ void norms(const float *x, float *y, int rows, int wide) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    CHECK
    const float *row = x + (size_t)r * PITCH;
    const float4 *v = (const float4 *)row;
    float s = 0.0f;
    int k = 0;
    for (; k + 4 <= wide; k += 4) s += fold(v[k / 4]); MARK
    REST
    y[r] = s;
}
"""
ALL, REST = "v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w", "for (; k < wide; ++k) s += row[k] * row[k];"


@pytest.mark.parametrize(
    ("lanes", "check", "pitch", "rest", "bad"),
    [
        (ALL, "", "wide", REST, True),
        ("v.x", "", "wide", REST, False),  # one number of four
        (ALL, "", "wide", "", False),  # who handles no rest has rows of whole vectors
        (ALL, "", "((wide + 3) / 4 * 4)", REST, False),
        (ALL, "if (wide % 4) return;", "wide", REST, False),
    ],
)
def test_lanes_through_a_reference(lanes: str, check: str, pitch: str, rest: str, bad: bool) -> None:
    text = ROWS.replace("LANES", lanes).replace("CHECK", check).replace("PITCH", pitch).replace("REST", rest)
    assert_marked(MisalignedVectorAccess, text.replace("MARK", "// bad" * bad))
