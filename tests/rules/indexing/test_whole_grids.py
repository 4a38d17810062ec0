"""Cells of grids of constant extents that are numbered in 32 bits."""

from __future__ import annotations

import pytest
from kernlint_rules.indexing.index_overflow import IndexOverflow

from tests.rules.marked import assert_marked, findings

CLAMPED = """
#define SIDE SIZE
inline int3 near(const float4 p, const float scale) {
    return clamp(convert_int3_sat(p.xyz * scale), (int3)(0), (int3)(SIDE - 1));
}
__kernel void mark(__global const float4 *points, const float scale, const int n, __global uint *set) {
    const int i = get_global_id(0);
    if (i >= n) return;
    const int3 c = near(points[i], scale);
    const KIND at = PLACE;
    atomic_or(&set[WORD], 1u << (uint)(at % 32));MARK
}
"""

TESTED = """
constexpr int WIDE = 4096, HIGH = 2048;
__global__ void darken(unsigned char *film, int frames) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int f = blockIdx.z;
    if (x >= WIDE || y >= HIGH || f >= FRAMES) return;
    film[INDEX] >>= 1;MARK
}
"""


@pytest.mark.parametrize(
    ("size", "kind", "place", "word", "bad"),
    [
        (2048, "uint", "c.x + SIDE * (c.y + SIDE * c.z)", "at / 32", True),
        (2048, "uint", "c.x + SIDE * c.y + SIDE * SIDE * c.z", "at >> 5", True),
        (2048, "ulong", "c.x + (ulong)SIDE * (c.y + (ulong)SIDE * c.z)", "at >> 5", False),
        (1024, "uint", "c.x + SIDE * (c.y + SIDE * c.z)", "at >> 5", False),
        (2048, "uint", "c.x + SIDE * (c.y + 16 * (c.z / 64))", "at >> 5", False),
        (2048, "uint", "c.x + SIDE * (c.y + SIDE * c.z)", "at % 4096", False),
    ],
)
def test_clamped(size: int, kind: str, place: str, word: str, bad: bool) -> None:
    text = CLAMPED.replace("SIZE", str(size)).replace("KIND", kind).replace("PLACE", place).replace("WORD", word)
    assert_marked(IndexOverflow, text.replace("MARK", " // bad" if bad else ""), "opencl")


@pytest.mark.parametrize(
    ("frames", "index", "bad"),
    [
        ("512", "(f * HIGH + y) * WIDE + x", True),
        ("512", "((size_t)f * HIGH + y) * WIDE + x", False),
        ("256", "(f * HIGH + y) * WIDE + x", False),
        ("512", "(f / 16 * HIGH + y) * WIDE + x", False),
        ("frames", "(f * HIGH + y) * WIDE + x", False),
    ],
)
def test_tested(frames: str, index: str, bad: bool) -> None:
    text = TESTED.replace("FRAMES", frames).replace("INDEX", index)
    assert_marked(IndexOverflow, text.replace("MARK", " // bad" if bad else ""), "cuda")


INNER = """
#define HALO 6
#define W (LENGTH + 2 * HALO)
__kernel void relax(__global const float *from, __global float *to) {
    const int i = get_global_id(0), j = get_global_id(1), k = get_global_id(2);
    if (i < HALO || i >= W - HALO || j < HALO || j >= W - HALO || k < LOW || k >= W - HALO) return;
    const KIND at = (k * STEP + j) * W + i;
    to[at] = 0.5f * from[at];MARK
}
"""


@pytest.mark.parametrize(
    ("length", "kind", "step", "low", "bad"),
    [
        ("1400", "int", "W", "HALO", True),
        ("1400", "int", "W", "0", True),
        ("1270", "int", "W", "HALO", False),
        ("1400", "int", "(W - 1000)", "HALO", False),  # other planes than these lie one behind the other
    ],
)
def test_margins(length: str, kind: str, step: str, low: str, bad: bool) -> None:
    text = INNER.replace("LENGTH", length).replace("KIND", kind).replace("STEP", step).replace("LOW", low)
    assert_marked(IndexOverflow, text.replace("MARK", " // bad" if bad else ""), "opencl")
    assert_marked(
        IndexOverflow, text.replace("(k * ", "((long)k * ").replace("int at", "long at").replace("MARK", ""), "opencl"
    )


ROOM = """
#define ROOM 16384
__global__ void gather(const int *from, int *rooms, int n) {
    const int team = blockIdx.x * 8 + threadIdx.x / 32;
    int *own = &rooms[FACTOR * ROOM];
    for (int k = threadIdx.x % 32; k < ROOM; k += 32)
        own[k] = from[k] & ((1 << (k % 5)) - 1);
}
void run(const int *from, int n) {
    int *rooms;
    cudaMalloc(&rooms, (size_t)BLOCKS * 8 * ROOM * sizeof(int));
    gather<<<BLOCKS, 256>>>(from, rooms, n);
    cudaFree(rooms);
}
"""


@pytest.mark.parametrize(
    ("blocks", "factor", "bad"), [(65536, "team", True), (65536, "(size_t)team", False), (8192, "team", False)]
)
def test_where_a_pointer_into_a_room_is_made(blocks: int, factor: str, bad: bool) -> None:
    told = findings(IndexOverflow, ROOM.replace("BLOCKS", str(blocks)).replace("FACTOR", factor))
    assert bool(told) is bad
    for finding in told:
        lines = [ROOM.replace("BLOCKS", str(blocks))[: one.span.start].count("\n") + 1 for one in finding.related]
        assert lines[:1] == [5]
