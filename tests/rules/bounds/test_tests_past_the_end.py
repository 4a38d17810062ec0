"""Tests of numbers that data choose which let more through than the array has."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange

from tests.rules.marked import findings

PAIRS = """
#define SIDE 64
#define LIMIT (SIDE * 6)
__kernel __attribute__((reqd_work_group_size(SIDE, 1, 1)))
void neighbours(__global const uint *cells, __global const uint *fill, __global uint *out, const uint rows) {
    __local uint found[ROOM];
    __local uint count;
    const uint l = get_local_id(0), row = get_global_id(0);
    if (l == 0) count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (row < rows)
        for (uint i = 0; i < min(fill[row], 12u); ++i)
            if (cells[row * 12 + i] != 0) {
                const uint at = atomic_inc(&count);
                if (TEST) found[at] = cells[row * 12 + i];
            }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) out[get_group_id(0)] = found[0];
}
"""


@pytest.mark.parametrize(
    ("room", "test", "bad"),
    [
        ("SIDE * 4", "at < LIMIT", True),
        ("SIDE * 4", "at < SIDE * 4", False),
        ("LIMIT", "at < LIMIT", False),
        ("SIDE * 4", "at < LIMIT && at < SIDE * 4", False),
        ("SIDE * 4", "at < 255", False),
        ("SIDE * 4", "at < 100000", False),  # no limit of places, so far away
    ],
)
def test_slots_of_a_counter(room: str, test: str, bad: bool) -> None:
    found = findings(ArrayIndexOutOfRange, PAIRS.replace("ROOM", room).replace("TEST", test), "opencl")
    assert bool(found) is bad, [one.message for one in found]


LEVELS = """
__global__ void histogram(const KIND *level, int *out, int n) {
    __shared__ int bins[96];
    for (int b = threadIdx.x; b < 96; b += blockDim.x) bins[b] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        const KIND bin = level[i];
        if (TEST) atomicAdd(&bins[bin], 1);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < 96; b += blockDim.x) atomicAdd(&out[b], bins[b]);
}
"""


@pytest.mark.parametrize(
    ("kind", "test", "bad"),
    [
        ("unsigned", "bin < 100", True),
        ("unsigned", "bin < 96", False),
        ("unsigned char", "bin < 255", False),  # a mark
        ("unsigned", "bin < 0x7fffffff", False),
        ("unsigned", "bin < 100 && bin % 2 == 0", False),
    ],
)
def test_bins_of_data(kind: str, test: str, bad: bool) -> None:
    found = findings(ArrayIndexOutOfRange, LEVELS.replace("KIND", kind).replace("TEST", test))
    assert bool(found) is bad, [one.message for one in found]
