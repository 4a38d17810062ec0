"""Partners whose distance doubles or halves with the rounds of nested loops: sorts and transforms in shared memory."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import findings

SORT = """
__device__ void exchange(float *keys, int a, int b, bool up) {{
    if ((keys[a] > keys[b]) == up) {{
        const float held = keys[a];
        keys[a] = keys[b];
        keys[b] = held;
    }}
}}
__global__ void __launch_bounds__({threads}) sort_rows(float *rows) {{
    __shared__ float keys[512];
    float *row = rows + blockIdx.x * 512;
    for (int i = threadIdx.x; i < 512; i += {threads}) keys[i] = row[i];
    __syncthreads();
    for (int size = 2; size <= 512; size {grow}) {{
        for (int step = size / 2; step > 0; step {shrink}) {{
            for (int i = threadIdx.x; i < 512; i += {threads}) {{
                const int other = i ^ step;
                if (other > i) exchange(keys, i, other, (i & size) == 0);
            }}
            {barrier}
        }}
        __syncthreads();
    }}
    for (int i = threadIdx.x; i < 512; i += {threads}) row[i] = keys[i];
}}
"""


@pytest.mark.parametrize(("grow", "shrink"), [("<<= 1", ">>= 1"), ("*= 2", "/= 2")])
@pytest.mark.parametrize("threads", [512, 128])
def test_a_sort_with_a_barrier_for_each_size_alone(threads: int, grow: str, shrink: str) -> None:
    for barrier in ("", "__syncthreads();"):
        found = findings(SharedMemoryRace, SORT.format(threads=threads, grow=grow, shrink=shrink, barrier=barrier))
        assert bool(found) is not bool(barrier), [one.message for one in found]
        for one in found:
            witness = one.witness
            assert witness is not None
