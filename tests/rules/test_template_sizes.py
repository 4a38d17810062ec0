"""Numbers of templates that no code in sight gives are sizes of tiles and blocks: powers of two."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.dynamic_shared_memory_omitted import DynamicSharedMemoryOmitted
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


ROWS = """
template <int W>
__global__ void rows(const float *in, float *out) {
    extern __shared__ float tile[];
    for (int row = 0; row < W; ++row) tile[row * 32 + threadIdx.x] = in[(blockIdx.x * W + row) * 32 + threadIdx.x];
    __syncthreads();
    float sum = 0;
    for (int row = 0; row < W; ++row) sum += tile[row * 32 + 31 - threadIdx.x];
    out[blockIdx.x * 32 + threadIdx.x] = sum;
}
template <int W>
void launch(const float *in, float *out, int n) { rows<W><<<n / W, 32, (LESS) * 32 * sizeof(float)>>>(in, out); }
void run(const float *in, float *out, int n, int w) {
    switch (w) {
        CASES
    }
}
"""


@pytest.mark.parametrize(("size", "bad"), [("W", False), ("W + 1", False), ("W - 1", True)])
@pytest.mark.parametrize("most", [3, 7, 12])
def test_launches_of_instances_that_are_not_looked_at_say_nothing_of_others(size: str, bad: bool, most: int) -> None:
    cases = "\n".join(f"case {w}: launch<{w}>(in, out, n); break;" for w in range(2, most + 1))
    found = findings(DynamicSharedMemoryOmitted, ROWS.replace("CASES", cases).replace("LESS", size))
    assert bool(found) is bad, found
