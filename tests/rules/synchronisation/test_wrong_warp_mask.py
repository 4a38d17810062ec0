"""Masks without the calling lane, widths that are none, active masks."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.wrong_warp_mask import WrongWarpMask

from tests.rules.marked import assert_marked, findings

CASES = {
    "the value in place of the mask": """
__global__ void scan(const int *x, int *out) {
    int v = x[threadIdx.x], lane = threadIdx.x & 31;
    for (int d = 1; d < 32; d *= 2) {
        int u = __shfl_up_sync((unsigned)v, v, d);  // bad
        if (lane >= d) v += u;
    }
    out[threadIdx.x] = v;
}
""",
    "a condition in place of the mask": """
__global__ void some(int *out, int n) {
    out[threadIdx.x] = __any_sync(threadIdx.x < n, 0xffffffffu);  // bad
}
""",
    "a mask that is handed on under itself": """
__global__ void teams(const int *x, int *out) {
    unsigned team = __ballot_sync(0xffffffffu, x[threadIdx.x] > 0);
    if (x[threadIdx.x] > 0) out[threadIdx.x] = __shfl_sync(team, team, __ffs(team) - 1);
}
""",
    "a width that is a quotient of a number nobody gives": """
template <int N> __global__ void sums(float *y, const float *x) {
    constexpr int lanes = N / 8;
    float s = x[threadIdx.x];
    for (int o = lanes / 2; o > 0; o /= 2) s += __shfl_down_sync(0xffffffff, s, o, lanes);
    y[threadIdx.x] = s + __shfl_sync(0xffffffff, s, 0, lanes);
}
""",
    "a width that is a quotient of a number too small": """
template <int N> __global__ void sums(float *y, const float *x) {
    constexpr int lanes = N / 8;
    float s = x[threadIdx.x];
    for (int o = lanes / 2; o > 0; o /= 2) s += __shfl_down_sync(0xffffffff, s, o, lanes); // bad
    y[threadIdx.x] = s + __shfl_sync(0xffffffff, s, 0, lanes); // bad
}
void run(float *y, const float *x) { sums<4><<<1, 32>>>(y, x); }
""",
    "a constant mask without half of the callers": """
__global__ void k(int *x) {
    x[threadIdx.x] = __shfl_xor_sync(0x0000ffffu, x[threadIdx.x], 1); // bad
}
""",
    "a source that the mask leaves out": """
__global__ void k(int *x) {
    if ((threadIdx.x & 31) >= 16) x[threadIdx.x] = __shfl_sync(0xffff0000u, x[threadIdx.x], 0); // bad
}
""",
    "a mask of another team": """
template <int W> __device__ unsigned members() {
    unsigned lane = threadIdx.x & 31u;
    return ((1u << W) - 1u) << (lane / (32u / W) * W);
}
__global__ void k(int *x) {
    int v = x[threadIdx.x];
    v += __shfl_xor_sync(members<4>(), v, 1, 4); // bad
    x[threadIdx.x] = v;
}
""",
    "a caller that did not vote for itself": """
__global__ void k(const int *x, int *o) {
    unsigned mask = __ballot_sync(0xffffffffu, x[threadIdx.x] > 0);
    o[threadIdx.x] = __shfl_sync(mask, x[threadIdx.x], __ffs(mask) - 1); // bad
}
""",
    "a width that is no power of two": """
__global__ void k(int *x) {
    x[threadIdx.x] = __shfl_xor_sync(0xffffffffu, x[threadIdx.x], 1, 12); // bad
}
""",
    "a width above the warp": """
__global__ void k(int *x) {
    x[threadIdx.x] = __shfl_down_sync(0xffffffffu, x[threadIdx.x], 1, 64); // bad
}
""",
    "a count of whoever runs": """
__global__ void k(const int *x, int *o) {
    unsigned active = __activemask();
    o[threadIdx.x] = __popc(__ballot_sync(active, x[threadIdx.x] > 0)); // bad
}
""",
    "the mask of the own team": """
