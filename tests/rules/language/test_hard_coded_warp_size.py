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
    "what the first of 32 has fetched, from lane zero of all": """
__global__ void scale(const float *x, const float *by, float *o) {
    const int lane = threadIdx.x & 31;
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    float s = 0.0f;
    if (lane == 0)
        s = by[row];
    s = __shfl(s, 0); // bad
    o[row * 32 + lane] = x[row * 32 + lane] * s;
}
""",
    "the same in a helper, in a launch of four times 32": """
template <int G> struct Team {
    static __device__ int first(const int *start, int team) {
        int at = threadIdx.x % G == 0 ? start[team] : 0;
        return __shfl(at, 0); // bad
    }
};
__global__ void mark(const int *start, int *o) {
    const int team = blockIdx.x * 4 + threadIdx.x / 32;
    o[Team<32>::first(start, team) + threadIdx.x % 32] = 1;
}
void run(const int *start, int *o, int n) { mark<<<n, 128>>>(start, o); }
""",
    "passed on among 32, or by the first lane of the wavefront": """
__global__ void scale(const float *x, const float *by, const float *of, float *o) {
    const int lane = threadIdx.x & 31;
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    float s = 0.0f, t = 0.0f;
    if (lane == 0) s = by[row];
    s = __shfl(s, 0, 32);
    if (threadIdx.x % warpSize == 0) t = of[blockIdx.x * (blockDim.x / warpSize) + threadIdx.x / warpSize];
    t = __shfl(t, 0);
    o[row * 32 + lane] = x[row * 32 + lane] * s * t;
}
""",
    "what is the same for the whole block": """
__global__ void scale(const float *x, const float *by, float *o) {
    float s = 0.0f;
    if (threadIdx.x % 32 == 0) s = by[blockIdx.x];
    s = __shfl(s, 0);
    o[blockIdx.x * blockDim.x + threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x] * s;
}
""",
    "a block of 32 threads": """
__global__ void scale(const float *x, const float *by, float *o) {
    const int row = blockIdx.x + threadIdx.x / 32;
    float s = 0.0f;
    if (threadIdx.x % 32 == 0) s = by[row];
    s = __shfl(s, 0);
    o[row * 32 + threadIdx.x] = x[row * 32 + threadIdx.x] * s;
}
void run(const float *x, const float *by, float *o, int n) { scale<<<n, 32>>>(x, by, o); }
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


PACK = """
__device__ float largest(float v) {
    for (int d = 16; d > 0; d >>= 1) v = fmaxf(v, __shfl_xor(v, d, 32));
    return v;
}
__global__ __launch_bounds__(BLOCK) void pack(const float *in, unsigned char *out, float *scale) {
    const int lane = threadIdx.x % GROUP, group = blockIdx.x * (blockDim.x / GROUP) + threadIdx.x / GROUP;
    const float x = in[group * GROUP + lane], most = largest(fabsf(x));
    const int q = (int)(x / most * 7.0f) + 8;
    const int low = __shfl(q, FROM), high = __shfl(q, FROM + 1);
    if (lane < 16) out[group * 16 + lane] = (unsigned char)(low | high << 4);
    if (lane == 0) scale[group] = most;
}
"""


@pytest.mark.parametrize(
    ("lanes", "group", "block", "count"),
    [
        ("2 * (lane % 16)", "32", "256", 2),
        ("((lane & 15) << 1)", "32", "256", 2),
        ("(threadIdx.x & 15) * 2", "32", "256", 2),
        ("2 * (lane % 16)", "32", "32", 0),
        ("2 * (lane % 16)", "64", "256", 0),
        ("4", "32", "256", 0),
        ("threadIdx.x % 64 / 2", "32", "256", 0),
    ],
)
def test_lanes_of_one_group_ask_for_lanes_of_it(lanes: str, group: str, block: str, count: int) -> None:
    code = PACK.replace("FROM", lanes).replace("GROUP", group).replace("BLOCK", block)
    assert len(findings(HardCodedWarpSize, code, "hip")) == count


def test_a_shuffle_with_a_width_stays_in_its_group() -> None:
    code = PACK.replace("FROM)", "FROM, 32)").replace("FROM + 1)", "FROM + 1, 32)")
    code = code.replace("FROM", "2 * (lane % 16)").replace("GROUP", "32").replace("BLOCK", "256")
    assert not findings(HardCodedWarpSize, code, "hip")


QUEUE = """
ABOUT
__global__ void __launch_bounds__(256) push(const int *keys, int *queue, int *length, int least) {
    const int i = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x % LANES;
    const bool take = keys[i] >= least;
    const unsigned long long votes = __ballot(take);
    int first = 0;
    if (lane == 0) first = atomicAdd(length, __popcll(votes));
    first = __shfl(first, FROM);
    if (take) queue[first + __popcll(votes & ((1ull << lane) - 1))] = i;
}
"""
BOTH = "// Compiled for gfx90a and gfx1100."


@pytest.mark.parametrize(
    ("about", "lanes", "source", "count"),
    [
        (BOTH, "64", "0", 1),
        (BOTH, "warpSize", "0", 0),
        ("// Compiled for gfx90a and gfx942.", "64", "0", 0),
        ("// Pushes what is large.", "64", "0", 0),
    ],
)
def test_a_leader_of_64_threads_in_wavefronts_of_32(about: str, lanes: str, source: str, count: int) -> None:
    code = QUEUE.replace("ABOUT", about).replace("LANES", lanes).replace("FROM", source)
    assert len(findings(HardCodedWarpSize, code, "hip")) == count
