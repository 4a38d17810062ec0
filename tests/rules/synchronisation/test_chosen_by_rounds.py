"""Shared memory at places that a value of the round chooses, which all threads read alike."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import assert_pair, findings

PASSES = """
struct Pass { int stage; float weight; };
__global__ void mixes(float *line, const Pass *passes, int amount) {
    __shared__ float cell[512];
    for (int i = threadIdx.x; i < 512; i += blockDim.x) cell[i] = line[i];
    __syncthreads();
    for (int p = 0; p < amount; ++p) {
        const Pass now = passes[p];
        const int step = 1 << now.stage;
        const int left = (threadIdx.x / step) * 2 * step + threadIdx.x % step;
        const float u = cell[left], v = cell[left + step] * now.weight;
        cell[left] = u + v;  // bad
        cell[left + step] = u - v;  // bad
        __syncthreads();  // only good
    }
    __syncthreads();  // only bad
    for (int i = threadIdx.x; i < 512; i += blockDim.x) line[i] = cell[i];
}
void run(float *line, const Pass *passes, int amount) { mixes<<<1, 256>>>(line, passes, amount); }
"""

TURNS = """
__kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void turns(__global float *out, __constant int *shift, const int rounds) {
    __local float ring[128];
    const int me = get_local_id(0);
    ring[me] = out[me];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < rounds; ++k) {
        const float taken = ring[(me + shift[k]) % 128];  // bad
        barrier(CLK_LOCAL_MEM_FENCE);
        ring[me] += taken;
        barrier(CLK_LOCAL_MEM_FENCE);  // only good
    }
    out[me] = ring[me];
}
"""


@pytest.mark.parametrize(("code", "language"), [(PASSES, "cuda"), (TURNS, "opencl")], ids=["passes", "turns"])
def test_rounds_that_pair_cells_in_their_own_way(code: str, language: str) -> None:
    assert_pair(SharedMemoryRace, code, language)


SILENT = [
    # A row for each thread, whatever the round says.
    """
    __global__ void tallies(const int *kind, int amount, int *out) {
        __shared__ int mine[8 * 128];
        for (int i = 0; i < 8; ++i) mine[i * 128 + threadIdx.x] = 0;
        for (int k = 0; k < amount; ++k) mine[(kind[k] & 7) * 128 + threadIdx.x] += k;
        for (int i = 0; i < 8; ++i) out[i * 128 + threadIdx.x] = mine[i * 128 + threadIdx.x];
    }
    void run(const int *kind, int amount, int *out) { tallies<<<1, 128>>>(kind, amount, out); }
    """,
    # The same pairs in all rounds.
    """
    __global__ void pairs(float *line, const int *stage, int amount) {
        __shared__ float cell[256];
        const int step = 1 << stage[blockIdx.x];
        const int left = (threadIdx.x / step) * 2 * step + threadIdx.x % step;
        cell[left] = line[left];
        cell[left + step] = line[left + step];
        for (int p = 0; p < amount; ++p) {
            const float u = cell[left], v = cell[left + step];
            cell[left] = u + v;
            cell[left + step] = u - v;
        }
        line[left] = cell[left];
        line[left + step] = cell[left + step];
    }
    void run(float *line, const int *stage, int amount) { pairs<<<1, 128>>>(line, stage, amount); }
    """,
]


@pytest.mark.parametrize("code", SILENT, ids=["rows", "same"])
def test_rounds_in_which_each_thread_keeps_its_cells(code: str) -> None:
    assert not findings(SharedMemoryRace, code)
