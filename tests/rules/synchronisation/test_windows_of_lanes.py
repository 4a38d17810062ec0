"""Lanes inside of a window whose ends are arguments, in launches whose sizes the host checks."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.divergent_warp_intrinsic import DivergentWarpIntrinsic

from tests.rules.marked import findings

FLAT = """
__global__ void peaks(int width, int rim, int tile, const float *x, float *best) {
    const int at = tile * blockIdx.x + threadIdx.x;
    const int lane = (threadIdx.x + blockDim.x * threadIdx.y) & 31;
    float most = 0.f;
    if (at >= rim && at < width - rim) {
        most = x[(size_t)blockIdx.y * width + at];
        CLOSED
        for (int d = 16; d > 0; d >>= 1) most = fmaxf(most, __shfl_down_sync(0xffffffffu, most, d));
    ENDS
    if (lane == 0) atomicAdd(best + blockIdx.x, most);
}
int run(int width, int rim, int tile, int rows, const float *x, float *best) {
    if (tile < 32 || tile > 256 || tile % 32 != 0 || rim < 1) return 1;
    const dim3 block(tile, 256 / tile);
    peaks<<<dim3((width + tile - 1) / tile, rows), block>>>(width, rim, tile, x, best);
    return 0;
}
"""
VOTE = """
__global__ void inside(const float *x, unsigned *bits, int from, int to) {
    const int i = blockIdx.x * 128 + threadIdx.x;
    bool high = false;
    OPEN
    high = i >= from && i < to && x[i] > 0.5f;
    const unsigned word = __ballot_sync(0xffffffffu, high);
    if (threadIdx.x % 32 == 0) bits[i / 32] = word;
    CLOSE
}
void run(const float *x, unsigned *bits, int n, int from, int to) {
    if (n % 384 != 0 || n < 768 || to > n || from < 1 || to % 3 != 0) return;
    inside<<<n / 128, 128>>>(x, bits, from, to);
}
"""


@pytest.mark.parametrize(
    "code",
    [
        FLAT.replace("CLOSED", "").replace("ENDS", "}"),
        VOTE.replace("OPEN", "if (from <= i && i < to) {").replace("CLOSE", "}"),
    ],
)
def test_lanes_outside_stay_away(code: str) -> None:
    assert findings(DivergentWarpIntrinsic, code)


@pytest.mark.parametrize(
    "code", [FLAT.replace("CLOSED", "}").replace("ENDS", ""), VOTE.replace("OPEN", "").replace("CLOSE", "")]
)
def test_all_lanes_come(code: str) -> None:
    assert not findings(DivergentWarpIntrinsic, code)
