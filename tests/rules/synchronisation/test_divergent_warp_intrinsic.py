"""Kinds of absent lanes, and the idioms that must stay silent."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.divergent_warp_intrinsic import DivergentWarpIntrinsic

from tests.rules.marked import assert_marked, findings

CASES = {
    "half of the lanes": """
__global__ void k(int *x) {
    int v = x[threadIdx.x];
    if ((threadIdx.x & 31) < 16)
        v += __shfl_xor_sync(0xffffffffu, v, 1); // bad
    x[threadIdx.x] = v;
}
""",
    "rounds that depend on the data of a lane": """
__global__ void k(const int *len, int *o) {
    int lo = 0, hi = len[threadIdx.x];
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (__shfl_sync(0xffffffffu, mid, 0) > 5) // bad
            hi = mid;
        else
            lo = mid + 1;
    }
    o[threadIdx.x] = lo;
}
""",
    "lanes that break out": """
__global__ void k(const int *len, int *o, int n) {
    int s = 0;
    for (int r = 0; r < n; ++r) {
        s += __shfl_xor_sync(0xffffffffu, s + 1, 1); // bad
        if (s > len[threadIdx.x]) break;
    }
    o[threadIdx.x] = s;
}
""",
    "lanes that continue": """
__global__ void k(const int *x, int *o, int n) {
    int s = 0;
    for (int r = 0; r < n; ++r) {
        int v = x[r * 32 + threadIdx.x];
        if (v < 0) continue;
        s += __reduce_add_sync(0xffffffffu, v); // bad
    }
    o[threadIdx.x] = s;
}
""",
    "a helper called under a condition": """
__device__ int sum(int v) {
    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, d); // bad
    return v;
}
__global__ void k(const int *x, int *o) {
    int v = x[threadIdx.x];
    if (v > 0) v = sum(v);
    o[threadIdx.x] = v;
}
""",
    "active lanes of a wider scope": """
__global__ void k(const int *x, int *o) {
    unsigned mask = __activemask();
    int v = x[threadIdx.x];
    if (v > 3)
        v += __shfl_sync(mask, v, 0); // bad
    o[threadIdx.x] = v;
}
""",
    "syncwarp": """
__global__ void k(int *x) {
    __shared__ int s[32];
    if (threadIdx.x < 7) {
        s[threadIdx.x] = x[threadIdx.x];
        __syncwarp(); // bad
        x[threadIdx.x] = s[6 - threadIdx.x];
    }
}
""",
    "part of a tile": """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(int *x) {
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int v = x[threadIdx.x];
    if (threadIdx.x % 8 < 3)
        v += tile.shfl_xor(v, 1); // bad
    x[threadIdx.x] = v;
}
""",
    "whole warps": """
__global__ void k(int *x) {
    int v = x[threadIdx.x];
    if (threadIdx.x / 32 == 1 || threadIdx.x >= 96) v += __shfl_xor_sync(0xffffffffu, v, 1);
    if (threadIdx.x < 64) v += __shfl_xor_sync(0xffffffffu, v, 2);
    x[threadIdx.x] = v;
}
""",
    "a row for each warp": """
__global__ void k(const int *first, const int *x, int *o, int rows) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (row >= rows) return;
    int s = 0;
    for (int j = first[row] + threadIdx.x % 32; j < first[row + 1]; j += 32) s += x[j];
    for (int d = 16; d > 0; d >>= 1) s += __shfl_down_sync(0xffffffffu, s, d);
    if (threadIdx.x % 32 == 0) o[row] = s;
}
""",
    "a row for each thread along y": """
__global__ void k(const int *x, int *o, int rows) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows) {
        int s = x[row * 32 + threadIdx.x];
        for (int d = 16; d > 0; d >>= 1) s += __shfl_down_sync(0xffffffffu, s, d);
        if (threadIdx.x == 0) o[row] = s;
    }
}
""",
    "the ballot of the condition": """
