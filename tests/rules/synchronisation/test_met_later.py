"""Lanes that a condition keeps away from a barrier of the warp, and that come to another one instead."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.divergent_warp_intrinsic import DivergentWarpIntrinsic

from kernlint.finding import Severity
from tests.rules.marked import findings

ROUNDS = """
__global__ void drain(const int *begin, const int *end, float *x, const int *some, int n) {
    const int lane = threadIdx.x % 32;
    for (int i = begin[threadIdx.x]; i < end[threadIdx.x]; ++i) {
        x[i] += 1.0f;
        EACH
    }
    BEHIND
    x[n + lane] = 0.0f;
}
"""
BRANCH = """
__global__ void pick(float *x, const int *some, int n) {
    const int lane = threadIdx.x % 32;
    if (some[threadIdx.x] > 0) {
        x[threadIdx.x] += 1.0f;
        EACH
    }
    BEHIND
    x[n + lane] = 0.0f;
}
"""


@pytest.mark.parametrize("text", [ROUNDS, BRANCH])
@pytest.mark.parametrize(
    ("each", "behind", "level"),
    [
        ("__syncwarp();", "__syncwarp();", Severity.NOTE),
        ("__syncwarp();", "", Severity.WARNING),
        ("__syncwarp();", "if (some[lane] == 3) __syncwarp();", Severity.WARNING),
        ("__syncwarp();", "for (int k = 0; k < n; ++k) __syncwarp();", Severity.WARNING),
        ("__syncwarp();", "__syncwarp(0xffffu);", Severity.WARNING),
        ("x[n] = __shfl_sync(0xffffffffu, x[n + lane], 0);", "__syncwarp();", Severity.WARNING),
    ],
)
def test_another_barrier_further_on(text: str, each: str, behind: str, level: Severity) -> None:
    found = findings(DivergentWarpIntrinsic, text.replace("EACH", each).replace("BEHIND", behind))
    assert max(found, key=lambda one: one.severity is Severity.WARNING).severity is level


LEFT = """
__global__ void search(const int *want, int *x, int n) {
    for (int r = 0; r < n; ++r) {
        if (x[r * 32 + threadIdx.x] == want[threadIdx.x]) break;
        __syncwarp();
        x[r * 32 + threadIdx.x] = 0;
        __syncwarp();
    }
    BEHIND
    x[threadIdx.x] = 1;
}
"""


@pytest.mark.parametrize(("behind", "level"), [("", Severity.WARNING), ("__syncwarp();", Severity.NOTE)])
def test_lanes_that_left_a_loop(behind: str, level: Severity) -> None:
    found = findings(DivergentWarpIntrinsic, LEFT.replace("BEHIND", behind))
    assert {one.severity for one in found} == {level}
