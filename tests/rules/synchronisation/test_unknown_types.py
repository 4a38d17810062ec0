"""Elements of a type that no header gives: threads that meet in one meet whatever its size, and nothing is proved."""

from __future__ import annotations

from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import assert_marked

TURN = """
#include "number.h"
__global__ void k(number *x) {
    __shared__ number row[128];
    row[threadIdx.x] = x[blockIdx.x * 128 + threadIdx.x];
    %s
    x[blockIdx.x * 128 + threadIdx.x] = row[127 - threadIdx.x]; %s
}
"""


def test_elements_of_an_unknown_type() -> None:
    assert_marked(SharedMemoryRace, TURN % ("", "// bad"))
    assert_marked(SharedMemoryRace, TURN % ("__syncthreads();", ""))
