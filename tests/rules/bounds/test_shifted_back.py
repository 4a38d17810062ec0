"""Coordinates that an argument moves back, of which the upper end alone is tested."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.negative_index import NegativeIndex

from tests.rules.marked import findings

PASTE = """
__global__ void paste(const uchar4 *tile, uchar4 *page, TYPE left, int top, int tw, int th, int w, int h) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    const int u = x SIGN left, v = y - top;
    if (TEST) page[y * w + x] = tile[v * tw + u];
}
"""


@pytest.mark.parametrize(
    ("type_", "sign", "test", "bad"),
    [
        ("int", "-", "u < tw && v < th", True),
        ("int", "-", "u >= 0 && u < tw && v >= 0 && v < th", False),
        ("int", "-", "x >= left && u < tw && y >= top && v < th", False),
        ("int", "-", "(unsigned)u < tw && (unsigned)v < th", False),
        ("int", "+", "u < tw && v >= 0 && v < th", False),
        ("unsigned", "-", "u < tw && v >= 0 && v < th", True),  # the difference is made a signed number again
        ("int", "-", "left <= 0 && u < tw && v >= 0 && v < th", False),
        ("int", "-", "u >= 0 && u < tw && v < th", True),
    ],
)
def test_a_tile_that_is_pasted_into_a_page(type_: str, sign: str, test: str, bad: bool) -> None:
    code = PASTE.replace("TYPE", type_).replace("SIGN", sign).replace("TEST", test)
    found = [one for one in findings(NegativeIndex, code) if "taken from" in one.message]
    assert bool(found) is bad


LAGS = """
__global__ void lagged(const float *x, float *y, int lag, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i - lag < n) y[i] = x[i - lag];
}
void run(const float *x, float *y, int n) { lagged<<<(n + 63) / 64, 64>>>(FROM, y, LAG, n); }
"""


@pytest.mark.parametrize(("start", "lag", "bad"), [("x", "3", True), ("x", "-3", False), ("x + 3", "3", False)])
def test_the_launch_says_how_far(start: str, lag: str, bad: bool) -> None:
    assert bool(findings(NegativeIndex, LAGS.replace("FROM", start).replace("LAG", lag))) is bad
