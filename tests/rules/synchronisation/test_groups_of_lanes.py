"""Shuffles of the whole warp where groups of lanes have values of their own."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.wrong_warp_mask import WrongWarpMask

from tests.rules.marked import findings

ROWS = """
template <int K> __device__ float add_up(float v) {
  LOOP
  return v;
}
__global__ void rows(const int *begin, const float *x, float *sum, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x, row = t / 8, lane = t % 8;
  int first = 0, last = 0;
  if (row < n && lane == 0) {
    first = begin[row];
    last = begin[row + 1];
  }
  GIVE
  float s = 0.0f;
  for (int k = first + lane; k < last; k += 8) s += x[k];
  s = add_up<8>(s);
  if (STORE) sum[row] = s;
}
"""
RIGHT = {
    "LOOP": "for (int d = K / 2; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);",
    "GIVE": "first = __shfl_sync(~0u, first, 0, 8); last = __shfl_sync(~0u, last, 0, 8);",
    "STORE": "lane == 0 && row < n",
}
LEADER = "first = __shfl_sync(~0u, first, t % 32 / 8 * 8); last = __shfl_sync(~0u, last, t % 32 / 8 * 8);"


@pytest.mark.parametrize(
    ("changed", "bad"),
    [
        ({}, 0),
        ({"GIVE": RIGHT["GIVE"].replace(", 8)", ")")}, 2),
        ({"GIVE": LEADER}, 0),
        ({"LOOP": RIGHT["LOOP"].replace("K / 2", "16")}, 1),
        ({"LOOP": RIGHT["LOOP"].replace("K / 2", "16").replace("v, d", "v, d, K")}, 1),  # own values, twice
        ({"LOOP": "for (int d = 1; d < 32; d *= 2) v += __shfl_down_sync(0xffffffffu, v, d);"}, 1),
        ({"LOOP": "for (int d = 1; d < K; d *= 2) v += __shfl_down_sync(0xffffffffu, v, d);"}, 0),
        ({"LOOP": RIGHT["LOOP"].replace("K / 2", "16"), "STORE": "t % 32 == 0"}, 0),
    ],
)
def test_groups_of_eight(changed: dict[str, str], bad: int) -> None:
    code = ROWS
    for name, text in {**RIGHT, **changed}.items():
        code = code.replace(name, text)
    assert len(findings(WrongWarpMask, code)) == bad


WIDE = """
__global__ void dots(const float *a, float *out, int n) {{
    const int sub = threadIdx.x % 8;
    float s = 0.0f;
    for (int k = sub; k < n; k += 8) s += a[threadIdx.x / 8 * n + k];
    for (int d = {first}; d > 0; d >>= 1) {{ {step} }}
    if (sub == 0) out[threadIdx.x / 8] = s;
}}
"""


@pytest.mark.parametrize(
    ("first", "step", "told"),
    [
        (16, "s += __shfl_xor_sync(~0u, s, d, 8);", True),
        (8, "s += __shfl_down_sync(~0u, s, d, 8);", True),
        (4, "s += __shfl_xor_sync(~0u, s, d, 8);", False),
        (16, "s = fmaxf(s, __shfl_down_sync(~0u, s, d, 8));", False),
        (16, "const float t = __shfl_down_sync(~0u, s, d, 8); if (sub + d < 8) s += t;", False),
    ],
)
def test_distances_beyond_the_width_that_is_given(first: int, step: str, told: bool) -> None:
    assert bool(findings(WrongWarpMask, WIDE.format(first=first, step=step))) == told
