"""Kernels that note down which block they are, and otherwise never ask along that axis."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace

from tests.rules.marked import findings

STEP = """
struct Report { unsigned block[3]; int code; };
__device__ Report report;
__global__ void step(const float *in, float *out, unsigned *owner, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = in[IN];
    if (x < 0.0f && atomicCAS(&report.code, 0, 1) == 0) {
        report.block[0] = blockIdx.x;
        report.block[1] = blockIdx.y;
        report.block[2] = blockIdx.z;
    }
    out[i] += x;
    OWNER
}
"""


@pytest.mark.parametrize(
    ("place", "owner", "bad"),
    [
        ("i", "", False),
        ("blockIdx.y * n + i", "", True),
        ("i", "owner[i] = blockIdx.y;", True),
    ],
)
def test_a_block_that_is_noted_down(place: str, owner: str, bad: bool) -> None:
    assert bool(findings(GlobalMemoryRace, STEP.replace("IN", place).replace("OWNER", owner))) is bad