template <int W> __device__ unsigned members() {
    unsigned lane = threadIdx.x & 31u;
    return ((1u << W) - 1u) << (lane / W * W);
}
__global__ void k(int *x) {
    int v = x[threadIdx.x];
    v += __shfl_xor_sync(members<4>(), v, 1, 4);
    x[threadIdx.x] = v;
}
""",
    "the lower half among itself": """
__global__ void k(int *x) {
    if ((threadIdx.x & 31) < 16) x[threadIdx.x] = __shfl_xor_sync(0x0000ffffu, x[threadIdx.x], 1);
}
""",
    "a mask that is passed in": """
__global__ void k(int *x, unsigned mask) {
    x[threadIdx.x] = __shfl_xor_sync(mask, x[threadIdx.x], 1);
}
""",
    "whoever runs in a branch": """
__global__ void k(const int *x, int *o) {
    if (x[threadIdx.x] > 0) {
        unsigned active = __activemask();
        unsigned big = __ballot_sync(active, x[threadIdx.x] > 9);
        if (__ffs(active) - 1 == (threadIdx.x & 31)) atomicAdd(o, __popc(big));
    }
}
""",
}


@pytest.mark.parametrize("code", CASES.values(), ids=CASES.keys())
def test_masks(code: str) -> None:
    assert_marked(WrongWarpMask, code)


WIDE = """
__global__ void sums(float *x) {
    float v = x[threadIdx.x];
#ifdef WIDE_WAVES
    for (int i = WIDTH / 2; i > 0; i /= 2) v += __shfl_xor_sync(0xffffffff, v, i, WIDTH);
#else
    for (int i = 16; i > 0; i /= 2) v += __shfl_xor_sync(0xffffffff, v, i, 32);
#endif
    x[threadIdx.x] = v;
}
"""


@pytest.mark.parametrize(("width", "bad"), [(64, False), (48, True)])
def test_what_nobody_switches_on_may_be_for_waves_of_64(width: int, bad: bool) -> None:
    assert bool(findings(WrongWarpMask, WIDE.replace("WIDTH", str(width)))) is bad
    assert findings(WrongWarpMask, WIDE.replace("WIDTH", "64").replace("ifdef", "ifndef"))


TEAMS = """
#include <cooperative_groups.h>
MORE
namespace cg = cooperative_groups;
template <int rank, typename T> __global__ void expand(T *y, const T *x) {
    constexpr size_t most = 16 / sizeof(T);
    constexpr size_t lanes = rank / most;
    float sum = x[threadIdx.x];
    cg::thread_block_tile g = cg::tiled_partition<lanes>(cg::this_thread_block());
    for (size_t by = lanes / 2; by > 0; by /= 2) sum += g.shfl_down(sum, by);
    if (threadIdx.x == 0) y[threadIdx.y] = sum;
}
template __global__ void expand<RANK>(TYPE *y, const TYPE *x);
"""


@pytest.mark.parametrize(
    ("more", "kind", "rank", "bad"),
    [
        ("#include <cuda_fp16.h>", "nv_half", 8, False),
        ("#include <cuda_fp16.h>", "nv_half", 24, True),
    ],
)
def test_widths_by_the_size_of_a_type(more: str, kind: str, rank: int, bad: bool) -> None:
    code = TEAMS.replace("MORE", more).replace("TYPE", kind).replace("RANK", str(rank))
    assert bool(findings(WrongWarpMask, code)) is bad


HALF_A_WAVE = """
#include <hip/hip_runtime.h>
#include <cstdint>
__global__ void k(float *x) {
    const int team = (threadIdx.x & 63) / 8;
    const uint64_t lanes = %s(0xff) << team * 8;
    x[threadIdx.x] += __shfl_xor_sync(lanes, x[threadIdx.x], 4);
}
"""


@pytest.mark.parametrize(("kind", "found"), [("uint32_t", 1), ("uint64_t", 0)])
def test_masks_of_which_half_a_wave_is_shifted_out(kind: str, found: int) -> None:
    assert len(findings(WrongWarpMask, HALF_A_WAVE % kind, "hip")) == found
