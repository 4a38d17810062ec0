"""Rows that one kernel of a file goes to by column times pitch plus row, under the tests that all of them make."""

from __future__ import annotations

import pytest

from tests.rules.bounds.test_wrong_axes import codes

PLATES = """
__global__ void dim(unsigned char *plate, int step, int cols, int rows, int by) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c >= cols || r >= rows) return;
  plate[r * step + c] -= by;
}
"""

PROBE = """
__global__ void probe(const unsigned char *plate, int step, int cols, int rows, const int *us, const int *vs, int n,
                      unsigned char *out, int out_step) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int u = us[i], v = vs[i];
  if (u < 0 || v < 0 || u >= cols || v >= rows) return;
  out[i] = plate[%s];
}
"""


@pytest.mark.parametrize(
    ("at", "wrong"),
    [("u * step + v", True), ("v * step + u", False), ("v + step * u", True), ("u + step * v", False)],
)
def test_places_from_memory(at: str, wrong: bool) -> None:
    assert codes(PLATES + PROBE % at) == (["KL403"] if wrong else [])


def test_alone_nothing_says_which_is_the_row() -> None:
    assert codes(PROBE % "u * step + v") == []


TURN = """
__global__ void turn(const unsigned char *plate, int step, int cols, int rows, unsigned char *out, int %(other)s) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c >= cols || r >= rows) return;
  out[c * %(other)s + r] = plate[r * step + c];
}
"""


def test_turned_images_have_a_distance_of_their_own() -> None:
    assert codes(PLATES + TURN % {"other": "out_step"}) == []


def test_square_images_may_be_turned_with_the_same_distance() -> None:
    code = TURN.replace(", int %(other)s", "") % {"other": "step"}
    assert codes(PLATES + code) == []
