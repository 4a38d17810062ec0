"""Sums that shuffles make over all lanes of a warp are the same in each: who asks them goes one way."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.divergent_warp_intrinsic import DivergentWarpIntrinsic

from tests.rules.marked import findings

MARCH = """
__device__ float over_lanes(float v) {
    for (LOOP) v = JOINED;
    return v;
}
__global__ void __launch_bounds__(128) march(const float *density, float *depth, int steps, float enough) {
    const int lane = threadIdx.x % 32, ray = (blockIdx.x * 128 + threadIdx.x) / 32;
    float seen = 0.0f;
    int k = 0;
    for (; k < steps; ++k) {
        seen += 0.1f * over_lanes(density[(ray * steps + k) * 32 + lane]);
        if (seen > enough) break;
    }
    if (lane == 0) depth[ray] = k;
}
"""
DOWN = "int d = 16; d > 0; d >>= 1"


@pytest.mark.parametrize(
    ("loop", "made"),
    [
        (DOWN, "v + __shfl_xor_sync(0xffffffffu, v, d)"),
        ("int d = 1; d < 32; d *= 2", "__shfl_xor_sync(0xffffffffu, v, d) + v"),
        ("int d = 16; d >= 1; d /= 2", "fmaxf(v, __shfl_xor_sync(0xffffffffu, v, d, 32))"),
    ],
    ids=["down", "up", "greatest"],
)
def test_sums_of_all_lanes(loop: str, made: str) -> None:
    assert not findings(DivergentWarpIntrinsic, MARCH.replace("LOOP", loop).replace("JOINED", made))


@pytest.mark.parametrize(
    ("loop", "made"),
    [
        ("int d = 16; d > 1; d >>= 1", "v + __shfl_xor_sync(0xffffffffu, v, d)"),
        ("int d = 8; d > 0; d >>= 1", "v + __shfl_xor_sync(0xffffffffu, v, d)"),
        (DOWN, "v + __shfl_down_sync(0xffffffffu, v, d)"),
        (DOWN, "v - __shfl_xor_sync(0xffffffffu, v, d)"),
    ],
    ids=["one bit is left", "halves", "down", "differences"],
)
def test_sums_that_differ_from_lane_to_lane(loop: str, made: str) -> None:
    assert findings(DivergentWarpIntrinsic, MARCH.replace("LOOP", loop).replace("JOINED", made))
