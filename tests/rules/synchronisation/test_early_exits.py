"""Threads that have left the kernel before a barrier: harmless in CUDA, unless the others need what they would have
done."""

from __future__ import annotations

import pytest
from kernlint_rules.memory.uninitialised_shared_memory import UninitialisedSharedMemory
from kernlint_rules.synchronisation.barrier_divergence import BarrierDivergence
from kernlint_rules.synchronisation.divergent_warp_intrinsic import DivergentWarpIntrinsic

from kernlint.finding import Severity
from tests.rules.marked import findings

PRODUCT = """
__global__ void product(const float *a, const float *b, float *c, int m, int n, int k) {
  __shared__ float s[16][16], t[16][16];
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  %s
  float sum = 0.0f;
  for (int p = 0; p < k; p += 16) {
    s[threadIdx.y][threadIdx.x] = row < m && p + threadIdx.x < k ? a[row * k + p + threadIdx.x] : 0.0f;
    t[threadIdx.y][threadIdx.x] = col < n && p + threadIdx.y < k ? b[(p + threadIdx.y) * n + col] : 0.0f;
    __syncthreads();
    for (int q = 0; q < 16; ++q) sum += s[threadIdx.y][q] * t[q][threadIdx.x];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}
"""

NEAREST = """
__global__ void nearest(const float *q, const float *p, int *best, int n, int m) {
  extern __shared__ float tile[];
  int i = blockIdx.x * blockDim.x + threadIdx.x, at = -1;
  if (i >= n) %s
  float least = 1e30f;
  for (int first = 0; first < m; first += blockDim.x) {
    int j = first + threadIdx.x;
    if (j < m) tile[threadIdx.x] = p[j];
    __syncthreads();
    for (int k = 0; k < blockDim.x && first + k < m; ++k)
      if (fabsf(tile[k] - q[i]) < least) {
        least = fabsf(tile[k] - q[i]);
        at = first + k;
      }
    __syncthreads();
  }
  best[i] = at;
}
void run(const float *q, const float *p, int *best, int n, int m) {
  nearest<<<(n + 255) / 256, 256, 1024>>>(q, p, best, n, m);
}
"""

PULL = """
__global__ void pull(const float4 *pos, float4 *acc, int n) {
  __shared__ float4 tile[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  float4 me = pos[i], a = {};
  for (int first = 0; first < n; first += 128) {
    if (first + threadIdx.x < n) tile[threadIdx.x] = pos[first + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < %s; ++k) a.x += tile[k].w * (tile[k].x - me.x);
    __syncthreads();
  }
  acc[i] = a;
}
"""

SEARCH = """
__global__ void search(const float *x, const float *key, int *hit, int n, int m) {
  __shared__ float tile[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  float mine = key[i];
  bool done = false;
  for (int first = 0; first < m; first += 128) {
    if (first + threadIdx.x < m) tile[threadIdx.x] = x[first + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < min(128, m - first); ++k) {
      if (!done && tile[k] == mine) {
        hit[i] = first + k;
        %s
      }
    }
    __syncthreads();
  }
}
"""

OWN_PART = """
__global__ void smooth(float *x, const int *skip, int rounds) {
  __shared__ float mine[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  for (int r = 0; r < rounds; ++r) {
    mine[threadIdx.x] = x[i] * 0.5f;
    __syncthreads();
    x[i] = mine[threadIdx.x];
    if (skip[i]) return;
    __syncthreads();
  }
}
"""

MASKED = """
__global__ void masked(const float *w, const int *mask, float *y, int m) {
  __shared__ float tile[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  if (mask[i] == 0) return;
  float sum = 0.0f;
  for (int first = 0; first < m; first += 128) {
    tile[threadIdx.x] = first + threadIdx.x < m ? w[first + threadIdx.x] : 0.0f;
    __syncthreads();
    for (int k = 0; k < 128; ++k) sum += tile[k];
    __syncthreads();
  }
  y[i] = sum;
}
"""


def told(code: str) -> int:
    """Warnings about barriers."""
    return sum(f.severity is not Severity.NOTE for f in findings(BarrierDivergence, code))


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (PRODUCT % "if (row >= m || col >= n) return;", 1),
        (PRODUCT % "", 0),
        (PULL % "128", 1),
        (PULL % "min(128, n - first)", 0),
        (SEARCH % "return;", 1),
        (SEARCH % "done = true;", 0),
        (OWN_PART, 0),
        (MASKED, 1),
        (NEAREST % "return;", 1),
        (NEAREST % "i = n - 1;", 0),
    ],
    ids=[
        "product",
        "product, all stay",
        "whole tile",
        "part of a tile",
        "search",
        "search, all stay",
        "own",
        "masked",
        "nearest",
        "nearest, all stay",
    ],
)
def test_those_who_left_are_missed(code: str, expected: int) -> None:
    assert told(code) == expected


