"""Lanes 32 to 63 lost, and code that is right with wavefronts of both sizes."""

from __future__ import annotations

import pytest
from kernlint_rules.language.hard_coded_warp_size import HardCodedWarpSize

from tests.rules.marked import assert_marked, findings

CASES = {
    "a count of 32 bits": """
__global__ void k(const int *x, int *o) {
    o[threadIdx.x] = __popc(__ballot(x[threadIdx.x] > 0)); // bad
}
""",
    "a mask in an int by way of a variable": """
__global__ void k(const int *x, int *o) {
    unsigned long long votes = __ballot(x[threadIdx.x] > 0) & ~1ull;
    int low = votes; // bad
    o[threadIdx.x] = low;
}
""",
    "a shift for the group of a lane": """
__global__ void k(const int *x, unsigned long long *o) {
    const int lane = threadIdx.x % warpSize;
    const int group = lane / 8;
    o[threadIdx.x] = __ballot(x[threadIdx.x] > 0) & (0xff << (8 * group)); // bad
}
""",
    "one slot for each wavefront and lane zero of 32": """
__global__ void k(const float *x, float *o) {
    __shared__ float part[32];
    float v = x[threadIdx.x];
    if ((threadIdx.x & 31) == 0)
        part[threadIdx.x / warpSize] = v; // bad
    __syncthreads();
    o[threadIdx.x] = part[0];
}
""",
    "masks in 64 bits": """
__global__ void k(const int *x, int *o) {
    const int lane = threadIdx.x % warpSize;
    unsigned long long votes = __ballot(x[threadIdx.x] > 0);
    o[threadIdx.x] = __popcll(votes & ((1ull << lane) - 1)) + (votes != 0);
}
""",
    "both halves": """
__global__ void k(const int *x, int *o) {
    unsigned long long votes = __ballot(x[threadIdx.x] > 0);
    o[threadIdx.x] = __popc((unsigned)votes) + __popc((unsigned)(votes >> 32));
}
""",
    "32 lanes among themselves": """
__global__ void k(const float *x, float *o) {
    __shared__ float part[32];
    float v = x[threadIdx.x];
    for (int d = 16; d > 0; d >>= 1) v += __shfl_xor(v, d);
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = v;
    __syncthreads();
    o[threadIdx.x] = part[0];
}
""",
    "whole wavefronts": """
__global__ void k(const float *x, float *o) {
    __shared__ float part[32];
    float v = x[threadIdx.x];
    for (int d = warpSize / 2; d > 0; d >>= 1) v += __shfl_xor(v, d);
    if (threadIdx.x % warpSize == 0) part[threadIdx.x / warpSize] = v;
    __syncthreads();
    o[threadIdx.x] = part[0];
}
""",
    "code that asks": """
__global__ void k(const int *x, int *o) {
    if (warpSize == 32) o[threadIdx.x] = __popc(__ballot(x[threadIdx.x] > 0));
    else o[threadIdx.x] = __popcll(__ballot(x[threadIdx.x] > 0));
}
""",
    "a small shift": """
__global__ void k(const int *x, int *o) {
    const int lane = threadIdx.x % warpSize;
    o[threadIdx.x] = 1 << (lane % 32) | 1u << (lane / 8);
}
""",
}


@pytest.mark.parametrize("code", CASES.values(), ids=CASES.keys())
def test_hip(code: str) -> None:
    assert_marked(HardCodedWarpSize, code, "hip")


def test_other_languages_and_targets() -> None:
    code = CASES["a count of 32 bits"].replace(" // bad", "")
    assert not findings(HardCodedWarpSize, code.replace("__ballot(", "__ballot_sync(0xffffffffu, "))
    assert findings(HardCodedWarpSize, code, "hip", target="gfx90a")
    assert not findings(HardCodedWarpSize, code, "hip", target="gfx1100")
