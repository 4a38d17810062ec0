"""Tests whose outcomes an array of the thread keeps until they are asked for."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import assert_marked

KEPT = """
__global__ void scale(const float *x, float *y, int n) {
    int base = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (base >= n) return;
    bool ok[4];
    FILL
    float v[4];
    for (int i = 0; i < 4; ++i) v[i] = ok[i] ? x[base + i] : 0.0f;
    for (int i = 0; i < 4; ++i) if (ASKED) y[base + i] = 2 * v[i];MARK
}
void run(const float *x, float *y, int n) { scale<<<((n + 3) / 4 + 127) / 128, 128>>>(x, y, n); }
"""
LOOP = "for (int i = 0; i < 4; ++i) ok[i] = i < n - base;"
SHORTER = "for (int i = 3; i >= 0; --i) ok[i] = base + i < n;"
OTHER = "for (int i = 0; i < 4; ++i) ok[i] = base < n;"


@pytest.mark.parametrize(
    ("fill", "asked", "told"),
    [
        (LOOP, "ok[i]", False),
        (SHORTER, "ok[i]", False),
        (LOOP, "ok[0]", True),
        (OTHER, "ok[i]", True),
        (LOOP, "true", True),
    ],
)
def test_the_outcome_for_each_element(fill: str, asked: str, told: bool) -> None:
    code = KEPT.replace("FILL", fill).replace("ASKED", asked).replace("MARK", "  // bad" * told)
    lines = [line for line in code.splitlines() if "v[i] = ok" not in line or fill is not OTHER]
    code = "\n".join(lines).replace("2 * v[i]", "2" if fill is OTHER else "2 * v[i]")
    assert_marked(WrongBoundsGuard, code)
