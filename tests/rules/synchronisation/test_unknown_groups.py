"""Threads told apart by groups of a size that is not in sight."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import findings

SCAN = """
#include "warp_size.h"
__global__ void k(const int *in, int *out) {
  __shared__ int idx[128];
  const int lane = @;
  idx[threadIdx.x] = in[threadIdx.x];
  if (lane >= 1 && idx[threadIdx.x] == idx[threadIdx.x - 1]) out[threadIdx.x] = 1;
}
"""


@pytest.mark.parametrize("lane", ["threadIdx.x & (WARP - 1)", "threadIdx.x % WARP", "threadIdx.x % (2 * WARP)"])
def test_groups_of_unknown_size_are_not_reasoned_about(lane: str) -> None:
    assert findings(SharedMemoryRace, SCAN.replace("@", lane)) == []


@pytest.mark.parametrize("lane", ["threadIdx.x & 63", "threadIdx.x % blockDim.x", "threadIdx.x"])
def test_groups_of_known_size_are(lane: str) -> None:
    assert len(findings(SharedMemoryRace, SCAN.replace("@", lane))) == 1
