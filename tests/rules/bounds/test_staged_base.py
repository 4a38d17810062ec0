"""Parts of arrays that are staged from a beginning on, and read as if they were the whole."""

from __future__ import annotations

import pytest

from tests.rules.bounds.test_wrong_axes import codes

SPREAD = """
#define PART 32
__global__ __launch_bounds__(32) void spread(const float *gains, const int *first_of, int taps, int first,
                                             const float *in, float *out, int n) {
  __shared__ float part[PART];
  %(base)s
  part[threadIdx.x] = gains[%(begin)s + threadIdx.x];
  __syncthreads();
  float sum = 0.0f;
  for (int k = 0; k < %(rounds)s; ++k) sum += part[%(at)s] * in[blockIdx.x * PART + k];
  out[blockIdx.x * PART + threadIdx.x] = sum;
}
"""


@pytest.mark.parametrize(
    ("base", "begin", "at", "wrong"),
    [
        ("", "first", "first + k", True),
        ("", "first", "k", False),
        ("int last = first + PART;", "first", "last - PART + k", True),
        ("int at = first_of[blockIdx.x];", "at", "at + k", True),
        ("int at = first_of[blockIdx.x];", "at", "k", False),
        ("", "first", "(first + k) % PART", False),
        ("", "0", "first + k", False),
    ],
)
def test_parts(base: str, begin: str, at: str, wrong: bool) -> None:
    code = SPREAD % {"base": base, "begin": begin, "at": at, "rounds": "PART"}
    assert codes(code) == (["KL104"] if wrong else [])


def test_margins_are_no_parts() -> None:
    """What lies ``wide`` before the block is staged from the start on: the block's own begin ``wide`` further on."""
    code = """
__global__ void smooth(const float *in, float *out, int wide) {
  __shared__ float row[192];
  if (wide > 32) return;
  for (int t = threadIdx.x; t < 128 + 2 * wide; t += 128) row[t] = in[blockIdx.x * 128 + t];
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = row[threadIdx.x + wide];
}
"""
    assert codes(code) == []