__global__ void k(const int *x, int *o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned mask = __ballot_sync(0xffffffffu, i < n);
    if (i < n) {
        int v = x[i];
        v += __shfl_sync(mask, v, 0);
        o[i] = v;
    }
}
""",
    "lanes with equal keys": """
__global__ void k(const int *x, int *o) {
    int v = x[threadIdx.x];
    unsigned peers = __match_any_sync(0xffffffffu, v);
    int s = __reduce_add_sync(peers, v);
    if (__ffs(peers) - 1 == (threadIdx.x & 31)) atomicAdd(&o[v], s);
}
""",
    "the lanes active in the branch": """
__global__ void k(const int *x, int *o) {
    if (x[threadIdx.x] > 0) {
        unsigned mask = __activemask();
        int leader = __ffs(mask) - 1;
        int base = 0;
        if ((threadIdx.x & 31) == leader) base = atomicAdd(o, __popc(mask));
        base = __shfl_sync(mask, base, leader);
        o[1 + base] = 1;
    }
}
""",
    "lanes that have left": """
__global__ void k(int *x, int n) {
    if (threadIdx.x >= n) return;
    x[threadIdx.x] = __shfl_xor_sync(0xffffffffu, x[threadIdx.x], 1);
}
""",
    "a loop that all lanes run alike": """
__global__ void k(const int *x, int *o, int n) {
    int s = 0;
    for (int base = 0; base < n; base += 32) {
        int i = base + (threadIdx.x & 31);
        int v = i < n ? x[i] : 0;
        s += __reduce_add_sync(0xffffffffu, v);
    }
    o[threadIdx.x] = s;
}
""",
    "a vote decides for all": """
__global__ void k(const int *x, int *o) {
    int v = x[threadIdx.x];
    while (__any_sync(0xffffffffu, v > 0)) {
        v -= __shfl_xor_sync(0xffffffffu, v, 1) > 3 ? 2 : 1;
    }
    o[threadIdx.x] = v;
}
""",
    "the same collective on both branches": """
__global__ void k(const int *x, int *o) {
    int v = x[threadIdx.x];
    if (v > 0)
        v = __shfl_xor_sync(0xffffffffu, v, 1);
    else
        v = __shfl_xor_sync(0xffffffffu, v + 1, 1);
    o[threadIdx.x] = v;
}
""",
    "tiles that take part as a whole": """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(int *x, int rows) {
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 8;
    if (row < rows) x[row * 8 + tile.thread_rank()] = tile.shfl_xor(x[row * 8 + tile.thread_rank()], 1);
}
""",
    "a coalesced group": """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(int *x) {
    int v = x[threadIdx.x];
    if (v > 0) {
        auto active = cg::coalesced_threads();
        v = active.shfl(v, 0);
    }
    x[threadIdx.x] = v;
}
""",
}


@pytest.mark.parametrize("code", CASES.values(), ids=CASES.keys())
def test_lanes(code: str) -> None:
    assert_marked(DivergentWarpIntrinsic, code)


def test_the_block_decides() -> None:
    code = """
__global__ void k(int *x) {
    if (threadIdx.y == 0) x[threadIdx.x] = __shfl_xor_sync(0xffffffffu, x[threadIdx.x], 1);
}
"""
    assert not findings(DivergentWarpIntrinsic, code, block="32,4")
    assert findings(DivergentWarpIntrinsic, code, block="8,8")


def test_host_checks_are_believed() -> None:
    code = """
__global__ void k(int *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = __shfl_xor_sync(0xffffffffu, x[i], 1);%s
}
void run(int *x, int n) {
%s    k<<<(n + 127) / 128, 128>>>(x, n);
}
"""
    assert_marked(DivergentWarpIntrinsic, code % (" // bad", ""))
    assert_marked(DivergentWarpIntrinsic, code % ("", "    if (n % 32 != 0) return;\n"))


def test_places_with_one_cause_are_one_finding() -> None:
    code = """
