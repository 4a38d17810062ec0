"""Numbers of templates that no code in sight gives are sizes of tiles and blocks: powers of two."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.divergent_warp_intrinsic import DivergentWarpIntrinsic

from tests.rules.marked import findings

STAGE = """
template <int T> struct Sized {};
template <int T, typename F> __device__ void spread(int range, Sized<T>, F &&f) {
    const int whole = range / T, rest = range % T;
    for (int i = 0; i < whole; i++) f(i * T + (int)threadIdx.x);
    if (threadIdx.x < rest) f(whole * T + (int)threadIdx.x);
}
template <class P> __global__ void stage(const float *x, float *y, int cols) {
    __shared__ float s[P::most];
    spread(cols * LANES, Sized<P::threads>(), [&](int item) {
        s[threadIdx.x] = x[item];
        __syncwarp();
        y[item] = s[threadIdx.x ^ 1];
        __syncwarp();
    });
}
"""


@pytest.mark.parametrize(("lanes", "bad"), [("32", False), ("64", False), ("8", True), ("48", True), ("1", True)])
def test_what_is_left_of_whole_warps_is_whole_warps(lanes: str, bad: bool) -> None:
    assert bool(findings(DivergentWarpIntrinsic, STAGE.replace("LANES", lanes))) is bad
