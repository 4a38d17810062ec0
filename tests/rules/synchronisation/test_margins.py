"""Margins at the two ends of a range, which do not overlap: the test for them would ask nothing."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace

from tests.rules.marked import assert_marked

SPONGE = """
__global__ void relax(float *u, int pitch, int nx, int ny, int north, int south) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (((y > 0 && y < south) || (y > ny - north - 1 && y < ny - 1)) && x > 0 && x < nx - 1) {
        int inner = SOUTH, outer = 0;
        if (y > south) {
            inner = ny - north - 1;
            outer = ny - 1;
        }
        float from = u[outer * pitch + x], to = u[inner * pitch + x];
        u[y * pitch + x] = from + (to - from) * (y - outer) / (inner - outer);MARK
    }
}
"""


ROWS = """
__global__ void mean(float *u, int pitch, int nx, int ny, int north, int south) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if ((y < south || y > ny - north - 1) && x < nx && y > 0 && y < ny) {
        float from = u[x], to = u[ROW * pitch + x];
        u[y * pitch + x] = from + to;MARK
    }
}
"""


def test_what_lies_between_them() -> None:
    assert_marked(GlobalMemoryRace, SPONGE.replace("SOUTH", "south").replace("MARK", ""))


@pytest.mark.parametrize(("row", "told"), [("south", False), ("1", True), ("(y - 1)", True)])
def test_what_lies_in_one_of_them(row: str, told: bool) -> None:
    assert_marked(GlobalMemoryRace, ROWS.replace("ROW", row).replace("MARK", "  // bad" * told))
