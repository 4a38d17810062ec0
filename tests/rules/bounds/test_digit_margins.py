"""Neighbours in rows that the number of a thread is divided into."""

import pytest

from kernlint import registry
from tests.rules.marked import assert_marked

RULE = registry.load().get("KL102")

SLOPES = """\
__global__ void slopes(const double *cells, double *out, int nx, int ny, int parts) {
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= nx * ny) return;
    const int y = id / nx;
    const int x = %s;
    if (%s) return;
    for (int p = 0; p < parts; ++p) {
        const double *c = cells + p * nx * ny;
        out[p * nx * ny + id] = c[id - %s] + c[id] + c[id + %s]
            + c[id + 2 * %s];%s
    }
}
"""

ROW = "x < 1 || x >= nx - 1"
COLUMN = "y < 1 || y >= ny - 1"


@pytest.mark.parametrize("made", ["id % nx", "id - y * nx"])
@pytest.mark.parametrize("asked", [ROW, f"{ROW} || {COLUMN}", "!(x > 0 && x + 1 < nx)"])
def test_neighbours_past_the_end_of_a_row(made, asked):
    assert_marked(RULE, SLOPES % (made, asked, "1", "1", "1", "  // bad"))


def test_neighbours_past_the_last_row():
    assert_marked(RULE, SLOPES % ("id % nx", f"{ROW} || {COLUMN}", "nx", "nx", "nx", "  // bad"))


@pytest.mark.parametrize(
    "asked, step",
    [
        ("x < 1 || x >= nx - 2", "1"),
        (f"{ROW} || y < 1 || y >= ny - 2", "nx"),
        (f"{ROW} || x == nx - 2", "1"),
        (ROW, "nx"),
        ("x >= nx - 1", "1"),
        ("x < 2 || x >= nx - 1", "1"),
    ],
    ids=["two at the end", "two rows", "the last but one apart", "of the other axis", "no start", "another margin"],
)
def test_neighbours_inside_or_unclear(asked, step):
    assert_marked(RULE, SLOPES % ("id % nx", asked, step, step, step, ""))
