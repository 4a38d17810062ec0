"""Places that are remainders of numbers which may be negative."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.negative_index import NegativeIndex

from tests.rules.marked import findings

RING = """
__global__ void step(const float *ring, float *out, int n, int r) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int k = -2; k <= 2; ++k)
        sum += ring[AT];
    out[i] = sum;
}
"""


@pytest.mark.parametrize(
    ("at", "bad"),
    [
        ("(i + k) % n", True),
        ("(i - 1) % n", True),
        ("(i - 1) % 64", True),
        ("(i - 1) >> 1", True),
        ("(i + k + n) % n", False),
        ("((i + k) % n + n) % n", False),
        ("(i + 1) % n", False),
        ("(i - r + n) % n", False),
        ("(unsigned)(i + k) % (unsigned)n", False),
        ("(i - 1) / 2", False),
        ("i > 1 ? (i + k) % n : 0", False),
    ],
)
def test_neighbours_on_a_ring(at: str, bad: bool) -> None:
    assert bool(findings(NegativeIndex, RING.replace("AT", at))) is bad


HASH = """
__global__ void insert(const int2 *cell, int *slot_of, int slots, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int2 c = cell[i];
    MIX
    int slot = SLOT;
    while (atomicCAS(&slot_of[slot], -1, i) != -1) slot = slot + 1 == slots ? 0 : slot + 1;
}
"""
PRIMES = "const int h = (c.x * 73856093) ^ (c.y * 19349663);"


@pytest.mark.parametrize(
    ("mix", "slot", "bad"),
    [
        (PRIMES, "h % slots", True),
        ("int h = c.x; h ^= h >> 15; h *= 0x2c1b3c6d; h ^= h >> 12;", "h % slots", True),
        ("const int h = (int)((unsigned)c.x * 2654435761u);", "h % slots", True),
        (PRIMES, "abs(h % slots)", False),
        (PRIMES, "(h & 0x7fffffff) % slots", False),
        (PRIMES, "(unsigned)h % slots", False),
        (PRIMES, "(h % slots + slots) % slots", False),
        (PRIMES + " const int t = h % slots;", "t < 0 ? t + slots : t", False),
        ("const int h = c.x * 31 + c.y;", "h % slots", False),
        ("const int h = (c.x & 7) * 99991;", "h % slots", False),
        ("const unsigned h = c.x * 73856093u ^ c.y * 19349663u;", "h % slots", False),
    ],
)
def test_hashes(mix: str, slot: str, bad: bool) -> None:
    assert bool(findings(NegativeIndex, HASH.replace("MIX", mix).replace("SLOT", slot))) is bad


BOX = """
int wrapped(const float x, const int side) { WRAP }
__kernel void count(__global const float2 *at, volatile __global int *sizes, const float per, const int side) {
    const int i = get_global_id(0);
    const float2 p = at[i];
    TEST
    atomic_inc(&sizes[wrapped(p.y * per, side) * side + wrapped(p.x * per, side)]);
}
__kernel void around(__global const int *sizes, __global int *sums, const int side) {
    const int x = get_global_id(0), y = get_global_id(1);
    int sum = 0;
    for (int d = -1; d < 2; ++d) sum += sizes[y * side + BESIDE];
    sums[y * side + x] = sum;
}
"""


@pytest.mark.parametrize(
    ("wrap", "test", "beside", "bad"),
    [
        ("return (int)floor(x) % side;", "", "(x + d + side) % side", True),
        ("return (int)floor(x) % side;", "", "max(x + d, 0)", False),  # nothing else says that there is a box
        ("return (int)x % side;", "", "(x + d + side) % side", False),
        ("return ((int)floor(x) + side) % side;", "", "(x + d + side) % side", False),
        ("const int c = (int)floor(x) % side; return c < 0 ? c + side : c;", "", "(x + d + side) % side", False),
        ("return (int)floor(x) % side;", "if (!(0.0f <= p.x && 0.0f <= p.y)) return;", "(x + d + side) % side", False),
        ("return (int)floor(x - floor(x)) % side;", "", "(x + d + side) % side", False),
    ],
)
def test_what_is_brought_into_range_elsewhere(wrap: str, test: str, beside: str, bad: bool) -> None:
    text = BOX.replace("WRAP", wrap).replace("TEST", test).replace("BESIDE", beside)
    assert bool(findings(NegativeIndex, text, "opencl")) is bad


LATTICE = """
__global__ void hop(const int2 *site, int n, int2 shift, int2 box, float cell, const float2 *at, const float *amp,
                    float *out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int x = FIRST;
    const int y = SECOND;
    out[i] = amp[y * box.x + x];
}
"""


@pytest.mark.parametrize(
    ("first", "second", "bad"),
    [
        ("(site[i].x + shift.x) % box.x", "(site[i].y + shift.y + box.y) % box.y", True),
        ("(site[i].x - 1) % box.x", "(site[i].y - 1 + box.y) % box.y", True),
        ("(site[i].x + 1) % box.x", "(site[i].y - 1 + box.y) % box.y", False),  # forth, not back
        ("(site[i].x + shift.x) % box.x", "(site[i].y + shift.y) % box.y", False),  # all shifts may be positive
        ("(site[i].x + shift.x + box.x) % box.x", "(site[i].y + shift.y + box.y) % box.y", False),
        ("(i + 2) % box.x", "(i + 2 + box.y) % box.y", False),  # of threads
        ("(int)floorf(at[i].x / cell) % 64", "((int)floorf(at[i].y / cell) % 64 + 64) % 64", True),
        ("(int)(at[i].x / cell) % 64", "((int)floorf(at[i].y / cell) % 64 + 64) % 64", False),
    ],
)
def test_another_coordinate_that_is_brought_into_range(first: str, second: str, bad: bool) -> None:
    found = findings(NegativeIndex, LATTICE.replace("FIRST", first).replace("SECOND", second))
    assert bool(found) is bad, [one.message for one in found]
