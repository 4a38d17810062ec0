"""Shared memory at places that move as data choose, and that begin at a known one."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.missing_warp_sync import MissingWarpSync
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from kernlint.rule import RuleClass
from tests.rules.marked import assert_pair, findings

STACKS = """
__global__ void descend(const int *child, int *out) {
    __shared__ int open[256];
    const int lowest = threadIdx.x / 32 * 16;
    int top = lowest, met = 0;
    if (threadIdx.x % 32 == 0) open[lowest] = 1;
    __syncwarp();  // only good
    do {
        int next = open[top];  // bad
        while (next < 8) {
            const int found = child[met * 8 + next++];
            if (found > 0) met = found;
            else ++top;
        }
        --top;
    } while (top >= lowest);
    out[blockIdx.x * 256 + threadIdx.x] = met;
}
void run(const int *child, int *out) { descend<<<4, 256>>>(child, out); }
"""

CHAINS = """
__kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void chains(__global const int *next, __global int *out, const int most) {
    __local int head[4];
    const int me = get_local_id(0);
    if (me == 0) head[0] = next[0];
    barrier(CLK_LOCAL_MEM_FENCE);  // only good
    int at = 0, sum = 0;
    for (int k = 0; k < most; ++k) {
        sum += head[at];  // bad
        at = (at + next[sum] + me) & 3;
    }
    out[get_global_id(0)] = sum;
}
"""

BEHIND = """
__global__ void refilled(const int *child, int *out, int rounds) {
    __shared__ int open[256];
    int top = 0, met = 0;
    for (int k = 0; k < rounds; ++k) {
        open[threadIdx.x] = child[met * 256 + threadIdx.x];
        __syncthreads();
        met += open[top & 255];
        top += met * threadIdx.x;
        __syncthreads();
    }
    out[blockIdx.x * 256 + threadIdx.x] = met;
}
void run(const int *child, int *out, int rounds) { refilled<<<4, 256>>>(child, out, rounds); }
"""


def test_stacks_of_warps_begin_somewhere() -> None:
    assert_pair(MissingWarpSync, STACKS)


def test_chains_begin_somewhere() -> None:
    assert_pair(SharedMemoryRace, CHAINS, language="opencl")


@pytest.mark.parametrize("rule", [MissingWarpSync, SharedMemoryRace])
def test_barriers_in_the_loop_keep_rounds_apart(rule: RuleClass) -> None:
    assert not findings(rule, BEHIND)
