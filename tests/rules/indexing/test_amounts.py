"""Indices in 32 bits beside comments that say how much data there is."""

from __future__ import annotations

import pytest
from kernlint_rules.indexing.index_overflow import IndexOverflow

from tests.rules.marked import findings

BAD = {
    "a volume with as many extents as the index has factors": """
// Reconstruction of volumes of up to 2048 x 2048 x 1536 samples.
struct Box { int nx, ny, nz; };
__device__ inline int cell(const Box &b, int x, int y, int z) { return (z * b.ny + y) * b.nx + x; }
__global__ void clampLow(float *vol, Box b, float low) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z;
    if (x >= b.nx || y >= b.ny) return;
    float v = vol[cell(b, x, y, z)];
    if (v < low) vol[cell(b, x, y, z)] = low;
}
""",
    "bytes that the host counts in 64 bits, of as many rows as a comment says": """
#include <cstddef>
// Tables hold as many as 90000 stations.
__global__ void spread(const int *who, const float *w, float *m, int n, int pitch, int k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= k) return;
    int s = who[i];
    if (s < n) m[s * pitch + i % n] = w[i];
}
void run(const int *who, const float *w, float *m0, int n, int k) {
    float *m;
    cudaMalloc(&m, static_cast<size_t>(n) * n * sizeof(float));
    spread<<<(k + 255) / 256, 256>>>(who, w, m, n, n, k);
}
""",
    "more elements than 32 bits hold": """
// Fields have more than 2^31 entries in the largest runs.
__global__ void damp(double *f, int nx, int ny, int comps, double by) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= nx) return;
    for (int c = 0; c < comps; ++c) f[(c * ny + y) * nx + x] *= by;
}
""",
}

GOOD = {
    "a volume that fits": """
// Volumes of up to 1024 x 1024 x 1024 samples. A plane is 1024 x 1024.
struct Box { int nx, ny, nz; };
__global__ void clampLow(float *vol, const float *plane, Box b, float low) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z;
    if (x >= b.nx || y >= b.ny) return;
    int at = (z * b.ny + y) * b.nx + x;
    vol[at] = fmaxf(low, vol[at]) * plane[y * b.nx + x];
}
""",
    "a head of a token whose start was widened": """
// Up to 1M tokens, 128 heads of size 128.
#include <cstdint>
__global__ void rope(float *q, const float *cosines, const int *pos, int heads, int size) {
    int64_t base = (int64_t)blockIdx.x * heads * size;
    for (int h = threadIdx.y; h < heads; h += blockDim.y)
        for (int d = threadIdx.x; d < size; d += blockDim.x) {
            q[base + h * size + d] *= cosines[(pos[blockIdx.x] % 4096) * size + d];
        }
}
""",
    "pixels that fit, and windows": """
// Images go up to 30000 x 20000 pixels; 3 x 3 windows. Tiles of 65536 x 65536 are refused.
__global__ void blur(const float *in, float *out, int w, int h, const float *k, int r) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= w) return;
    float s = 0;
    for (int j = -r; j <= r; ++j)
        for (int i = -r; i <= r; ++i) {
            int yy = min(max(y + j, 0), h - 1), xx = min(max(x + i, 0), w - 1);
            s += in[yy * w + xx] * k[(j + r) * (2 * r + 1) + i + r];
        }
    out[y * w + x] = s;
}
""",
    "a host that refuses more": """
#include <cstdint>
#include <climits>
// Boards of up to 100000 x 100000 cells; the host splits what has more than INT_MAX.
__global__ void life(const unsigned char *a, unsigned char *b, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < w) b[y * w + x] = a[y * w + x];
}
int run(const unsigned char *a, unsigned char *b, int w, int h) {
    if ((int64_t)w * h > INT_MAX) return 1;
    dim3 grid((w + 127) / 128, h);
    life<<<grid, 128>>>(a, b, w, h);
    return 0;
}
""",
}


@pytest.mark.parametrize("name", BAD)
def test_bad(name: str) -> None:
    assert findings(IndexOverflow, BAD[name])


@pytest.mark.parametrize("name", GOOD)
def test_good(name: str) -> None:
    assert not findings(IndexOverflow, GOOD[name])


SPECTRA = r"""
// Spectra of a survey: fields have some 30 000 sources of up to 2 500 exposures each, with up to bands (64) values.
__kernel void means(__global const float *counts, __global float *out, const int bands) {
    const int source = get_group_id(1), exposure = get_group_id(0);
    const ROW row = ((ROW)source * (int)get_num_groups(0) + exposure) * bands;
    for (int b = get_local_id(0); b < bands; b += get_local_size(0))
        out[row + b] = counts[b] * 0.5f;
}
"""
CELLS = r"""
/*
 * Sum of each cell of each layer of each map.
 *   grid.x: cells of the widest layer (seen: 90112)
 *   grid.y: maps of the run (seen: 2048)
 *   block:  one thread per layer
 */
__global__ void sums(const float *in, float *out) {
    const ROW row = ((ROW)blockIdx.y * gridDim.x + blockIdx.x) * 64;
    out[row + threadIdx.x] = in[threadIdx.x] + 1.0f;
}
"""
TRACKS = r"""
// Every step of a track is kept. Long runs keep some 1500 steps of several million particles.
__global__ void moved(int particles, int now, const float *tracks, float *out) {
    const int before = now - (int)blockIdx.y;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < particles && before >= 0)
        out[i] = tracks[(ROW)before * particles + i];
}
"""


@pytest.mark.parametrize("few", ["", "few"])
@pytest.mark.parametrize(
    ("source", "large", "small", "language"),
    [
        (SPECTRA, "30 000", "300", "opencl"),
        (CELLS, "(seen: 90112)", "(seen: 900)", "cuda"),
        (TRACKS, "1500 steps", "15 steps", "cuda"),
    ],
)
def test_numbers_as_they_are_written(source: str, large: str, small: str, language: str, few: str) -> None:
    said = source.replace(large, small) if few else source
    wide = "long" if language == "opencl" else "long long"
    assert bool(findings(IndexOverflow, said.replace("ROW", "int"), language)) is not bool(few)
    assert not findings(IndexOverflow, said.replace("ROW", wide), language)


def test_another_axis_is_needed_for_more_blocks() -> None:
    alone = CELLS.replace("blockIdx.y * gridDim.x + blockIdx.x", "blockIdx.x").replace("ROW", "int")
    assert not findings(IndexOverflow, alone)
