"""Lengths that loops go through in pairs of halves are powers of two: transforms of a thread's own part of memory."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import findings

DOUBLED = "for ({kind} h = 1; h < n; h *= 2) for ({kind} b = 0; b < n; b += 2 * h) for ({kind} k = 0; k < h; ++k)"
HALVED = "for ({kind} h = n / 2; h > 0; h /= 2) for ({kind} b = 0; b < n; b += 2 * h) for ({kind} k = 0; k < h; ++k)"

ROWS = """
__global__ void __launch_bounds__(128) rows(float *data, float *sums, const int *lengths) {{
    extern __shared__ float parts[];
    const {kind} n = lengths[blockIdx.x] + 1;
    float *own = parts + threadIdx.x * {stride};
    for (int i = 0; i < n; ++i) own[i] = data[(blockIdx.x * 128 + threadIdx.x) * 64 + i];
    {loops} {{
        const float one = own[b + k], other = own[b + k + h];
        own[b + k] = one + other;
        own[b + k + h] = one - other;
    }}
    float most = 0;
    for (int i = 0; i < n; ++i) most = fmaxf(most, own[i]);
    {barrier}
    for (int s = 16; s > 0; s /= 2) most = fmaxf(most, __shfl_down_sync(~0u, most, s));
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = most;
    __syncthreads();
    if (threadIdx.x == 0) sums[blockIdx.x] = parts[0] + parts[1] + parts[2] + parts[3];
}}
"""


@pytest.mark.parametrize("kind", ["int", "unsigned"])
@pytest.mark.parametrize("loops", [DOUBLED, HALVED])
@pytest.mark.parametrize(
    ("stride", "barrier", "told"),
    [
        ("n", "__syncthreads();", False),
        ("(n + 1)", "__syncthreads();", False),
        ("(n + 1)", "", True),
        ("(n - 1)", "__syncthreads();", True),
    ],
)
def test_strips_of_threads(kind: str, loops: str, stride: str, barrier: str, told: bool) -> None:
    code = ROWS.format(loops=loops.format(kind=kind), kind=kind, stride=stride, barrier=barrier)
    found = findings(SharedMemoryRace, code)
    assert bool(found) is told, [one.message for one in found]
