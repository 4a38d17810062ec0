"""Products that wrap at sizes which the project itself speaks of: in launches, checks, pitches and comments."""

from __future__ import annotations

import pytest
from kernlint_rules.indexing.index_overflow import IndexOverflow

from tests.rules.marked import assert_pair, findings

LITERAL_GRID = """
constexpr int kSteps = 4096, kBands = 96, kBins = 8192;  // only bad
constexpr int kSteps = 512, kBands = 96, kBins = 8192;  // only good
__global__ void whiten(float *spectra, const float *gain) {
    const int first = (blockIdx.x * kBands + blockIdx.y) * kBins;
    for (int bin = threadIdx.x; bin < kBins; bin += 128) spectra[first + bin] *= gain[blockIdx.y];  // bad
}
void run(float *spectra, const float *gain) { whiten<<<dim3(kSteps, kBands), 128>>>(spectra, gain); }
"""

GRID_ROWS = """
constexpr unsigned kTile = 1024, kMostTiles = 2048, kMostTracks = 50000;
__global__ void peaks(const char *tracks, char *out) {
    const unsigned tile = blockIdx.y * gridDim.x + blockIdx.x;
    const unsigned first = tile * kTile;
    char most = 0;
    for (unsigned k = 0; k < kTile; ++k) most = max(most, tracks[first + k]);  // bad
    out[tile] = most;
}
void run(const char *tracks, char *out, unsigned n, unsigned tiles) {
    if (n == 0 || n > kMostTracks || tiles == 0 || tiles > kMostTiles) return;  // only bad
    if (n == 0 || n > kMostTracks / 50 || tiles == 0 || tiles > kMostTiles) return;  // only good
    peaks<<<dim3(tiles, n), 1>>>(tracks, out);
}
"""

PITCH = """
struct Cell { double rho, e, ux, uy, uz, p, s, t; };
constexpr int kMostSide = 8192;  // only bad
constexpr int kMostSide = 2048;  // only good
__global__ void relax(Cell *cells, int across, int down, int pitch) {
    const int i = blockIdx.x * 16 + threadIdx.x, j = blockIdx.y * 16 + threadIdx.y;
    if (i >= across || j >= down) return;
    Cell *row = (Cell *)((char *)cells + j * pitch);
    row[i].p = row[i].e * row[i].rho;  // bad
}
void run(Cell *cells, size_t pitch, int across, int down) {
    if (across < 1 || down < 1 || across > kMostSide || down > kMostSide) return;
    relax<<<dim3((across + 15) / 16, (down + 15) / 16), dim3(16, 16)>>>(cells, across, down, (int)pitch);
}
"""

MILLIONS = """
// Clouds of up to 6 million points, 512 features each.  // only bad
// Clouds of up to 2 million points, 512 features each.  // only good
__global__ void first_feature(const float *features, float *out, int num_points) {
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < num_points) out[p] = features[p * 512];  // bad
}
"""

FRAME = """
// Frames of up to 12000 x 9000 cells; a pitch counts bytes (up to 262144).  // only bad
// Frames of up to 1200 x 900 cells; a pitch counts bytes (up to 262144).  // only good
__global__ void lift(char *cells, int width, int height, int row_pitch) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float *row = (float *)(cells + y * row_pitch);
    row[x] += 1.0f;  // bad
}
"""

LAST_BLOCK = """
// length: any, up to 2147483647  // only bad
// length: any, up to 2000000000  // only good
__global__ void halve(float *x, int length) {
    const int first = (blockIdx.x * 192 + threadIdx.x) * 8;
    if (first < length)
        for (int k = 0; k < 8 && first + k < length; ++k) x[first + k] *= 0.5f;  // bad
}
void run(float *x, int length) {
    if (length > 0) halve<<<(unsigned(length) + 1535u) / 1536u, 192>>>(x, length);
}
"""

WIDE_COUNT = """
constexpr size_t kCells = size_t(4096) * 4096 * 512;  // only bad
constexpr size_t kCells = size_t(1024) * 1024 * 512;  // only good
__global__ void settle(float *x, size_t cells) {
    size_t at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= cells) return;  // bad
    x[at] = fmaxf(x[at], 0.0f);
}
void run(float *x) { settle<<<unsigned((kCells + 255) / 256), 256>>>(x, kCells); }
"""

PAIRS = {
    "literal grid": LITERAL_GRID,
    "grid of rows": GRID_ROWS,
    "pitch": PITCH,
    "millions": MILLIONS,
    "frame": FRAME,
    "last block": LAST_BLOCK,
    "wide count": WIDE_COUNT,
}


@pytest.mark.parametrize("code", PAIRS.values(), ids=PAIRS.keys())
def test_sizes_that_are_spoken_of(code: str) -> None:
    assert_pair(IndexOverflow, code)


SILENT = [
    # Sides of a tile are no sides of the frame.
    """
    // A tile has up to 12000 x 9000 cells; a pitch counts bytes (up to 262144).
    __global__ void lift(char *cells, int width, int height, int row_pitch) {
        const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
        if (x < width && y < height) ((float *)(cells + y * row_pitch))[x] += 1.0f;
    }
    """,
    # What is below 0 is asked as well.
    """
    // length: any, up to 2147483647
    __global__ void halve(float *x, int length) {
        const int first = (blockIdx.x * 192 + threadIdx.x) * 8;
        if (0 <= first && first < length) x[first] *= 0.5f;
    }
    void run(float *x, int length) {
        if (length > 0) halve<<<(unsigned(length) + 1535u) / 1536u, 192>>>(x, length);
    }
    """,
]


@pytest.mark.parametrize("code", SILENT)
def test_other_sizes(code: str) -> None:
    assert not findings(IndexOverflow, code)
