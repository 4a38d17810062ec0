"""Loops of the host whose rounds constants tell."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.launch_limits import LaunchLimits

from tests.rules.marked import findings

GROWN = """
__global__ void scaled(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 2; }
static dim3 shape() {
    dim3 block(16, 1, 1);
    LOOP
    return block;
}
void run(float *x, int n) {
    const dim3 block = shape();
    scaled<<<(n + block.x - 1) / block.x, block>>>(x, n);
}
"""


@pytest.mark.parametrize(
    ("loop", "told"),
    [
        ("while (block.x * block.y <= 1024) ++block.y;", True),
        ("while (block.x * (block.y + 1) <= 1024) ++block.y;", False),
        ("while (block.x * block.y < 1024) block.y += 3;", False),
        ("do { block.y += 25; } while (block.x * block.y < 1024);", True),
        ("do { block.y += 21; } while (block.x * block.y < 900);", False),
        ("for (int i = 0; i < 70; ++i) block.y = i;", True),
        ("for (int i = 0; i < 70; ++i) { if (i == 40) break; block.y = i; }", False),
    ],
)
def test_blocks_that_grow(loop: str, told: bool) -> None:
    assert bool(findings(LaunchLimits, GROWN.replace("LOOP", loop))) is told
