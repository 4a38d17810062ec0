"""Elements of others that a list names, read from the array that is written in place."""

from __future__ import annotations

import pytest

from tests.rules.bounds.test_past_end import findings

KERNEL = """
__global__ void relaxed(REAL *x, const REAL *old, const int *near, const int *colour, int n, int degree, int from) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  BODY
}
"""
MEAN = """
  float sum = 0.0f;
  for (int k = 0; k < degree; ++k) sum += x[near[i * degree + k]];
  x[i] = sum / degree;
"""


def told(body: str, real: str = "float") -> bool:
    return any(
        "written in place" in one.message and one.severity.value == "warning"
        for one in findings(KERNEL.replace("BODY", body).replace("REAL", real), select="KL205")
    )


@pytest.mark.parametrize(
    "body",
    [
        MEAN,
        "x[i] = 0.5f * (x[i] + x[near[i]]);",
        "x[i] = x[near[i]];",
        "x[i] += 0.1f * (x[near[2 * i]] + x[near[2 * i + 1]] - 2.0f * x[i]);",
        "for (int c = 0; c < 3; ++c) x[i * 3 + c] = 0.5f * (x[i * 3 + c] + x[near[i] * 3 + c]);",
    ],
)
def test_sums_of_what_others_write(body: str) -> None:
    assert told(body)


@pytest.mark.parametrize(
    "body",
    [
        MEAN.replace("+= x[", "+= old["),  # another array
        "if (colour[i] == 2) { " + MEAN + " }",  # data say who writes
        "x[i] = fminf(x[i], x[near[i]]);",  # the least, sooner or later
        "x[n + i] = 0.5f * (x[n + i] + x[near[i]]);",  # the other half
        "x[near[i]] = 0.5f * x[i];",  # a plain store to what data name
        "x[i] = 0.5f * (x[i] + x[near[i] * 3]);",  # elements of another stride
    ],
)
def test_what_is_left_alone(body: str) -> None:
    assert not told(body)


def test_whole_numbers_are_left_alone() -> None:
    assert not told("x[i] = x[i] + x[near[i]];", "int")
