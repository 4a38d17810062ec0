"""Positions that a kernel moves on, of which one coordinate is brought into range."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import findings

SEEDS = """
__device__ int around(int i, int n) { const int m = i % n; return m < 0 ? m + n : m; }
__global__ void drift(float2 *seed, int count, const float2 *wind, int nlon, int nlat, float dt) {
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= count) return;
    float2 p = seed[s];
    EARLY
    const int i = LON;
    const int j = DOWN;
    const float2 w = wind[j * nlon + i];
    p.x += w.x * dt;
    p.y += w.y * dt;
    LATE
    seed[s] = p;
}
MORE
"""
OTHER = """
__global__ void bounce(float2 *seed, int count, int nlat) {
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s < count && seed[s].y < 0.0f) seed[s].y = -seed[s].y;
}
"""


@pytest.mark.parametrize(
    ("lon", "lat", "early", "late", "more", "bad"),
    [
        ("around((int)floorf(p.x), nlon)", "(int)floorf(p.y)", "", "", "", True),
        ("min(max((int)p.x, 0), nlon - 1)", "(int)p.y", "", "", "", True),
        ("around((int)p.x, nlon)", "min(max((int)p.y, 0), nlat - 1)", "", "", "", False),
        ("around((int)p.x, nlon)", "(int)p.y", "", "p.y = fminf(fmaxf(p.y, 0.0f), nlat - 1.0f);", "", False),
        ("around((int)p.x, nlon)", "(int)p.y", "if (p.y < 0.0f || p.y >= nlat) return;", "", "", False),
        ("around((int)p.x, nlon)", "(int)p.y", "", "if (p.y < 0.0f || p.y >= nlat) return;", "", False),
        ("around((int)p.x, nlon)", "(int)p.y", "", "", OTHER, False),
        ("(int)p.x", "(int)p.y", "", "", "", False),
    ],
)
def test_drift(lon: str, lat: str, early: str, late: str, more: str, bad: bool) -> None:
    text = SEEDS.replace("LON", lon).replace("DOWN", lat).replace("EARLY", early).replace("LATE", late)
    found = findings(WrongBoundsGuard, text.replace("MORE", more))
    assert bool(found) is bad, [one.message for one in found]


APART = """
__global__ void step(float *at, const float *u, const float *v, int count, int nx, int ny, float dt) {
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= count) return;
    int i = (int)floorf(at[2 * p]) % nx;
    if (i < 0) i += nx;
    const int j = DOWN;
    at[2 * p] += u[j * nx + i] * dt;
    at[2 * p + 1] += v[j * nx + i] * dt;
}
"""


@pytest.mark.parametrize(
    ("down", "bad"), [("(int)floorf(at[2 * p + 1])", True), ("min(max((int)floorf(at[2 * p + 1]), 0), ny - 1)", False)]
)
def test_numbers_beside_each_other(down: str, bad: bool) -> None:
    assert bool(findings(WrongBoundsGuard, APART.replace("DOWN", down))) is bad


MARCH = """
typedef struct { int cols, rows; float cell; } Grid;
inline int solid(__global const uchar *cells, const Grid g, int x, int y) {
    if (x < 0 || y < 0 || LAST) return 1;
    return cells[y * g.cols + x];
}
__kernel void touch(__global const uchar *cells, const Grid g, __global const float2 *at, __global int *hit, int n) {
    const int i = get_global_id(0);
    if (i < n) hit[i] = solid(cells, g, (int)floor(at[i].x / g.cell), (int)floor(at[i].y / g.cell));
}
__kernel void cast(__global const uchar *cells, const Grid g, __global const float4 *ray, __global int *far, int n,
                   int most) {
    const int i = get_global_id(0);
    if (i >= n) return;
    float x = ray[i].x, y = ray[i].y;
    int k = 0;
    for (; k < most; ++k) {
        const int u = (int)floor(x / g.cell), v = (int)floor(y / g.cell);
        INSIDE
        x += ray[i].z;
        y += ray[i].w;
    }
    far[i] = k;
}
"""


@pytest.mark.parametrize(
    ("last", "inside", "told"),
    [
        ("x >= g.cols || y >= g.rows", "if (cells[v * g.cols + u]) break;", True),
        ("x >= g.cols || y >= g.rows", "if (solid(cells, g, u, v)) break;", False),
        ("x >= g.cols || y >= g.rows", "if (u < 0) break; if (cells[v * g.cols + u]) break;", False),
        ("x >= g.cols || y >= g.rows", "if (cells[(v & 63) * g.cols + (u & 63)]) break;", False),
        ("x >= g.cols", "if (cells[v * g.cols + u]) break;", False),
    ],
)
def test_positions_that_a_loop_moves_on(last: str, inside: str, told: bool) -> None:
    found = findings(WrongBoundsGuard, MARCH.replace("LAST", last).replace("INSIDE", inside), "opencl")
    assert any("moves on" in one.message for one in found) is told, [one.message for one in found]
