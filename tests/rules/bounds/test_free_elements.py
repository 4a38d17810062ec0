"""Places in elements of a table that nobody has claimed, which a search may take for what it looks for."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard

from tests.rules.marked import findings

BRICKS = """
struct Brick { short x, y; short z; short used; int block; };

__global__ void forget(Brick *bricks, int buckets) {
    const int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b < buckets) {
        bricks[b].x = HOME; bricks[b].y = 0; bricks[b].z = 0;
        bricks[b].used = 0;
        bricks[b].block = FREE;
    }
}

__global__ void fuse(const Brick *bricks, const float4 *points, float *tsdf, int n, int buckets, float scale) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 p = points[i];
    const int bx = KEY, by = (int)floorf(p.y * scale), bz = (int)floorf(p.z * scale);
    unsigned at = (unsigned)(bx * 73 ^ by * 19 ^ bz * 83) % buckets;
    for (int probe = 0; probe < 8; ++probe) {
        const Brick &b = bricks[at];
        FIRST
        if (b.x == bx && b.y == by && b.z == bz TEST) {
            atomicAdd(&tsdf[b.block * 512 + (i & 511)], p.w);
            break;
        }
        at = (at + 1) % buckets;
    }
}
"""
FLOOR = "(int)floorf(p.x * scale)"


@pytest.mark.parametrize(
    ("home", "free", "key", "first", "test", "bad"),
    [
        ("0", "-1", FLOOR, "", "", True),
        ("0", "-1", FLOOR, "if (b.block < 0) break;", "", False),
        ("0", "-1", FLOOR, "", "&& b.block != -1", False),
        ("0", "-1", FLOOR, "", "&& b.used", False),
        ("0", "-1", FLOOR, "if (b.used == 0) break;", "", False),
        ("32767", "-1", FLOOR, "", "", False),  # no brick is so far away
        ("0", "0", FLOOR, "", "", False),
        ("0", "-1", FLOOR, "", "&& b.used == 0", True),
    ],
)
def test_members_of_an_element(home: str, free: str, key: str, first: str, test: str, bad: bool) -> None:
    code = BRICKS.replace("HOME", home).replace("FREE", free).replace("KEY", key)
    found = findings(MissingBoundsGuard, code.replace("FIRST", first).replace("TEST", test))
    assert any("tsdf" in one.message for one in found) is bad, [one.message for one in found]


ARRAYS = """
__kernel void reset(__global int2 *cell, __global int *first, const int buckets) {
    const int b = get_global_id(0);
    if (b >= buckets) return;
    cell[b] = (int2)(0, 0);
    first[b] = -1;
}

__kernel void hits(__global const int2 *cell, __global const int *first, __global const float2 *pos,
                   __global uint *count, const int buckets, const int n, const float inv) {
    const int i = get_global_id(0);
    if (i >= n) return;
    const int2 c = KEY;
    int b = (c.x * 31 + c.y) & (buckets - 1);
    for (int k = 0; k < 4; ++k, b = (b + 1) & (buckets - 1)) {
        if (cell[b].x == c.x && cell[b].y == c.y TEST) {
            atomic_inc(&count[first[b]]);
            return;
        }
    }
}
"""


@pytest.mark.parametrize(
    ("key", "test", "bad"),
    [
        ("(int2)((int)floor(pos[i].x * inv), (int)floor(pos[i].y * inv))", "", True),
        ("(int2)((int)floor(pos[i].x * inv), (int)floor(pos[i].y * inv))", "&& first[b] >= 0", False),
        ("cell[i]", "", False),  # the keys of what is in the table
    ],
)
def test_arrays_that_are_cleared_together(key: str, test: str, bad: bool) -> None:
    found = findings(MissingBoundsGuard, ARRAYS.replace("KEY", key).replace("TEST", test), "opencl")
    assert any("count" in one.message for one in found) is bad, [one.message for one in found]
