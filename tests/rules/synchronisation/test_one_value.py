"""Cells of shared memory into which every store puts one value."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import findings

ROUNDS = """
__global__ void rounds(const float *x, float *y, int n, int steps) {{
    __shared__ int limit;
    for (int r = 0; r < steps; ++r) {{
        {store}
        {barrier}
        y[r * 256 + threadIdx.x] = x[r * 256 + threadIdx.x] * limit;
        {more}
    }}
}}
"""


@pytest.mark.parametrize(
    ("store", "barrier", "more", "told"),
    [
        ("if (threadIdx.x == 0) limit = 256;", "__syncthreads();", "", False),
        ("if (threadIdx.x == 0) limit = n;", "__syncthreads();", "", False),
        ("limit = 256;", "__syncthreads();", "", False),
        ("if (threadIdx.x == 0) limit = r;", "__syncthreads();", "", True),
        ("if (threadIdx.x == 0) limit = 256;", "", "", True),
        ("if (threadIdx.x == 0) limit = 256;", "__syncthreads();", "if (threadIdx.x == 255) limit = 0;", True),
        ("if (threadIdx.x == 0 && x[r] > 0.0f) limit = 256;", "__syncthreads();", "", True),
    ],
)
def test_stored_again_in_each_round(store: str, barrier: str, more: str, told: bool) -> None:
    code = ROUNDS.format(store=store, barrier=barrier, more=more)
    assert bool(findings(SharedMemoryRace, code)) == told
