"""Cells at the rim of a grid that are told apart: whoever is beyond the rim is none of them, and goes on."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard

from tests.rules.marked import findings

RELAX = """
__global__ void relax(const float *old, float *heat, float *flux, int w, int h) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int j = blockIdx.y * blockDim.y + threadIdx.y;
    const int c = j * w + i;
    TEST
    heat[c] = 0.25f * (old[c] + flux[c]);
}

void go(const float *old, float *heat, float *flux, int w, int h) {
    dim3 block(32, 8);
    dim3 grid(BLOCKS);
    relax<<<grid, block>>>(old, heat, flux, w, h);
}
"""

UP = "(w + 31) / 32, (h + 7) / 8"


@pytest.mark.parametrize(
    ("test", "blocks", "bad"),
    [
        ("if (i == 0 || j == 0 || i == w - 1 || j == h - 1) return;", UP, True),
        ("if (i == w - 1 || j == h - 1) return;", UP, True),
        ("if (i == 0 || i + 1 == w) { flux[c] = 0.0f; return; }", UP, True),
        ("if (i != w - 1 && j != h - 1)", UP, True),
        ("if (i >= w || j >= h || i == 0 || i == w - 1) return;", UP, False),
        ("if (i >= w - 1 || j >= h - 1) return;", UP, False),
        ("if (i < w && j < h && i != w - 1)", UP, False),
        ("if (i == 0 || i == w - 1) return;", "w / 32, h / 8", False),
        ("for (int k = c; k != w * h; k += w * h - c) if (k < w * h)", UP, False),
        ("if (i > w - 1 || j > h - 1 || j == h - 1) return;", UP, False),
    ],
)
def test_the_rim_is_no_limit(test: str, blocks: str, bad: bool) -> None:
    code = RELAX.replace("TEST", test).replace("BLOCKS", blocks)
    assert bool(findings(MissingBoundsGuard, code)) == bad