def test_one_mistake_is_told_once() -> None:
    assert findings(UninitialisedSharedMemory, PRODUCT % "if (row >= m || col >= n) return;") == []


BODY = """
__device__ void body(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (__all_sync(0xffffffffu, x[i] < 0.0f)) y[i] = 0.0f;
}
__global__ void k(const float *x, float *y, int n) {
    body(x, y, n);
    AFTER
}
"""


@pytest.mark.parametrize(
    ("after", "told"), [("", False), ("y[n + threadIdx.x] = __shfl_xor_sync(~0u, x[threadIdx.x], 1);", True)]
)
def test_who_returns_from_the_last_call_has_left(after: str, told: bool) -> None:
    assert bool(findings(DivergentWarpIntrinsic, BODY.replace("AFTER", after))) is told


GROUPS = """
#include <hip/hip_runtime.h>
__global__ void rows(const int *x, int *most, int m) {
    __shared__ int tile[32][8];
    const int r = blockIdx.x * 8 + threadIdx.y;
    if (r >= m) return;
    tile[threadIdx.x][threadIdx.y] = x[r * 32 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) most[r] = max(tile[0][FROM], tile[31][FROM]);
}
"""


@pytest.mark.parametrize(("row", "rank"), [("threadIdx.y", Severity.NOTE), ("7 - threadIdx.y", Severity.WARNING)])
def test_a_wave_that_has_lost_lanes_meets_the_others(row: str, rank: Severity) -> None:
    (found,) = findings(BarrierDivergence, GROUPS.replace("FROM", row), "hip")
    assert found.severity is rank


PEAKS = """
__device__ float fold(float v, float *s) {
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + k]);
    __syncthreads();
  }
  return s[0];
}
__global__ void peaks(const float *x, const unsigned char *alive, float *out) {
  __shared__ float s[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  %s
}
"""


@pytest.mark.parametrize(
    ("body", "bad"),
    [
        ("if (!alive[i]) return; out[i] = x[i] / fold(x[i], s);", True),
        ("float most = fold(alive[i] ? x[i] : 0.0f, s); if (!alive[i]) return; out[i] = x[i] / most;", False),
        ("if (!alive[blockIdx.x]) return; out[i] = x[i] / fold(x[i], s);", False),
        ("if (!alive[i]) return; s[threadIdx.x] = x[i]; __syncthreads(); out[i] = s[threadIdx.x];", False),
    ],
)
def test_what_threads_without_work_of_their_own_would_have_put_there(body: str, bad: bool) -> None:
    found = findings(BarrierDivergence, PEAKS % body)
    assert any(one.severity is not Severity.NOTE for one in found) is bad


TILES_OF_KEYS = """
__global__ void scores(const float *q, const float *k, float *out, int count) {
    __shared__ float keys[64][65];
    const int t = threadIdx.x, row = blockIdx.x * 64 + t;
    if (row >= count) return;
    float best = 0.0f;
    for (int tile = 0; tile <= blockIdx.x; ++tile) {
        for (int i = t; i < 64 * 64; i += 64) {
            const int r = i / 64, d = i % 64;
            keys[r][d] = tile * 64 + r < count ? k[(size_t)(tile * 64 + r) * 64 + d] : 0.0f;
        }
        __syncthreads();
        for (int r = 0; r < 64 && tile * 64 + r < count; ++r)
            for (int d = 0; d < LAST; ++d) best += keys[r][d] * q[(size_t)row * 64 + d];
        __syncthreads();
    }
    out[row] = best;
}
"""


def test_who_returned_would_have_filled_a_column_of_each_tile() -> None:
    def levels(text: str) -> set[Severity]:
        return {one.severity for one in findings(BarrierDivergence, text)}

    assert Severity.WARNING in levels(TILES_OF_KEYS.replace("LAST", "64"))
    assert Severity.WARNING not in levels(TILES_OF_KEYS.replace("LAST", "64").replace("[d] * q", "[0 * d] * q"))
