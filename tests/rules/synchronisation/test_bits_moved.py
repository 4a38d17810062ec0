"""Places that are permuted bit by bit: a transform's reversed order, rotated lanes."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import assert_pair

REVERSED = """
constexpr int kPoints = 256;
__global__ void __launch_bounds__(kPoints) order(float2 *signal) {
    __shared__ float2 points[kPoints];
    const unsigned at = threadIdx.x;
    points[at] = signal[blockIdx.x * kPoints + at];
    __syncthreads();
    const float2 own = points[REVERSED];
    __syncthreads();  // only good
    points[at] = own;  // bad
    __syncthreads();
    signal[blockIdx.x * kPoints + at] = points[at];
}
"""

ROTATED = """
__kernel __attribute__((reqd_work_group_size(128, 1, 1))) void order(__global uint *x) {
    __local uint held[128];
    const uint at = get_local_id(0);
    held[at] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint other = held[rotate(at, COUNT) & 127u];
    barrier(CLK_LOCAL_MEM_FENCE);  // only good
    held[at] = other;  // bad
    barrier(CLK_LOCAL_MEM_FENCE);
    x[get_global_id(0)] = held[at];
}
"""


@pytest.mark.parametrize("place", ["__brev(at) >> 24", "(unsigned)(__brevll(at) >> 56)", "__ffs(at) + 3"])
def test_bits_that_are_counted_or_reversed(place: str) -> None:
    assert_pair(SharedMemoryRace, REVERSED.replace("REVERSED", place))


@pytest.mark.parametrize("count", ["3u", "30u"])
def test_rotated_bits(count: str) -> None:
    assert_pair(SharedMemoryRace, ROTATED.replace("COUNT", count), "opencl")


def test_a_whole_turn_moves_nothing() -> None:
    assert_pair(SharedMemoryRace, ROTATED.replace("COUNT", "32u").replace("  // bad", ""), "opencl")
