"""Shuffles that read from lanes which their mask does not name, or which a narrow block does not have."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.divergent_warp_intrinsic import DivergentWarpIntrinsic
from kernlint_rules.synchronisation.wrong_warp_mask import WrongWarpMask

from tests.rules.marked import findings

ELEVEN = """
__global__ void best(const float *x, float *y) {
    int lane = threadIdx.x;
    if (lane >= LANES) return;
    float v = x[blockIdx.x * LANES + lane];
    const unsigned mask = (1u << LANES) - 1u;
    for (int d = FIRST; d > 0; d >>= 1) {
        float w = __shfl_down_sync(mask, v, d);
        TAKE v = fmaxf(v, w);
    }
    v = __shfl_sync(mask, v, 0);
    y[blockIdx.x * LANES + lane] = x[blockIdx.x * LANES + lane] - v;
}
"""


@pytest.mark.parametrize(
    ("lanes", "first", "take", "bad"),
    [
        ("11", "8", "", True),
        ("24", "16", "", True),
        ("11", "8", "if (lane + d < 11)", False),
        ("16", "8", "", False),
    ],
)
def test_lanes_that_a_mask_does_not_name(lanes: str, first: str, take: str, bad: bool) -> None:
    text = ELEVEN.replace("LANES", lanes).replace("FIRST", first).replace("TAKE", take)
    assert bool(findings(WrongWarpMask, text)) is bad


NARROW = """
__device__ float most(float v) {
    const unsigned mask = __activemask();
    for (int d = 16; d > 0; d >>= 1) {
        float w = __shfl_down_sync(mask, v, d);
        TAKE v = fmaxf(v, w);
    }
    return __shfl_sync(mask, v, 0);
}
__global__ void shift(const float *x, float *y) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    y[at] = x[at] - most(x[at]);
}
void run(const float *x, float *y, int rows, int cols) {
    if (CHECK) return;
    shift<<<rows, cols>>>(x, y);
}
"""


@pytest.mark.parametrize(
    ("check", "take", "bad"),
    [
        ("cols > 32", "", True),
        ("cols > 32", "if (threadIdx.x + d < blockDim.x)", False),
        ("cols > 1024 || cols % 32 != 0", "", False),
        ("cols <= 0", "", False),  # nothing says that any may come
    ],
)
def test_lanes_that_a_narrow_block_does_not_have(check: str, take: str, bad: bool) -> None:
    text = NARROW.replace("CHECK", check).replace("TAKE", take)
    assert bool(findings(DivergentWarpIntrinsic, text)) is bad


MODE = """
__global__ void sums(const float *x, float *y, int n, int mode, const int *done) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    ASK
    if (INSIDE) {
        float v = i < n ? x[i] : 0.0f;
        for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
        if (threadIdx.x % 32 == 0) y[i / 32] = v;
    }
}
"""


@pytest.mark.parametrize(
    "ask", ["", "if (*done) return;", "if (mode != 3) return;", "if (mode <= 70 || *done) return;"]
)
@pytest.mark.parametrize(("inside", "bad"), [("i < n", True), ("n > 0", False)])
def test_some_caller_asks_for_a_mode(ask: str, inside: str, bad: bool) -> None:
    text = MODE.replace("ASK", ask).replace("INSIDE", inside)
    assert bool(findings(DivergentWarpIntrinsic, text)) is bad
