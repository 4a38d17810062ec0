"""Rows that a launch goes through from their end, with threads left over before the start."""

import pytest

from kernlint import registry
from tests.rules.marked import assert_marked

RULE = registry.load().get("KL105")

FLIP = """\
static inline int blocks(int n, int b) { return (n + b - 1) / b; }
__host__ __device__ inline int padded(int n, int b) { return (n + b - 1) / b * b; }
__global__ void turn(const %s *in, unsigned char *out, int width, int pitch) {
    const int back = (int)gridDim.x - 1 - (int)blockIdx.x;
    const int x = %s;
    const int y = blockIdx.y;
    int v = 0;
    if (%s) v = in[y * pitch + x];%s
    const int to = blockIdx.x * 32 + threadIdx.x;
    if (to < width) out[y * pitch + to] = v;
}
bool run(const %s *in, unsigned char *out, int width, int height, int pitch) {
    if (width <= 0 || height <= 0 || (width & 3) != 0 || pitch < width) return false;
    turn<<<dim3(%s, height), 32>>>(in, out, width, pitch);
    return true;
}
"""

BACK = "back * 32 + (int)threadIdx.x + width - padded(width, 32)"
MIRRORED = "width - 1 - (int)(blockIdx.x * 32 + threadIdx.x)"
ROUNDED = "blocks(width, 32)"


def flip(at: str, asked: str, bad: bool, grid: str = ROUNDED, kind: str = "unsigned char") -> str:
    return FLIP % (kind, at, asked, "  // bad" if bad else "", kind, grid)


@pytest.mark.parametrize("kind", ["unsigned char", "float"])
@pytest.mark.parametrize("at", [BACK, MIRRORED])
def test_the_upper_end_alone_is_tested(at, kind):
    assert_marked(RULE, flip(at, "x < width", True, kind=kind))


@pytest.mark.parametrize(
    "at, asked, grid",
    [
        (BACK, "x >= 0 && x < width", ROUNDED),
        (BACK, "(unsigned)x < (unsigned)width", ROUNDED),
        (MIRRORED, "x < width && (int)(blockIdx.x * 32 + threadIdx.x) < width", ROUNDED),
        (BACK, "x < width", "width / 32"),
        ("back * 32 + (int)threadIdx.x", "x < width", ROUNDED),
        ("(int)(blockIdx.x * 32 + threadIdx.x)", "x < width", ROUNDED),
    ],
    ids=["both ends", "unsigned", "the other side", "no threads left over", "padded at the end", "forwards"],
)
def test_coordinates_inside(at, asked, grid):
    assert_marked(RULE, flip(at, asked, False, grid))
