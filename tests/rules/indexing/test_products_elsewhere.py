"""Products that wrap and make no place: how far a loop goes, where a stream of numbers begins."""

from __future__ import annotations

import pytest
from kernlint_rules.indexing.index_overflow import IndexOverflow

from tests.rules.marked import assert_pair, findings

EDGES = """
constexpr int kMostNodes = 100000;
__device__ long long edge(long long k, int nodes) { return k / nodes * 4096 % 65536 + k % nodes; }
__global__ void degrees(const unsigned char *adjacent, int nodes, unsigned *count) {
    const long long edges = nodes * (nodes + 1) / 2;  // bad
    for (long long k = blockIdx.x * blockDim.x + threadIdx.x; k < edges; k += gridDim.x * blockDim.x)
        if (adjacent[edge(k, nodes)]) atomicAdd(count, 1u);
}
int run(const unsigned char *adjacent, int nodes, unsigned *count) {
    if (nodes < 1 || nodes > kMostNodes) return 1;  // only bad
    if (nodes < 1 || nodes > kMostNodes / 4) return 1;  // only good
    degrees<<<1024, 128>>>(adjacent, nodes, count);
    return 0;
}
"""

STREAM = """
typedef unsigned long long u64;
__device__ float drawn(u64 at) { return (float)((at ^ at >> 31) * 0x9e3779b97f4a7c15ULL >> 40); }
__global__ void walk_all(float *mean, int walkers, int steps) {
    const int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= walkers) return;
    u64 first = w * steps;  // bad
    float sum = 0.0f;
    for (int s = 0; s < steps; ++s) sum += drawn(first + s);
    mean[w] = sum / steps;
}
void run(float *mean) {
    walk_all<<<4096, 256>>>(mean, 4096 * 256, 10000);  // only bad
    walk_all<<<4096, 256>>>(mean, 4096 * 256, 1000);  // only good
}
"""

CELLS = """
struct Grid { int nx, ny; };
__global__ void total(const float *x, Grid g, double *sum) {
    double s = 0;
    for (int i = threadIdx.x; i < g.nx * g.ny; i += 256) s += x[i];  // bad
    atomicAdd(sum, s);
}
int run(const float *x, Grid g, double *sum) {
    if (g.nx > 50000 || g.ny > 50000) return 1;  // only bad
    if (g.nx > 40000 || g.ny > 50000) return 1;  // only good
    total<<<1, 256>>>(x, g, sum);
    return 0;
}
"""


@pytest.mark.parametrize("code", [EDGES, STREAM, CELLS], ids=["edges", "stream", "cells"])
def test_products_that_make_no_place(code: str) -> None:
    assert_pair(IndexOverflow, code)


SILENT = [
    # A hash is meant to wrap, with a constant or without a sign.
    """
    __global__ void noise(float *x, int n, int frame) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= n) return;
        const unsigned long long key = i * frame * 374761393 + i;
        const unsigned mixed = (unsigned)i * (unsigned)frame;
        x[i] = (float)mixed * 2.3283064e-10f + (float)(key >> 40);
    }
    void run(float *x, int frame) {
        if (frame < 0 || frame > 100000) return;
        noise<<<4096, 256>>>(x, 4096 * 256, frame);
    }
    """,
    # A test before it keeps the product small.
    """
    __global__ void tally(unsigned *count, int rows, int columns) {
        if (columns > 1000) return;
        const long long cells = rows * columns;
        for (long long k = threadIdx.x; k < cells; k += blockDim.x) atomicAdd(count, 1u);
    }
    void run(unsigned *count, int rows, int columns) {
        if (rows > 1000000 || columns > 1000000) return;
        tally<<<1, 128>>>(count, rows, columns);
    }
    """,
]


@pytest.mark.parametrize("code", SILENT, ids=["mixed", "tested"])
def test_products_that_wrap_on_purpose_or_fit(code: str) -> None:
    assert not findings(IndexOverflow, code)
