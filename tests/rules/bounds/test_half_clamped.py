"""Coordinates made of data in the same way, of which one is clamped at one end only."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.negative_index import NegativeIndex
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import findings

CELLS = """
__global__ void sample(const float *table, const float2 *at, float *out, int n, int nu, int nv,
                       float u0, float v0, float du, float dv) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = at[i].y;
    TURNED
    const float a = (at[i].x - u0) / du, b = (v - v0) / dv;
    TEST
    const int row = ROW;
    const int column = COLUMN;
    out[i] = table[row * nv + column];
}
"""
BOTH = "max(min((int)floorf(a), nu - 1), 0)"
TURN = "v = fmodf(v, 6.0f); if (v < 0.0f) v += 6.0f;"


@pytest.mark.parametrize(
    ("row", "column", "turned", "test", "below", "above"),
    [
        (BOTH, "min((int)floorf(b), nv - 1)", "", "", True, False),
        (BOTH, "min((int)floorf(b), nv - 1)", TURN, "", True, False),
        (BOTH, "max((int)floorf(b), 0)", "", "", False, True),
        (BOTH, "(int)floorf(b) > nv - 1 ? nv - 1 : (int)floorf(b)", "", "", True, False),
        (BOTH, "max(min((int)floorf(b), nv - 1), 0)", "", "", False, False),
        (BOTH, "min((int)floorf(b), nv - 1)", "", "if (b < 0.0f) return;", False, False),
        (BOTH, "min((int)fabsf(b), nv - 1)", "", "", False, False),
        (BOTH, "(int)min((unsigned)floorf(b), nv - 1u)", "", "", False, False),
        (BOTH, "min((int)floorf(v / dv), nv - 1)", TURN, "", False, False),  # turned to where it begins
        (
            "max(min((int)floorf(at[i].x / du), nu - 1), 0)",
            "min((int)floorf(at[i].y / dv), nv - 1)",
            "",
            "",
            True,
            False,
        ),
        ("min((int)floorf(a), nu - 1)", "min((int)floorf(b), nv - 1)", "", "", False, False),
    ],
)
def test_the_other_coordinate(row: str, column: str, turned: str, test: str, below: bool, above: bool) -> None:
    text = CELLS.replace("ROW", row).replace("COLUMN", column).replace("TURNED", turned).replace("TEST", test)
    assert bool(findings(NegativeIndex, text)) is below
    assert bool(findings(WrongBoundsGuard, text)) is above


WINDOW = """
__global__ void spread(const float *in, float *out, int w, int h, int r, int pitch) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (INSIDE) return;
    float sum = 0.0f;
    for (int dy = -r; dy <= r; ++dy)
        for (int dx = -r; dx <= r; ++dx) {
            int v = y + dy, u = x + dx;
            CLAMPS
            sum += in[v * pitch + u];
        }
    out[y * w + x] = sum;
}
"""
MIRROR = "if (v < 0) v = -v; if (v >= h) v = 2 * h - 2 - v; if (u < 0) u = -u;"
WRAP = "if (v < 0) v += h; else if (v >= h) v -= h; if (u >= w) u -= w;"
PAST = "x >= w || y >= h"


@pytest.mark.parametrize(
    ("clamps", "inside", "below", "above"),
    [
        ("v = min(max(v, 0), h - 1); u = max(u, 0);", PAST, False, True),
        ("v = min(max(v, 0), h - 1);", PAST, False, True),  # at both ends
        (MIRROR, PAST, False, True),
        (MIRROR + "if (u >= w) u = 2 * w - 2 - u;", PAST, False, False),
        (WRAP, PAST, True, False),
        (WRAP + "if (u < 0) u += w;", PAST, False, False),
        ("if (v < 0 || v >= h) v = y; if (u < 0) u = x;", PAST, False, True),
        ("v = max(v, 0); u = max(u, 0);", PAST, False, False),
        ("v = min(max(v, 0), h - 1); u = max(u, 0);", PAST + " || x >= w - r", False, False),
        ("v = min(max(v, 0), h - 1);", PAST + " || x < r || x >= w - r", False, False),
        ("", PAST, False, False),
    ],
)
def test_windows_around_places_that_are_tested_alike(clamps: str, inside: str, below: bool, above: bool) -> None:
    text = WINDOW.replace("CLAMPS", clamps).replace("INSIDE", inside)
    found = [one.message for one in findings(NegativeIndex, text)] or [""]
    assert any("clamped" in one for one in found) is below
    found = [one.message for one in findings(WrongBoundsGuard, text)] or [""]
    assert any("clamped" in one for one in found) is above


LAUNCHED = """
__global__ void around(const float *in, float *out, int w, int h, int across, int down) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= WIDE || y >= HIGH) return;
    float sum = 0.0f;
    for (int k = -1; k <= 1; ++k) sum += in[min(max(y * STEP + k, 0), h - 1) * w + max(x * STEP + k, 0)];
    out[y * w + x] = sum;
}
void run(const float *in, float *out, int w, int h) {
    const int across = w / 2, down = (h + 1) / 2;
    around<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(in, out, w, h, across, down);
}
"""


@pytest.mark.parametrize(
    ("wide", "high", "step", "told"),
    [("w", "h", "1", True), ("w - 1", "h", "1", False), ("across", "down", "2", False)],
)
def test_launches_that_say_how_far_a_place_gets(wide: str, high: str, step: str, told: bool) -> None:
    text = LAUNCHED.replace("WIDE", wide).replace("HIGH", high).replace("STEP", step)
    assert any("clamped" in one.message for one in findings(WrongBoundsGuard, text)) is told


SLICES = """
struct Stack { const short *cells; int3 n; };
__device__ int within(int v, int n) { return max(0, min(v, n - 1)); }
__device__ float at(const Stack &s, int x, int y, int z) {
    x = within(x, s.n.x); y = within(y, s.n.y); z = LAST;
    return s.cells[(z * s.n.y + y) * s.n.x + x];
}
__global__ void slope(Stack s, float *out) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (x >= s.n.x || y >= s.n.y || z >= s.n.z) return;
    out[(z * s.n.y + y) * s.n.x + x] = at(s, x + 1, y, z) - at(s, x, y - 1, z) + at(s, x, y, z + STEP);
}
"""


@pytest.mark.parametrize(
    ("last", "step", "told"), [("max(z, 0)", "1", True), ("max(z, 0)", "-1", False), ("within(z, s.n.z)", "1", False)]
)
def test_an_axis_with_a_block_for_each_place(last: str, step: str, told: bool) -> None:
    text = SLICES.replace("LAST", last).replace("+ STEP", f"+ ({step})")
    assert any("clamped" in one.message for one in findings(WrongBoundsGuard, text)) is told
