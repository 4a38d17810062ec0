"""Launches in helpers, whose callers say how large grid and block are."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.launch_limits import LaunchLimits
from kernlint_rules.launch.swapped_launch_arguments import SwappedLaunchArguments

from tests.rules.marked import findings

HELPER = """
__global__ void clear(float *x, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] = 0.0f;
}
static void launch(int blocks, int threads, float *x, int n) { clear<<<blocks, threads>>>(x, n); }
void run(float *x, int n) {
    const int threads = 128;
    const int blocks = BLOCKS;
    launch(GIVEN, x, n);  // called
}
"""


@pytest.mark.parametrize("blocks", ["(n + threads - 1) / threads", "min((n + threads - 1) / threads, 65535)"])
def test_grid_and_block_exchanged_in_a_call(blocks: str) -> None:
    code = HELPER.replace("BLOCKS", blocks)
    (found,) = findings(SwappedLaunchArguments, code.replace("GIVEN", "threads, blocks"))
    (called, _) = found.related
    assert code.replace("GIVEN", "threads, blocks")[called.span.start :].startswith("launch(threads, blocks")
    assert not findings(SwappedLaunchArguments, code.replace("GIVEN", "blocks, threads"))


def test_the_call_belongs_to_a_block_that_is_too_large() -> None:
    code = HELPER.replace("BLOCKS", "4").replace("GIVEN", "blocks, 2048")
    (found,) = findings(LaunchLimits, code)
    assert [one.message for one in found.related] == ["called here", "the kernel"]
