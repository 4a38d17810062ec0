"""Loops that go as far as data say go no further than the data are clamped to."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import findings

FORWARD = """
__global__ void forward(const float *score, const int *length, const int *frames, float *loss, int width) {
    __shared__ float row[2][65];
    const int last = min(length[blockIdx.x], 64), states = last + 1;
    for (int s = threadIdx.x; s < states; s += blockDim.x) row[0][s] = score[s];
    __syncthreads();
    for (int t = 1; t < frames[blockIdx.x]; ++t) {
        const float *before = row[(t - 1) & 1];
        for (int s = threadIdx.x; s < states; s += blockDim.x) {
            float v = before[s];
            if (s > 0) v += before[s - 1];
            row[PARITY][s] = v + score[t * width + s];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) loss[blockIdx.x] = row[(frames[blockIdx.x] - 1) & 1][states - 1];
}
"""


@pytest.mark.parametrize(("parity", "bad"), [("t & 1", False), ("(t - 1) & 1", True)])
def test_rows_of_a_pair_end_before_each_other(parity: str, bad: bool) -> None:
    assert bool(findings(SharedMemoryRace, FORWARD.replace("PARITY", parity))) is bad


def test_a_clamp_beyond_the_row() -> None:
    assert findings(SharedMemoryRace, FORWARD.replace("PARITY", "t & 1").replace(", 64)", ", 128)"))
