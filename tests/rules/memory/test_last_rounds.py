"""Tiles of which a last round that is shorter than the tile sets a part, and that are read as a whole."""

from __future__ import annotations

import pytest
from kernlint_rules.memory.uninitialised_shared_memory import UninitialisedSharedMemory
from kernlint_rules.synchronisation.barrier_divergence import BarrierDivergence

from tests.rules.marked import assert_pair, findings

ROWS = """
constexpr int kRound = 24, kWide = 48, kTeam = 192;
__global__ void mixed(const float *weight, const float *value, float *out, int taps, size_t pitch) {
    __shared__ float share[kRound][kRound + 1];
    __shared__ float panel[kRound][kWide];
    float sum[kRound / 4] = {};
    for (int first = 0; first < taps; first += kRound) {
        const int here = min(kRound, taps - first);
        for (int e = threadIdx.x; e < kRound * kRound; e += kTeam)
            share[e / kRound][e % kRound] = e % kRound < here ? weight[e / kRound * pitch + first + e % kRound] : 0.0f;
        for (int e = threadIdx.x; e < here * kWide; e += kTeam)  // only bad
        for (int e = threadIdx.x; e < kRound * kWide; e += kTeam)  // only good
            panel[e / kWide][e % kWide] = e / kWide < here ? value[(first + e / kWide) * kWide + e % kWide] : 0.0f;
        __syncthreads();
        for (int i = 0; i < kRound / 4; ++i)
            for (int c = 0; c < kRound; ++c)
                sum[i] += share[threadIdx.x / kWide + i * 4][c] * panel[c][threadIdx.x % kWide];  // bad
        __syncthreads();
    }
    for (int i = 0; i < kRound / 4; ++i) out[(threadIdx.x / kWide + i * 4) * kWide + threadIdx.x % kWide] = sum[i];
}
void run(const float *w, const float *v, float *out, int taps) { mixed<<<1, kTeam>>>(w, v, out, taps, taps); }
"""

TESTED = """
#define ROUND 16
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void smooth(__global const float *x, __global float *y, const int length) {
    __local float part[ROUND * 16];
    float sum = 0.0f;
    for (int at = 0; at < length; at += ROUND) {
        const int row = get_local_id(0) / 16, col = get_local_id(0) % 16;
        if (at + row < length)  // only bad
        part[row * 16 + col] = at + row < length ? x[(at + row) * 16 + col] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < ROUND; ++k) sum += part[k * 16 + col];  // bad
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    y[get_global_id(0)] = sum;
}
"""


@pytest.mark.parametrize(("code", "language"), [(ROWS, "cuda"), (TESTED, "opencl")], ids=["rows", "tested"])
def test_last_rounds_of_a_part_of_the_tile(code: str, language: str) -> None:
    assert_pair(UninitialisedSharedMemory, code, language)


SILENT = [
    # What the round has fetched is all that is read.
    ROWS.replace("c < kRound; ++c", "c < min(kRound, taps - first); ++c").replace("// only bad", "//"),
    # There are whole rounds.
    ROWS.replace("mixed<<<", "if (taps % kRound == 0) mixed<<<").replace("// only bad", "//"),
    # The tile has been emptied before.
    ROWS.replace(
        "float sum[kRound / 4] = {};",
        "float sum[kRound / 4] = {};\\n"
        "    for (int e = threadIdx.x; e < kRound * kWide; e += kTeam) panel[e / kWide][e % kWide] = 0.0f;\\n"
        "    __syncthreads();",
    ).replace("// only bad", "//"),
]


@pytest.mark.parametrize("code", SILENT, ids=["kept within", "whole rounds", "emptied"])
def test_rounds_that_are_read_as_far_as_they_go(code: str) -> None:
    lines = "\n".join(line for line in code.replace("\\n", "\n").splitlines() if "only good" not in line)
    assert not findings(UninitialisedSharedMemory, lines)


CAPPED = """
constexpr int kBins = 16;
__global__ void shares(const float *x, int amount, int bins, int *counts) {
    __shared__ int mine[128];
    const int at = blockIdx.x * 128 + threadIdx.x;
    if (at >= amount) return;  // only bad
    const int bin = at < amount ? int(x[at] * bins) : -1;
    for (int b = 0; b < bins; ++b) {
        mine[threadIdx.x] = bin == b;
        __syncthreads();  // bad
        for (int half = 64; half > 0; half /= 2) {
            if (threadIdx.x < half) mine[threadIdx.x] += mine[threadIdx.x + half];
            __syncthreads();
        }
        if (threadIdx.x == 0) counts[blockIdx.x * bins + b] = mine[0];
        __syncthreads();
    }
}
bool run(const float *x, int amount, int bins, int *counts) {
    if (amount <= 0 || bins <= 0 || bins > kBins) return false;
    shares<<<(amount + 127) / 128, 128>>>(x, amount, bins, counts);
    return true;
}
"""


def test_rounds_that_the_host_keeps_few() -> None:
    assert_pair(BarrierDivergence, CAPPED)
