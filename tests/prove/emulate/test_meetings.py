"""Barriers, warp operations and asynchronous copies."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kernlint.prove.emulate import Buffer, FaultKind, Outcome

Emulate = Callable[..., Outcome]


def kinds(outcome: Outcome) -> set[FaultKind]:
    assert outcome.finished, outcome
    return {fault.kind for fault in outcome.faults}


# ------------------------------------------------------------------------------------------------------ block barriers


def test_threads_that_leave_are_missed_at_the_barrier(emulate: Emulate) -> None:
    text = """__global__ void early(float* a, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
      a[i] = 1;
      __syncthreads();
    }"""
    fault = emulate(text, 64, 1, {"n": 40}).faults[0]
    assert fault.kind is FaultKind.BARRIER_DIVERGENCE and fault.exited and fault.second is not None
    assert fault.first.thread[0] < 40 <= fault.second.thread[0]
    assert fault.second.action == "exit" and not fault.same_warp
    assert emulate(text, 64, 1, {"n": 64}).clean


def test_threads_at_different_barriers(emulate: Emulate) -> None:
    text = """__global__ void parts(int* a) {
      if (threadIdx.x < 32) { a[threadIdx.x] = 1; __syncthreads(); } else { __syncthreads(); }
    }"""
    fault = emulate(text, 64).faults[0]
    assert fault.kind is FaultKind.BARRIER_DIVERGENCE and not fault.exited
    assert fault.second is not None and fault.second.span is not None and fault.first.span != fault.second.span


def test_unequal_numbers_of_iterations(emulate: Emulate) -> None:
    text = """__global__ void stride(float* a, int n) {
      for (int i = threadIdx.x; i < n; i += blockDim.x) { a[i] += 1; __syncthreads(); }
    }"""
    assert kinds(emulate(text, 64, 1, {"n": 100})) == {FaultKind.BARRIER_DIVERGENCE}
    assert emulate(text, 64, 1, {"n": 128}).clean


def test_a_trap_is_no_missing_thread(emulate: Emulate) -> None:
    text = "__global__ void stop(int n) { if (threadIdx.x == n) __trap(); __syncthreads(); }"
    assert kinds(emulate(text, 64, 1, {"n": 5})) == {FaultKind.TRAP}


def test_phases_are_counted(emulate: Emulate) -> None:
    text = "__global__ void count(int n) { for (int i = 0; i < n; ++i) __syncthreads(); }"
    assert emulate(text, 64, 1, {"n": 5}).phases == 6


def test_reducing_barriers(emulate: Emulate) -> None:
    text = """#include <cassert>
    __global__ void votes() {
      int t = threadIdx.x;
      assert(__syncthreads_count(t < 5) == 5);
      assert(__syncthreads_or(t == 40) == 1);
      assert(__syncthreads_or(t == 640) == 0);
      assert(__syncthreads_and(t < 640) == 1);
      assert(__syncthreads_and(t < 40) == 0);
    }"""
    assert emulate(text, 64).clean


def test_work_group_collectives(emulate: Emulate) -> None:
    text = """__kernel void groups(__global int* out) {
      int t = get_local_id(0);
      int sum = work_group_reduce_add(t);
      int before = work_group_scan_exclusive_add(t);
      int third = work_group_broadcast(t * 10, 3);
      out[t] = sum == 64 * 63 / 2 && before == t * (t - 1) / 2 && third == 30 ? 1 : 1 / (sum - sum);
    }"""
    assert emulate(text, 64, language="opencl").clean


def test_named_barriers_of_some_warps(emulate: Emulate) -> None:
    text = """__global__ void halves(int* out) {
      __shared__ int s[128];
      s[threadIdx.x] = threadIdx.x;
      if (threadIdx.x < 64) asm volatile("bar.sync 1, 64;"); else asm volatile("bar.sync 2, 64;");
      out[threadIdx.x] = s[threadIdx.x ^ @];
    }"""
    assert emulate(text.replace("@", "32"), 128).clean
    assert FaultKind.RACE in kinds(emulate(text.replace("@", "64"), 128))


# --------------------------------------------------------------------------------------------------------------- warps


def test_warp_reduction(emulate: Emulate) -> None:
    text = """#include <cassert>
    __global__ void lanes() {
      int lane = threadIdx.x % 32, v = lane;
      for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
      if (lane == 0) assert(v == 496);
      int x = lane;
      for (int d = 1; d < 32; d *= 2) x ^= __shfl_xor_sync(0xffffffffu, x, d);
      assert(x == 0);
      assert(__shfl_sync(0xffffffffu, lane, 3, 8) == lane / 8 * 8 + 3);
      assert(__shfl_up_sync(0xffffffffu, lane, 2, 16) == (lane % 16 < 2 ? lane : lane - 2));
      assert(__ballot_sync(0xffffffffu, lane < 4) == 15u);
      assert(__any_sync(0xffffffffu, lane == 9) && !__all_sync(0xffffffffu, lane == 9));
      assert(__match_any_sync(0xffffffffu, lane / 16) == (lane < 16 ? 0xffffu : 0xffff0000u));
      assert(__reduce_add_sync(0xffffffffu, 2u) == 64u);
    }"""
    assert emulate(text, 96).clean


def test_tiles_of_cooperative_groups(emulate: Emulate) -> None:
    text = """#include <cooperative_groups.h>
    #include <cassert>
    namespace cg = cooperative_groups;
    __global__ void tiles(int* out) {
      __shared__ int s[64];
      auto block = cg::this_thread_block();
      auto tile = cg::tiled_partition<8>(block);
      int rank = tile.thread_rank(), v = rank;
      for (int d = 4; d > 0; d /= 2) v += tile.shfl_down(v, d);
      if (rank == 0) assert(v == 28);
      assert(tile.ballot(rank == 2) == 4u);
      assert(tile.shfl(block.thread_rank(), 0) == threadIdx.x / 8 * 8);
      s[threadIdx.x] = rank;
      tile.sync();
      out[threadIdx.x] = s[threadIdx.x ^ 7];
      block.sync();
      out[threadIdx.x] += s[63 - threadIdx.x];
    }"""
    assert emulate(text, 64).clean


@pytest.mark.parametrize(("between", "races"), [("__syncwarp();", False), ("", True)])
def test_lanes_need_a_warp_barrier(emulate: Emulate, between: str, races: bool) -> None:
    text = f"""__global__ void tail(int* out) {{
      __shared__ int s[64];
      int t = threadIdx.x;
      s[t] = t;
      {between}
      out[t] = s[t ^ 1];
    }}"""
    faults = emulate(text, 64).of(FaultKind.RACE)
    assert bool(faults) is races
    assert all(fault.same_warp for fault in faults)


def test_a_warp_barrier_does_not_order_other_warps(emulate: Emulate) -> None:
    text = """__global__ void tail(int* out) {
      __shared__ int s[64];
      s[threadIdx.x] = 1;
      __syncwarp();
      out[threadIdx.x] = s[threadIdx.x ^ 32];
    }"""
    faults = emulate(text, 64).of(FaultKind.RACE)
    assert faults and not any(fault.same_warp for fault in faults)


def test_warp_barriers_order_step_by_step(emulate: Emulate) -> None:
    """Lane 0 to lane 1 by one barrier, lane 1 to lane 2 by another: lane 0 comes before lane 2."""
    text = """__global__ void chain(int* out) {
      __shared__ int s;
      int t = threadIdx.x;
      if (t == 0) s = 5;
      if (t < 2) __syncwarp(3);
      if (t == 1 || t == 2) __syncwarp(6);
      if (t == 2) out[0] = s;
      if (t == 3 && @) out[1] = s;
    }"""
    assert emulate(text.replace("@", "0")).clean
    assert emulate(text.replace("@", "1")).of(FaultKind.RACE)


def test_lanes_named_but_absent(emulate: Emulate) -> None:
    text = """__global__ void some(int* out, int n) {
      if (threadIdx.x < n) out[threadIdx.x] = __shfl_down_sync(0xffffffffu, threadIdx.x, 1);
      @
    }"""
    waiting = emulate(text.replace("@", "__syncthreads();"), 32, 1, {"n": 20}).of(FaultKind.WARP_MASK)
    assert waiting and not waiting[0].exited
    gone = emulate(text.replace("@", ""), 32, 1, {"n": 20}).of(FaultKind.WARP_MASK)
    assert gone and gone[0].exited
    assert emulate(text.replace("@", ""), 32, 1, {"n": 32}).clean


def test_a_lane_outside_of_its_mask(emulate: Emulate) -> None:
    text = "__global__ void mask(int* out) { out[threadIdx.x] = __shfl_sync(0xffffu, threadIdx.x, 0); }"
    faults = emulate(text).of(FaultKind.WARP_MASK)
    assert any("not in its own mask" in fault.detail for fault in faults)


def test_active_lanes_in_a_branch(emulate: Emulate) -> None:
    text = """#include <cassert>
    __global__ void active() {
      if (threadIdx.x < 5) assert(__activemask() == 31u);
    }"""
    assert emulate(text).clean


# ---------------------------------------------------------------------------------------------------------- copies


@pytest.mark.parametrize(("wait", "races"), [("wait_group_events(1, &e);", False), ("", True)])
def test_work_group_copy(emulate: Emulate, wait: str, races: bool) -> None:
    text = f"""__kernel void stage(__global const float* in, __global float* out, __local float* s) {{
      event_t e = async_work_group_copy(s, in, 64, 0);
      {wait}
      out[get_local_id(0)] = s[63 - get_local_id(0)];
    }}"""
    faults = emulate(text, 64, 1, {"s": Buffer(256)}, language="opencl").of(FaultKind.RACE)
    assert bool(faults) is races
    assert all("copy" in (fault.first.action, fault.second and fault.second.action) for fault in faults)


def test_only_the_event_that_is_waited_for_is_complete(emulate: Emulate) -> None:
    text = """__kernel void stages(__global const float* in, __global float* out, __local float* a,
                                     __local float* b) {
      event_t e[2];
      e[0] = async_work_group_copy(a, in, 32, 0);
      e[1] = async_work_group_copy(b, in + 32, 32, 0);
      wait_group_events(1, &e[0]);
      out[get_local_id(0)] = @[get_local_id(0)];
      wait_group_events(1, &e[1]);
    }"""
    args = {"a": Buffer(128), "b": Buffer(128)}
    assert emulate(text.replace("@", "a"), 32, 1, args, language="opencl").clean
    assert emulate(text.replace("@", "b"), 32, 1, args, language="opencl").of(FaultKind.RACE)


PIPELINE = """#include <cuda_pipeline.h>
__global__ void pipe(const int* in, int* out) {
  __shared__ int s[2][64];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&s[0][t], &in[t], 4);
  __pipeline_commit();
  __pipeline_memcpy_async(&s[1][t], &in[64 + t], 4);
  __pipeline_commit();
  __pipeline_wait_prior(@N);
  __syncthreads();
  out[t] = s[@W][t ^ 32];
}
"""


@pytest.mark.parametrize(("pending", "which", "races"), [(1, 0, False), (1, 1, True), (0, 1, False)])
def test_groups_of_copies(emulate: Emulate, pending: int, which: int, races: bool) -> None:
    outcome = emulate(PIPELINE.replace("@N", str(pending)).replace("@W", str(which)), 64)
    assert outcome.finished
    assert bool(outcome.of(FaultKind.RACE)) is races


def test_a_wait_without_a_barrier_is_for_the_own_copies_only(emulate: Emulate) -> None:
    text = PIPELINE.replace("@N", "0").replace("@W", "0").replace("__syncthreads();", "")
    assert emulate(text, 64).of(FaultKind.RACE)


BACK = """__kernel void back(__global float* out, __local float* s) {
  s[get_local_id(0)] = get_global_id(0);
  @
  event_t e = async_work_group_copy(out + @G, s, 64, 0);
  wait_group_events(1, &e);
}"""


@pytest.mark.parametrize("place", ["get_group_id(0) * 64", "0"])
@pytest.mark.parametrize("barrier", ["barrier(CLK_LOCAL_MEM_FENCE);", ""])
def test_a_copy_reads_its_source_and_writes_global_memory(emulate: Emulate, place: str, barrier: str) -> None:
    text = BACK.replace("@G", place).replace("@", barrier)
    races = emulate(text, 64, 2, {"s": Buffer(256)}, language="opencl").of(FaultKind.RACE)
    assert {race.name for race in races if race.same_block} == (set() if barrier else {"s"})
    assert {race.name for race in races if not race.same_block} == ({"out"} if place == "0" else set())


def test_functions_out_of_sight(emulate: Emulate) -> None:
    text = """__device__ float mystery(float x); __device__ void wait_for(int x); __device__ void fill(int* p);
    __global__ void f(float* a, int* b) { a[threadIdx.x] = mystery(threadIdx.x); @ }"""
    rough = emulate(text.replace("@", ""))
    assert rough.clean and rough.approximations == ("mystery",)
    assert "wait_for" in (emulate(text.replace("@", "wait_for(1);")).unsupported or "")
    assert "fill" in (emulate(text.replace("@", "fill(b);")).unsupported or "")
