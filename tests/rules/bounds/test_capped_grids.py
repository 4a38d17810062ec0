"""Grids that something else of the host's may make smaller: their threads may be as many as that has places for."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard

from tests.rules.marked import assert_marked

STATES = """
__global__ void draw(unsigned *states, float *out, int rows, int count) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int own = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    unsigned state = states[AT];
    for (int i = blockIdx.y; i < count; i += gridDim.y)
        for (int r = row; r < rows; r += gridDim.x * blockDim.x) {
            state = state * 1664525u + 1013904223u;
            out[i * rows + r] = state;
        }
    states[AT] = state;MARK
}
void run(unsigned *states, float *out, int rows, int count, int room) {
    int blocks = (rows + 63) / 64, x = WIDTH;
    draw<<<dim3(x, room / 64 / x), 64>>>(states, out, rows, count);
}
"""


@pytest.mark.parametrize(
    ("at", "width", "told"),
    [
        ("own", "room / 64 < blocks ? room / 64 : blocks", False),
        ("own", "blocks > room / 64 ? room / 64 : blocks", False),
        ("own", "blocks < 2048 ? blocks : 2048", True),
        ("row", "blocks", True),
    ],
)
def test_each_thread_of_the_grid_has_its_own(at: str, width: str, told: bool) -> None:
    code = STATES.replace("AT", at).replace("WIDTH", width).replace("MARK", "  // bad" * told)
    assert_marked(MissingBoundsGuard, code)
