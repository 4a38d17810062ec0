"""Named barriers at which the two sides of a condition meet."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.barrier_divergence import BarrierDivergence
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import findings

ROLES = """
template <int ID, int COUNT> __device__ void meet() { asm volatile("bar.sync %%0, %%1;" :: "n"(ID), "n"(COUNT)); }
__global__ void __launch_bounds__(256) roles(const float *in, float *out, int n) {
  __shared__ float s[128];
  for (int i = 0; i < n; i += 128) {
    if (threadIdx.x < 128) {
      s[threadIdx.x] = in[i + threadIdx.x];
      meet<%s>();
    } else {
      meet<%s>();
      out[i + threadIdx.x - 128] = s[threadIdx.x - 128];
    }
    meet<2, 256>();
  }
}
"""


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [("1, 256", "1, 256", 0), ("1, 128", "1, 256", 1), ("3, 128", "1, 128", 0), ("1, 256", "1, 128", 1)],
)
def test_both_sides_wait_for_as_many(one: str, other: str, told: int) -> None:
    assert len(findings(BarrierDivergence, ROLES % (one, other))) == told


def test_a_mode_chooses_one_of_two() -> None:
    chosen = ROLES.replace("threadIdx.x < 128", "n < 1000") % ("1, 128", "1, 256")
    assert findings(BarrierDivergence, chosen) == []


TILES = """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void turned(const float *x, float *y) {
  __shared__ float s[256];
  auto tile = cg::tiled_partition<128>(cg::this_thread_block());
  s[threadIdx.x] = x[threadIdx.x];
  SYNC
  y[threadIdx.x] = s[threadIdx.x / 128 * 128 + 127 - threadIdx.x % 128];
}
void run(const float *x, float *y) { turned<<<1, 256>>>(x, y); }
"""


def test_tiles_of_several_warps() -> None:
    assert not findings(SharedMemoryRace, TILES.replace("SYNC", "tile.sync();"))
    assert findings(SharedMemoryRace, TILES.replace("SYNC", ""))


BY_CALLS = """
__device__ void meet(int id, int count) { asm volatile("bar.sync %0, %1;" :: "r"(id), "r"(count) : "memory"); }
__global__ void staged(const float *in, float *out, int n) {
  __shared__ float s[96];
  for (int i = 0; i < n; ++i) {
    if (threadIdx.x < 96) {
      s[threadIdx.x] = in[i * 96 + threadIdx.x];
      meet(1, COUNT);
      meet(2, 128);
    } else {
      meet(1, 128);
      for (int k = threadIdx.x - 96; k < 96; k += 32) out[i * 96 + k] = s[k];
      meet(2, 128);
    }
  }
}
"""


@pytest.mark.parametrize(("count", "told"), [("96", 1), ("128", 0)])
def test_numbers_that_a_helper_is_given(count: str, told: int) -> None:
    assert len(findings(BarrierDivergence, BY_CALLS.replace("COUNT", count))) == told


ALONE = """
__global__ void part(const float *in, float *out) {
  __shared__ float s[128];
  if (threadIdx.x < COMING) {
    s[threadIdx.x] = in[threadIdx.x];
    asm volatile("bar.sync 1, 64;" ::: "memory");
    out[threadIdx.x] = s[COMING - 1 - threadIdx.x];
  }
  MORE
}
void run(const float *in, float *out) { part<<<1, 128>>>(in, out); }
"""


@pytest.mark.parametrize(
    ("coming", "more", "told"),
    [
        ("64", "", 0),
        ("96", "", 1),
        ("32", "", 1),
        ("33", "", 0),
        ("32", 'if (threadIdx.x >= 96) asm volatile("bar.arrive 1, 64;" ::: "memory");', 0),
        ("32", 'if (in[threadIdx.x] > 0.0f) asm volatile("bar.sync 1, 64;" ::: "memory");', 0),
    ],
)
def test_as_many_as_come(coming: str, more: str, told: int) -> None:
    named = findings(BarrierDivergence, ALONE.replace("COMING", coming).replace("MORE", more))
    assert len([one for one in named if "come to it" in one.message]) == told