__global__ void k(int *x) {
    int v = x[threadIdx.x];
    if (v > 0) {
        v += __shfl_xor_sync(0xffffffffu, v, 1);
        v += __shfl_xor_sync(0xffffffffu, v, 2);
    }
    x[threadIdx.x] = v;
}
"""
    (found,) = findings(DivergentWarpIntrinsic, code)
    assert "lane" in found.message
    assert [related.message for related in found.related[1:]] == ["and so does this one"]


def test_evidence_does_not_depend_on_what_came_before() -> None:
    code = CASES["lanes that continue"]
    first = findings(DivergentWarpIntrinsic, code)
    for other in ("whole warps", "a row for each warp", "lanes that break out"):
        findings(DivergentWarpIntrinsic, CASES[other])
    again = findings(DivergentWarpIntrinsic, code)
    assert [(f.message, f.assumptions) for f in first] == [(f.message, f.assumptions) for f in again]
    assert first


CHECKED = """
__global__ void drift(unsigned long long *at, unsigned *found, int rounds, unsigned long long mask) {
    unsigned long long x = at[blockIdx.x * 128 + threadIdx.x];
    for (int r = 0; r < rounds; ++r) {
        x = (x ^ x >> 7) * 0x9e3779b97f4a7c15ull;
        BODY
    }
    at[blockIdx.x * 128 + threadIdx.x] = x;
}
int run(unsigned long long *at, unsigned *found, unsigned count, int bits, int rounds) {
    if (count == 0 || count % 128 != 0 || bits < 1 || bits > 20) return 1;
    drift<<<count / 128, 128>>>(at, found, rounds, (1ull << bits) - 1);
    return 0;
}
"""

VOTES = {
    "in the branch": """
        if ((x & mask) == 0) {
            unsigned all = __ballot_sync(0xffffffffu, true);  // bad
            if (threadIdx.x % 32 == __ffs(all) - 1) atomicAdd(found, __popc(all));
        }""",
    "before it": """
        unsigned all = __ballot_sync(0xffffffffu, (x & mask) == 0);
        if (all != 0 && threadIdx.x % 32 == 0) atomicAdd(found, __popc(all));""",
    "in a branch of whole warps": """
        if ((threadIdx.x / 32 & mask) == 0) {
            unsigned all = __ballot_sync(0xffffffffu, x > 5);
            if (threadIdx.x % 32 == 0) atomicAdd(found, __popc(all));
        }""",
}


@pytest.mark.parametrize("name", VOTES)
def test_launches_that_the_host_checks_in_several_ways(name: str) -> None:
    assert_marked(DivergentWarpIntrinsic, CHECKED.replace("BODY", VOTES[name]))


SCANS = """
__device__ int scan(int v, int lane) {
    for (int d = 1; d < 32; d <<= 1) {
        const int up = __shfl_up_sync(0xffffffffu, v, d);MARK
        if (lane >= d) v += up;
    }
    return v;
}
__global__ void pack(const int2 *pairs, int *at) {
    const int lane = threadIdx.x % 32, i = blockIdx.x * blockDim.x + threadIdx.x;
    const int high = max(abs(pairs[i].x), abs(pairs[i].y));
    const int bits = high ? 32 - __clz(high) : 0;
    BODY
}
"""


def test_data_that_are_zero_in_some_lanes() -> None:
    bad = "if (bits > 0) at[i] = scan(bits, lane) - bits; else at[i] = 0;"
    good = "const int end = scan(bits, lane); if (bits > 0) at[i] = end - bits; else at[i] = 0;"
    assert_marked(DivergentWarpIntrinsic, SCANS.replace("BODY", bad).replace("MARK", "  // bad"))
    assert_marked(DivergentWarpIntrinsic, SCANS.replace("BODY", good).replace("MARK", ""))
