"""Launches that are made for fewer items than the kernel tests, since each looks further on."""

from __future__ import annotations

import pytest

from tests.rules.bounds.test_past_end import findings

BEAM = """
#include <cuda_runtime.h>
struct Trace { int samples; int latest; };
__global__ void stack(const float *trace, const int *delay, int phones, Trace of, float *sum) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= TEST) return;
  float all = 0.0f;
  for (int p = 0; p < phones; ++p) all += trace[p * of.samples + t + WHERE];
  sum[t] = all;
}
void beam(const float *trace, const int *delay, int phones, int samples, int latest, float *sum) {
  int many = LAUNCHED;
  stack<<<(many + 127) / 128, 128>>>(trace, delay, phones, Trace{samples, latest}, sum);
}
"""


@pytest.mark.parametrize(
    ("test", "where", "launched", "wrong"),
    [
        ("of.samples", "delay[p]", "samples - latest", True),
        ("of.samples - of.latest", "delay[p]", "samples - latest", False),
        ("of.samples", "delay[p]", "samples", False),
        ("of.samples", "0", "samples - latest", False),
        ("of.samples", "min(delay[p], of.latest)", "samples - latest", False),
    ],
)
def test_delays(test: str, where: str, launched: str, wrong: bool) -> None:
    code = BEAM.replace("TEST", test).replace("WHERE", where).replace("LAUNCHED", launched)
    assert any("further on than" in one.message for one in findings(code, select="KL102")) is wrong
