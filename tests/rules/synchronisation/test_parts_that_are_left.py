"""Loops whose variable only gets less, in no closed form: it is never more than it was at first."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import findings

MODES = """
#include <assert.h>
__global__ void over_modes(int modes, const float *x, float *out) {
    const int z = threadIdx.z;
    extern __shared__ float all[];
    float *own = all + threadIdx.x * blockDim.y * blockDim.z + threadIdx.y * blockDim.z;
    own[z] = x[z];
    __syncthreads();
    assert(modes == blockDim.z);
    int c = @first;
    while (c > 1) {
        const int half = c / 2;
        if (z < half) own[z] += own[@other];
        __syncthreads();
        c = @step;
    }
    if (z == 0) out[threadIdx.x * blockDim.y + threadIdx.y] = own[0];
}
"""


@pytest.mark.parametrize(
    ("first", "other", "step", "told"),
    [
        ("modes", "c - z - 1", "c - half", False),
        ("modes", "c - z - 1", "(c + 1) / 2", False),
        ("modes", "c - z", "c - half", True),  # the first one of the next row
        ("modes + 1", "c - z - 1", "c - half", True),
        ("modes", "c - z - 1", "c + half - 2", True),
    ],
)
def test_what_is_left_is_no_more_than_there_was(first: str, other: str, step: str, told: bool) -> None:
    code = MODES.replace("@first", first).replace("@other", other).replace("@step", step)
    assert bool(findings(SharedMemoryRace, code)) is told
