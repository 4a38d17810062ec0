"""Shared memory behind objects: constructors that keep a pointer or a reference, objects without a name."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.missing_warp_sync import MissingWarpSync
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from kernlint.finding import Severity
from tests.rules.marked import findings

POINTER = """
class Exchange {
  float *const mem_;
  int tid_;
 public:
  __device__ Exchange(float *mem) : mem_(mem), tid_(threadIdx.x) {}
  __device__ void put(float v) { mem_[tid_] = v; }
  __device__ float get() const { return mem_[127 - tid_]; }
};
__global__ void k(float *x) {
  __shared__ float mem[128];
  Exchange e(mem);
  e.put(x[threadIdx.x]);
  @
  x[threadIdx.x] = e.get();
}
"""

REFERENCE = """
template <int N> struct Storage { float part[N]; };
template <int N> class Sum {
  Storage<N> &temp;
  int lane, warp;
 public:
  __device__ explicit Sum(Storage<N> &storage) : temp(storage), lane(threadIdx.x % 32), warp(threadIdx.x / 32) {}
  __device__ float of(float v) {
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
    if (lane == 0) temp.part[warp] = v;
    __syncthreads();
    float sum = 0.0f;
    for (int i = 0; i < blockDim.x / 32; ++i) sum += temp.part[i];
    return sum;
  }
};
__global__ void k(float *x) {
  __shared__ Storage<32> storage;
  float a = Sum<32>(storage).of(x[threadIdx.x]);
  @
  float b = Sum<32>(storage).of(x[threadIdx.x] - a);
  x[threadIdx.x] = b;
}
"""

ROW = """
template <int N> struct Row {
  float (&cells)[N];
  __device__ Row(float (&m)[N]) : cells(m) {}
  __device__ float &operator[](int i) { return cells[i]; }
};
__global__ void k(float *x) {
  __shared__ float mem[128];
  Row<128> row(mem);
  row[threadIdx.x] = x[threadIdx.x];
  @
  x[threadIdx.x] = row[127 - threadIdx.x];
}
"""


@pytest.mark.parametrize("code", [POINTER, REFERENCE, ROW])
def test_a_barrier_is_missing_or_there(code: str) -> None:
    assert [f.severity for f in findings(SharedMemoryRace, code.replace("@", ""))] == [Severity.ERROR]
    assert findings(SharedMemoryRace, code.replace("@", "__syncthreads();")) == []


UNPLACED = """
#include <size_of_type.h>
struct Shared {
  tile_type tile[64];
  unsigned long long full[4];
  int plan[128];
};
__global__ void k(const int *plans, int *out) {
  extern __shared__ unsigned char memory[];
  Shared &s = *reinterpret_cast<Shared *>(memory);
  s.plan[threadIdx.x] = plans[threadIdx.x];
  if (threadIdx.x == 0)
    for (int i = 0; i < 4; ++i) s.full[i] = 1;
  __syncthreads();
  out[threadIdx.x] = s.plan[127 - threadIdx.x] + (int)s.full[0];
}
"""


def test_fields_lie_apart_wherever_they_are() -> None:
    assert not findings(SharedMemoryRace, UNPLACED)


STAGES = """
template <int D>
__global__ void fold(const float *x, float *y, int width, int rounds) {
  __shared__ struct Stage { float sums[D], rows[D]; } stage[2];
  int now = 0;
  const int at = threadIdx.x;
  for (int r = 0; r < rounds; ++r) {
    if (at < D) stage[now].rows[at] = x[r * D + at];
    __syncthreads();
    if (at < D) stage[now].sums[at] = stage[now].rows[D - 1 - at] * 2.0f;
    BARRIER
    if (at < width) y[r * width + at] = stage[now].sums[D - 1 - at];
    now ^= 1;
  }
}
template __global__ void fold<64>(const float *, float *, int, int);
"""


@pytest.mark.parametrize(("barrier", "told"), [("__syncthreads();", False), ("", True)])
def test_a_row_no_longer_than_the_array_that_holds_it(barrier: str, told: bool) -> None:
    assert bool(findings(SharedMemoryRace, STAGES.replace("BARRIER", barrier))) is told


SCRATCH = """
__global__ void permute(const float4 *m, const unsigned *order, float *out, unsigned count, unsigned rows) {
  __shared__ float scratch[32][32];
  float4 *stripes = (float4 *)&scratch[threadIdx.xSHIFT];
  float *columns = (float *)&scratch[threadIdx.xSHIFT];
  float *permuted = &columns[count * 4];
  float sum = 0.0f;
  for (unsigned r = threadIdx.x; r < rows; r += blockDim.x) {
    for (unsigned s = 0; s < count; ++s) stripes[s] = m[r * count + s];
    for (unsigned c = 0; c < count * 4; ++c) permuted[c] = columns[order[c]];
    for (unsigned c = 0; c < count * 4; ++c) sum += permuted[c];
  }
  atomicAdd(out, sum);
}
"""


@pytest.mark.parametrize(("shift", "told"), [("", False), (" / 2", True)])
def test_rows_that_are_scratch_space_of_a_thread_each(shift: str, told: bool) -> None:
    code = SCRATCH.replace("SHIFT", shift)
    assert bool([*findings(MissingWarpSync, code), *findings(SharedMemoryRace, code)]) is told
