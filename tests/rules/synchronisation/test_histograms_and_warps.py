"""Races whose places data pick, and races between warps of a kernel that works by warp collectives."""

from __future__ import annotations

import pytest

from kernlint.finding import Severity
from kernlint.policy.config import Config
from kernlint.policy.selection import Selection
from kernlint.registry import load
from kernlint.run.engine import Engine
from kernlint.source import SourceFile

HISTOGRAM = """
__global__ void count(const int *keys, int *bins, int n) {
  __shared__ int local[256];
  local[threadIdx.x] = 0;
  @1
  for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&local[keys[i] & 255], 1);
  @2
  atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}
"""

OF_EACH_WARP = """
__global__ void count(const int *keys, int *bins, int n) {
  __shared__ int local[8][32];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  local[warp][lane] = 0;
  __syncwarp();
  for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&local[warp][keys[i] & 31], 1);
  __syncwarp();
  atomicAdd(&bins[lane], local[warp][lane]);
}
"""

TOTALS = """
__device__ float total(float v) {
  for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
  return v;
}
__global__ void sum(const float *in, float *out) {
  __shared__ float totals[8];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  float v = total(in[threadIdx.x]);
  if (lane == 0) totals[warp] = v;
  @1
  if (warp == 0) {
    v = total(lane < blockDim.x / 32 ? totals[lane] : 0.0f);
    if (lane == 0) out[0] = v;
  }
}
"""

B = "__syncthreads();"


def races(code: str) -> list[Severity]:
    registry = load()
    selection = Selection(registry, Config(select=("KL201",)))
    results = Engine(registry, selection).check_source(SourceFile("k.cu", code.encode()), selection).results
    return [result.finding.severity for result in results]


@pytest.mark.parametrize(("first", "second"), [("", B), (B, "")])
def test_a_histogram_needs_both_barriers(first: str, second: str) -> None:
    assert races(HISTOGRAM.replace("@1", first).replace("@2", second))


def test_a_histogram_with_its_barriers_is_silent() -> None:
    assert not races(HISTOGRAM.replace("@1", B).replace("@2", B))


def test_each_warp_may_have_bins_of_its_own() -> None:
    assert not races(OF_EACH_WARP)


def test_a_place_for_each_warp_says_that_there_are_several() -> None:
    assert races(TOTALS.replace("@1", "")) == [Severity.ERROR]
    assert not races(TOTALS.replace("@1", B))
