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


DOUBLED = """
__global__ void summed(const float *x, float *y, int n) {
    if (threadIdx.x < n) atomicAdd(y + blockIdx.x, x[threadIdx.x]);
}
void run(const float *x, float *y, int rows, int n) {
    if (CHECK) return;
    int threads = 64;
    LOOP
    summed<<<rows, threads>>>(x, y, n);
}
"""


@pytest.mark.parametrize(
    ("check", "loop", "told"),
    [
        ("n > 4096", "while (threads < n) threads *= 2;", True),
        ("n > 1024", "while (threads < n) threads *= 2;", False),
        ("n > 1030", "while (threads < n) threads *= 2;", True),
        ("n > 4096", "while (threads < n && threads < 1024) threads *= 2;", False),
        ("n < 1", "while (threads < n) threads *= 2;", False),
        ("n > 1000", "for (; threads <= n; threads += 64) {}", False),
        ("n > 1100", "for (; threads <= n; threads += 64) {}", True),
    ],
)
def test_blocks_that_grow_with_what_the_host_admits(check: str, loop: str, told: bool) -> None:
    code = DOUBLED.replace("CHECK", check).replace("LOOP", loop)
    assert any("as large as the host lets it be" in one.message for one in findings(LaunchLimits, code)) is told
