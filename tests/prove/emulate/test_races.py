"""Kernels that are right, and the same ones with a fault put in: races in shared and global memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kernlint.prove.emulate import Buffer, FaultKind, Outcome
from kernlint.tree.types import Space

Emulate = Callable[..., Outcome]
B = "__syncthreads();"

REDUCTION = """
__global__ void sum(const float* in, float* out) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k >>= 1) {
    if (t < k) s[t] += s[t + k];
    @B
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
"""
MATMUL = """
#define TILE 8
__global__ void product(const float* a, const float* b, float* c, int n) {
  __shared__ float as[TILE][TILE], bs[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  float acc = 0;
  for (int t = 0; t < n / TILE; ++t) {
    as[threadIdx.y][threadIdx.x] = a[row * n + t * TILE + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(t * TILE + threadIdx.y) * n + col];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) acc += as[threadIdx.y][k] * bs[k][threadIdx.x];
    @B
  }
  c[row * n + col] = acc;
}
"""
TRANSPOSE = """
__global__ void turn(const float* in, float* out, int n) {
  __shared__ float tile[16][17];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  @B
  out[(blockIdx.x * 16 + threadIdx.y) * n + blockIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
"""
SCAN = """
__global__ void scan(const int* in, int* out) {
  __shared__ int s[2][64];
  int t = threadIdx.x, from = 0;
  s[0][t] = in[t];
  __syncthreads();
  for (int d = 1; d < 64; d *= 2) {
    s[1 - from][t] = t >= d ? s[from][t] + s[from][t - d] : s[from][t];
    from = 1 - from;
    @B
  }
  out[t] = s[from][t];
}
"""
STENCIL = """
__global__ void blur(const float* in, float* out, int n) {
  __shared__ float tile[64 + 2];
  int i = blockIdx.x * 64 + threadIdx.x, t = threadIdx.x + 1;
  tile[t] = i < n ? in[i] : 0;
  if (threadIdx.x == 0) tile[0] = i > 0 ? in[i - 1] : 0;
  if (threadIdx.x == 63) tile[65] = i + 1 < n ? in[i + 1] : 0;
  @B
  if (i < n) out[i] = tile[t - 1] + tile[t] + tile[t + 1];
}
"""
DOUBLE_BUFFER = """
__global__ void pipeline(const float* in, float* out, int rounds) {
  __shared__ float buf[2][64];
  float acc = 0;
  buf[0][threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int r = 0; r < rounds; ++r) {
    if (r + 1 < rounds) buf[(r + 1) & 1][threadIdx.x] = in[(r + 1) * 64 + threadIdx.x];
    acc += buf[r & 1][63 - threadIdx.x];
    @B
  }
  out[threadIdx.x] = acc;
}
"""
RING = """
__global__ void ring(const int* in, int* out, int n) {
  __shared__ int slot[3][64];
  int t = threadIdx.x, acc = 0;
  for (int i = 0; i < n; ++i) {
    slot[i % 3][t] = in[i * 64 + t];
    @B
    acc += slot[i % 3][t ^ 33];
  }
  out[t] = acc;
}
"""
HELPER = """
__device__ void meet() { @B }
template <class F> __device__ void both(float* s, F f) { s[threadIdx.x] = f(threadIdx.x); meet(); }
__global__ void helper(float* out) {
  __shared__ float s[64];
  float scale = 2;
  both(s, [=](int t) { return t * scale; });
  out[threadIdx.x] = s[63 - threadIdx.x];
}
"""
CARVED = """
__global__ void carved(const int* in, int* out, int n) {
  extern __shared__ unsigned char raw[];
  float* f = reinterpret_cast<float*>(raw);
  int* order = (int*)(raw + n * sizeof(float));
  f[threadIdx.x] = in[threadIdx.x] * 0.5f;
  order[n - 1 - threadIdx.x] = threadIdx.x;
  @B
  out[threadIdx.x] = (int)f[order[threadIdx.x]];
}
"""

PAIRS: dict[str, tuple[str, dict[str, Any]]] = {
    "reduction": (REDUCTION, {"block": 256}),
    "matmul": (MATMUL, {"block": (8, 8), "grid": (2, 2), "args": {"n": 16}}),
    "transpose": (TRANSPOSE, {"block": (16, 16), "grid": (2, 2), "args": {"n": 32}}),
    "scan": (SCAN, {"block": 64}),
    "stencil": (STENCIL, {"block": 64, "grid": 2, "args": {"n": 100}}),
    "double buffer": (DOUBLE_BUFFER, {"block": 64, "args": {"rounds": 4}}),
    "ring": (RING, {"block": 64, "args": {"n": 7}}),
    "helper": (HELPER, {"block": 64}),
    "carved": (CARVED, {"block": 64, "args": {"n": 64}, "shared": 512}),
}


@pytest.mark.parametrize("which", PAIRS)
def test_with_its_barrier_a_kernel_is_clean(emulate: Emulate, which: str) -> None:
    text, options = PAIRS[which]
    outcome = emulate(text.replace("@B", B), **options)
    assert outcome.clean, outcome


@pytest.mark.parametrize("which", PAIRS)
def test_without_its_barrier_it_races_whatever_the_data(emulate: Emulate, which: str) -> None:
    text, options = PAIRS[which]
    outcome = emulate(text.replace("@B", ""), **options, seeds=(0, 1, 2))
    races = outcome.of(FaultKind.RACE)
    assert outcome.finished
    assert any(race.space is Space.SHARED and not race.same_warp and race.data_independent for race in races)
    for race in races:
        assert race.second is not None
        assert (race.first.block, race.first.thread) != (race.second.block, race.second.thread)
        assert "write" in (race.first.action, race.second.action)


def test_a_race_names_threads_cell_and_values(emulate: Emulate) -> None:
    text = """__global__ void shift(int* out) {
      __shared__ int s[64];
      s[threadIdx.x] = 7 * threadIdx.x;
      out[threadIdx.x] = s[(threadIdx.x + 1) % 64];
    }"""
    race = next(race for race in emulate(text, 64).of(FaultKind.RACE) if not race.same_warp)
    assert race.second is not None and race.decl is not None
    threads = {race.first.action: race.first, race.second.action: race.second}
    assert race.decl.name == race.name == "s"
    writer, reader = threads["write"], threads["read"]
    assert race.element == writer.thread[0] == (reader.thread[0] + 1) % 64
    assert race.offset == 4 * race.element
    assert race.first.phase == race.second.phase == 0
    assert writer.span is not None and text[writer.span.start : writer.span.end] == "s[threadIdx.x]"


def test_two_writes_of_the_same_value_are_benign(emulate: Emulate) -> None:
    text = (
        "__global__ void flag(int* found) { __shared__ int any; any = 1; __syncthreads(); found[threadIdx.x] = any; }"
    )
    races = emulate(text, 64).of(FaultKind.RACE)
    assert races and all(race.benign for race in races)
    assert not any(race.benign for race in emulate(text.replace("any = 1", "any = threadIdx.x"), 64).of(FaultKind.RACE))


@pytest.mark.parametrize(("add", "races"), [("atomicAdd(&bins[v], 1)", False), ("bins[v] += 1", True)])
def test_histogram(emulate: Emulate, add: str, races: bool) -> None:
    text = f"""__global__ void histogram(const int* in, int* total, int n) {{
      __shared__ int bins[16];
      if (threadIdx.x < 16) bins[threadIdx.x] = 0;
      __syncthreads();
      for (int i = threadIdx.x; i < n; i += blockDim.x) {{ int v = in[i] & 15; {add}; }}
      __syncthreads();
      if (threadIdx.x < 16) atomicAdd(&total[threadIdx.x], bins[threadIdx.x]);
    }}"""
    outcome = emulate(text, 64, 2, {"n": 200})
    assert outcome.finished
    assert bool(outcome.of(FaultKind.RACE)) is races


def test_a_plain_read_races_with_an_atomic(emulate: Emulate) -> None:
    text = """__global__ void peek(int* out) {
      __shared__ int n;
      if (threadIdx.x == 0) n = 0;
      __syncthreads();
      atomicAdd(&n, 1);
      out[threadIdx.x] = n;
    }"""
    actions = {(race.first.action, race.second and race.second.action) for race in emulate(text, 64).faults}
    assert ("atomic", "read") in actions


def test_blocks_race_on_global_memory_and_atomics_do_not(emulate: Emulate) -> None:
    text = "__global__ void total(int* sum, const int* in) { @ }"
    plain = emulate(text.replace("@", "if (threadIdx.x == 0) sum[0] += in[blockIdx.x];"), 32, 3)
    assert plain.of(FaultKind.RACE) and not any(race.same_block for race in plain.faults)
    assert emulate(text.replace("@", "atomicAdd(sum, in[blockIdx.x]);"), 32, 3).clean
    block = emulate(text.replace("@", "atomicAdd_block(sum, in[blockIdx.x]);"), 32, 3)
    assert block.of(FaultKind.RACE) and not any(race.same_block for race in block.faults)


LAST_BLOCK = """
__device__ unsigned int ticket;
__global__ void total(const float* in, float* partial, float* out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = in[blockIdx.x];
    @F
    last = atomicInc(&ticket, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (last) {
    float sum = 0;
    for (int i = 0; i < gridDim.x; ++i) sum += partial[i];
    if (threadIdx.x == 0) out[0] = sum;
  }
}
"""


def test_the_last_block_may_read_what_fences_published(emulate: Emulate) -> None:
    args = {"ticket": 0}
    assert emulate(LAST_BLOCK.replace("@F", "__threadfence();"), 32, 3, args).clean
    unfenced = emulate(LAST_BLOCK.replace("@F", ""), 32, 3, args)
    assert [race.name for race in unfenced.faults if not race.same_block]
    assert {race.name for race in unfenced.faults} == {"partial"}


def test_a_grid_barrier_orders_blocks(emulate: Emulate) -> None:
    text = """#include <cooperative_groups.h>
    namespace cg = cooperative_groups;
    __global__ void steps(int* a, int n) {
      cg::grid_group grid = cg::this_grid();
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      a[i] = i;
      @
      a[n + i] = a[n - 1 - i];
    }"""
    assert emulate(text.replace("@", "grid.sync();"), 32, 2, {"n": 64}).clean
    races = emulate(text.replace("@", "__syncthreads();"), 32, 2, {"n": 64}).of(FaultKind.RACE)
    assert races and not any(race.same_block for race in races)


def test_a_fence_that_leaves_the_space_out_orders_nothing(emulate: Emulate) -> None:
    text = """__kernel void swap(__global int* out, __local int* s) {
      int t = get_local_id(0);
      s[t] = t;
      barrier(@);
      out[get_global_id(0)] = s[get_local_size(0) - 1 - t];
    }"""
    args = {"s": Buffer(256)}
    wrong = emulate(text.replace("@", "CLK_GLOBAL_MEM_FENCE"), 64, 1, args, language="opencl")
    assert wrong.faults and all(race.unfenced and race.kind is FaultKind.RACE for race in wrong.faults)
    assert emulate(text.replace("@", "CLK_LOCAL_MEM_FENCE"), 64, 1, args, language="opencl").clean


def test_one_buffer_for_two_parameters_is_aliased_memory(emulate: Emulate) -> None:
    text = "__global__ void copy(float* to, const float* from) { to[threadIdx.x] = from[threadIdx.x + 1]; }"
    assert emulate(text, 64).clean
    both = Buffer(4 * 65)
    assert emulate(text, 64, 1, {"to": both, "from": both}).of(FaultKind.RACE)


def test_bytes_of_one_word_are_told_apart(emulate: Emulate) -> None:
    text = """__global__ void bytes(int* out) {
      __shared__ unsigned char b[64];
      b[threadIdx.x] = threadIdx.x;
      @
      if (threadIdx.x < 16) out[threadIdx.x] = ((unsigned*)b)[threadIdx.x];
    }"""
    assert emulate(text.replace("@", B), 64).clean
    race = next(race for race in emulate(text.replace("@", ""), 64).faults if not race.same_warp)
    assert race.second is not None and race.offset is not None
    reader, writer = sorted((race.first, race.second), key=lambda part: part.action)
    assert race.offset // 4 == reader.thread[0] and race.offset == writer.thread[0]
