"""Tests that every number passes: of unsigned differences, and for marks that a mask has taken away."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import findings

SLICES = """
__global__ void rise(const float *height, float *up, const TYPE w, const TYPE h, const TYPE d) {
    const TYPE at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= w * h * d) return;
    const TYPE x = at % w, y = at / w % h, z = at / (w * h);
    float below = 0.0f;
    if (TEST) below = height[PLACE];
    up[at] = height[at] - below;
}
"""


@pytest.mark.parametrize(
    ("type_", "test", "place", "bad"),
    [
        ("size_t", "z - 1 >= 0", "(z - 1) * w * h + y * w + x", True),
        ("size_t", "y - 1 >= 0", "(z * h + y - 1) * w + x", True),
        ("unsigned", "x - 2 >= 0", "(z * h + y) * w + x - 2", True),
        ("unsigned", "0 <= x - 1", "at - 1", False),  # what is tested is not what makes the place
        ("unsigned", "x - 1 >= 0", "at", False),
        ("unsigned", "x - 1 >= 0", "(z * h + y) * w + x", False),
        ("int", "z - 1 >= 0", "(z - 1) * w * h + y * w + x", False),
        ("size_t", "z >= 1", "(z - 1) * w * h + y * w + x", False),
        ("size_t", "z > 0 && z - 1 >= 0", "(z - 1) * w * h + y * w + x", False),
        ("size_t", "z - 1 >= 0 && z - 1 < d", "(z - 1) * w * h + y * w + x", False),
        ("size_t", "(long long)z - 1 >= 0", "(z - 1) * w * h + y * w + x", False),
        ("unsigned", "x - 1 >= 0", "(z * h + y) * w + ((x - 1) & 31)", False),
    ],
)
def test_the_layer_before(type_: str, test: str, place: str, bad: bool) -> None:
    code = SLICES.replace("TYPE", type_).replace("TEST", test).replace("PLACE", place)
    assert bool(findings(WrongBoundsGuard, code)) is bad


RAISED = """
struct At { unsigned x, y; };
__device__ float read(const float *from, At at, unsigned w) { return from[at.y * w + at.x]; }
__global__ void slope(const float *height, float *down, const TYPE w, const TYPE h) {
    const TYPE x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    TEST
    At left = {(unsigned)(PLACE), (unsigned)y};
    down[y * w + x] = read(height, left, w) - height[y * w + x];
}
"""


@pytest.mark.parametrize(
    ("type_", "test", "place", "bad"),
    [
        ("unsigned", "", "max(x - 1, 0)", True),
        ("unsigned", "", "max(x - 2, 0u)", True),
        ("unsigned", "if (y < 1) return;", "max(x - 1, 0u)", True),
        ("unsigned", "if (x < 1) return;", "max(x - 1, 0u)", False),
        ("unsigned", "if (x - 1 >= w) return;", "max(x - 1, 0u)", False),
        ("unsigned", "", "max(int(x) - 1, 0)", False),
        ("unsigned", "", "min(max(x - 1, 0u), w - 1)", False),
        ("unsigned", "", "max(x, 1u) - 1", False),
        ("unsigned", "", "max(w - 1, 0u)", False),
        ("int", "", "max(x - 1, 0)", False),
    ],
)
def test_the_place_before_raised_to_the_first(type_: str, test: str, place: str, bad: bool) -> None:
    code = RAISED.replace("TYPE", type_).replace("TEST", test).replace("PLACE", place)
    assert bool(findings(WrongBoundsGuard, code)) is bad


LEDGER = """
#define NONE 0xffffffffu
#define BITS 0x00ffffffu
uint seek(__global const uint *names, uint name) {
    const uint first = (name * 2654435761u >> 12) & ~7u;
    for (uint k = 0; k < 8; ++k)
        if (names[first + k] == name) return first + k;
    return NONE;
}
__kernel void enter(__global const uint *names, __global uint *sums, __global const uint *wanted, const uint n) {
    const uint i = get_global_id(0);
    if (i >= n) return;
    const uint found = seek(names, wanted[i]);
    STATEMENTS
}
"""


@pytest.mark.parametrize(
    ("statements", "bad"),
    [
        ("uint at = found & BITS; if (at != NONE) atomic_inc(&sums[at]);", True),
        ("uint at = found & BITS; if (at == NONE) return; atomic_inc(&sums[at]);", True),
        ("if ((found & BITS) != NONE) atomic_inc(&sums[(found & BITS) * 2 + 1]);", True),
        ("uint at = found & BITS; if (found != NONE) atomic_inc(&sums[at]);", False),
        ("uint at = found & BITS; if (at != (NONE & BITS)) atomic_inc(&sums[at]);", False),
        ("uint at = found & BITS; if (at < n && at != NONE) atomic_inc(&sums[at]);", False),
        ("const ushort at = (ushort)found; if (at != NONE) atomic_inc(&sums[at]);", True),
        ("uint at = wanted[i] & BITS; if (at != NONE) atomic_inc(&sums[at]);", False),  # who says that it may be none
    ],
)
def test_a_mark_behind_a_mask(statements: str, bad: bool) -> None:
    code = LEDGER.replace("STATEMENTS", statements)
    assert bool(findings(WrongBoundsGuard, code, "opencl")) is bad
