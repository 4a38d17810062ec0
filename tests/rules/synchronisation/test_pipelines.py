"""Pipelines of ``cp.async`` around a loop: what has landed when, and who may overwrite it."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.late_barrier import LateBarrier
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace
from kernlint_rules.synchronisation.unawaited_async_copy import UnawaitedAsyncCopy

from kernlint.rule import RuleClass
from tests.rules.marked import findings

ASM = """
__device__ __forceinline__ void copy16(void *to, const void *from) {
  unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(address), "l"(from));
}
__device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;"); }
template <int N> __device__ __forceinline__ void wait() { asm volatile("cp.async.wait_group %0;" :: "n"(N)); }
"""

RING = (
    ASM
    + """
template <int STAGES>
__global__ void ring(const float4 *a, float *out, int k_tiles) {
  __shared__ float4 s[STAGES][64];
  int t = threadIdx.x;
  const float4 *mine = a + blockIdx.x * 64 + t;
  for (int i = 0; i < STAGES - 1; ++i) {
    if (i < k_tiles) copy16(&s[i][t], mine + i * 64);
    commit();
  }
  float sum = 0.0f;
  for (int k = 0; k < k_tiles; ++k) {
    wait<STAGES - @pending>();
    @barrier
    int next = k + STAGES - 1;
    if (next < k_tiles) copy16(&s[next % STAGES][t], mine + next * 64);
    @commit
    for (int j = 0; j < 64; ++j) sum += s[k % STAGES][j].x;
  }
  out[blockIdx.x * 64 + t] = sum;
}
template __global__ void ring<4>(const float4 *, float *, int);
"""
)

TWO = """
#include <cuda_pipeline.h>
__global__ void two(const float *a, float *out, int n) {
  __shared__ float s[2][128];
  int t = threadIdx.x, at = 0;
  __pipeline_memcpy_async(&s[0][t], a + t, 4);
  __pipeline_commit();
  float sum = 0.0f;
  for (int first = 0; first < n; first += 128) {
    if (first + 128 < n) {
      __pipeline_memcpy_async(&s[at ^ 1][t], a + first + 128 + t, 4);
      @inside
    }
    @outside
    __pipeline_wait_prior(@pending);
    __syncthreads();
    for (int j = 0; j < 128; ++j) sum += s[at][j];
    @end
    at ^= 1;
  }
  out[t] = sum;
}
"""

TILE = """
#include <cuda_pipeline.h>
__global__ void tile(const float *a, float *out, int rounds) {
  __shared__ float s[128];
  int t = threadIdx.x;
  float sum = 0.0f;
  for (int r = 0; r < rounds; ++r) {
    __pipeline_memcpy_async(&s[t], a + r * 128 + t, 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    @before
    sum += s[127 - t];
    @after
  }
  out[t] = sum;
}
"""
BARRIER = "__syncthreads();"


def _told(code: str, **parts: str) -> set[str]:
    for name, text in parts.items():
        code = code.replace("@" + name, text)
    assert "@" not in code
    rules: tuple[RuleClass, ...] = (SharedMemoryRace, LateBarrier, UnawaitedAsyncCopy)
    return {finding.code for rule in rules for finding in findings(rule, code)}


@pytest.mark.parametrize(
    ("pending", "barrier", "commit", "expected"),
    [
        ("2", BARRIER, "commit();", set()),
        ("1", BARRIER, "commit();", {"KL210"}),  # the wait lets one group too many be on its way
        ("2", BARRIER, "if (next < k_tiles) commit();", {"KL210"}),  # the last rounds commit nothing
        ("2", "", "commit();", {"KL210"}),
    ],
)
def test_ring(pending: str, barrier: str, commit: str, expected: set[str]) -> None:
    assert _told(RING, pending=pending, barrier=barrier, commit=commit) == expected


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"inside": "", "outside": "__pipeline_commit();", "pending": "1", "end": BARRIER}, set()),
        ({"inside": "", "outside": "__pipeline_commit();", "pending": "0", "end": BARRIER}, set()),
        ({"inside": "__pipeline_commit();", "outside": "", "pending": "1", "end": BARRIER}, {"KL210"}),
        ({"inside": "", "outside": "__pipeline_commit();", "pending": "1", "end": ""}, {"KL201"}),
        ({"inside": "", "outside": "", "pending": "1", "end": "__pipeline_commit(); " + BARRIER}, {"KL210"}),
    ],
)
def test_two_buffers(parts: dict[str, str], expected: set[str]) -> None:
    assert _told(TWO, **parts) == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (BARRIER, BARRIER, set()),
        (BARRIER, "", {"KL201"}),
        ("", BARRIER, {"KL210"}),
    ],
)
def test_one_tile(before: str, after: str, expected: set[str]) -> None:
    assert _told(TILE, before=before, after=after) == expected


REPACK = (
    ASM
    + """
__global__ void repack(const float4 *a, float4 *out, int k_tiles, int n_tiles) {
  __shared__ float4 s[4][128];
  int t = threadIdx.x;
  auto wait_for_stage = [&]() {
    wait<2>();
    __syncthreads();
  };
  auto fetch = [&](int stage, int k, int n) {
    if (n < n_tiles) copy16(&s[stage][t], a + (k * n_tiles + n) * 128 + t);
    commit();
  };
  for (int k = blockIdx.x; k < k_tiles; k++) {
    for (int stage = 0; stage < 3; ++stage) fetch(stage, k, stage);
    wait_for_stage();
    for (int n = 0; n < n_tiles; n += 4) {
      for (int stage = 0; stage < 4; ++stage) {
        fetch((stage + 3) % 4, k, n + stage + 3);
        if (n + stage < n_tiles) out[(k * n_tiles + n + stage) * 128 + t] = s[stage][127 - t];
        wait_for_stage();
      }
    }
    @
  }
}
"""
)


def test_a_pipeline_starts_again_behind_the_barrier_of_its_last_round() -> None:
    assert findings(SharedMemoryRace, REPACK.replace("@", "")) == []
    read = "out[k * 128 + t] = s[0][127 - t];"  # with nothing behind it
    assert findings(SharedMemoryRace, REPACK.replace("@", read))


CHUNKS = """
#include <cuda_pipeline.h>
__device__ void bring(char *to, const char *from) {
    for (int c = threadIdx.x; c < 256; c += 128) __pipeline_memcpy_async(to + c * 16, from + c * 16, 16);
    __pipeline_commit();
}
__device__ void widen(float *to, const char *from) {
    for (int i = threadIdx.x; i < 4096; i += 128) to[i] = from[PLACE];
}
__global__ void __launch_bounds__(128) unpack(const char *in, float *out, int tiles) {
    __shared__ __align__(16) char raw[4096];
    for (int t = 0; t < tiles; ++t) {
        bring(raw, in + t * 4096);
        __pipeline_wait_prior(0);
        BARRIER
        widen(out + t * 4096, raw);
        __syncthreads();
    }
}
"""


@pytest.mark.parametrize(
    ("barrier", "place", "bad"),
    [
        ("", "i", True),
        ("__syncthreads();", "i", False),
        ("if (t > 0) __syncthreads();", "i", True),
        ("", "threadIdx.x * 16 + i / 128 % 16 + i / 2048 * 2048", False),  # each thread its own chunks
    ],
)
def test_what_others_have_copied_in_each_round(barrier: str, place: str, bad: bool) -> None:
    text = CHUNKS.replace("BARRIER", barrier).replace("PLACE", place)
    assert [one.message for one in findings(UnawaitedAsyncCopy, text)] == [
        "raw is read here, where another thread's asynchronous copy puts it: a thread waits for its own copies, and no "
        "barrier follows"
    ] * bad
