"""Indices that are taken apart by masks of the host's and put together again, and such as bits are lost of in sight."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import assert_marked, findings

CASES = {
    "a bit pushed in where a mask ends": """
kernel void flip(global float *x, constant ulong *p) {
    const ulong id = get_global_id(0);
    const ulong low = id & p[2];
    const ulong at = low | ((id ^ low) << 1);
    const float old = x[at | p[0]];
    x[at | p[0]] = x[at | p[1]];
    x[at | p[1]] = old;
}
""",
    "a bit pushed in, by arguments and in rounds": """
kernel void flip(global float *x, ulong mask, ulong power, ulong most) {
    for (ulong id = get_global_id(0); id < most; id += get_global_size(0)) {
        const ulong low = id & mask;
        const ulong at = low | ((id & ~mask) << 1);
        x[at | power] = -x[at];
    }
}
""",
    "two bits pushed in, below the lower and the higher of two powers": """
kernel void flip(global float *x, ulong one, ulong other) {
    const ulong id = get_global_id(0);
    ulong first, second;
    if (one < other) { first = one - 1; second = other - 1; } else { first = other - 1; second = one - 1; }
    ulong at = id & first;
    ulong high = (id ^ at) << 1;
    const ulong low = high & second;
    at |= low | ((high ^ low) << 1);
    x[at] = -x[at | one | other];
}
""",
    "parts of one number by two masks": """
kernel void turn(global float *x, ulong mask, ulong others) {
    const ulong id = get_global_id(0);
    x[(id & mask) | (id & others)] *= 2.0f;
}
""",
    "a mask that is a number": """
kernel void ring(global float *x, ulong mask) {
    x[get_global_id(0) & 63] = get_global_id(0);  // bad
}
""",
    "a bit that is a number": """
kernel void ring(global float *x, ulong mask) {
    x[get_global_id(0) | 1] = get_global_id(0);  // bad
}
""",
    "bits that are shifted out": """
kernel void half_of(global float *x, ulong power) {
    const ulong id = get_global_id(0);
    x[(id >> 1) | power] = id;  // bad
}
""",
    "a cell that all add to": """
kernel void sum(global float *x, global float *sums, ulong mask, uint parts) {
    const ulong id = get_global_id(0);
    for (uint part = 0; part < parts; ++part) sums[part] += x[(id & mask) | (part << 20)];  // bad
}
""",
}


@pytest.mark.parametrize("case", CASES)
def test_cases(case: str) -> None:
    assert_marked(GlobalMemoryRace, CASES[case], language="opencl")


ROWS = """
__device__ void fill(float at[2][high + 4][wide + 4], const float *x) {
    for (int j = threadIdx.y; j < high + 4; j += blockDim.y)
        for (int i = threadIdx.x; i < wide + 4; i += blockDim.x) {
            at[0][j][i] = x[j];
            at[1][j][i] = x[i];
        }
}
__global__ void blur(const float *x, float *y) {
    __shared__ float at[2][high + 4][wide + 4];
    fill(at, x);
    BARRIER
    y[threadIdx.x] = at[0][threadIdx.y + 2][threadIdx.x + 1] + at[1][threadIdx.y][threadIdx.x];
}
"""


@pytest.mark.parametrize(("barrier", "told"), [("__syncthreads();", False), ("", True)])
def test_rows_of_a_parameter_whose_length_the_build_says(barrier: str, told: bool) -> None:
    assert bool(findings(SharedMemoryRace, ROWS.replace("BARRIER", barrier), "cuda")) is told


DRAWN = """
kernel void push(global uint *queue, global uint *length, global const uint *count) {
    local uint mine;
    mine = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_global_id(0) >= count[0]) return;
    const uint at = atomic_inc(&mine);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (CHOSEN) mine = atomic_add(length, mine);
    barrier(CLK_LOCAL_MEM_FENCE);
    queue[mine + at] = get_global_id(0);
}
"""


@pytest.mark.parametrize(("chosen", "told"), [("at == 0", False), ("count[0] > 3", True)])
def test_who_draws_a_number_is_alone_also_below_a_limit_from_memory(chosen: str, told: bool) -> None:
    assert bool(findings(SharedMemoryRace, DRAWN.replace("CHOSEN", chosen), "opencl")) is told
