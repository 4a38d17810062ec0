"""Races that show in launches of few elements alone, or where one block ends and the next begins."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace

from tests.rules.marked import assert_marked

TURNS = """
__global__ void warp_path(const float *cost, int frames, int states, float *best) {
    const int f = blockIdx.x * 64 + threadIdx.x + 1;
    const int pitch = states + 1;
    for (int turn = 2; turn <= frames + states; ++turn) {
        const int s = turn - f;
        if (f <= frames && s >= 1 && s <= states) {
            const float above = best[(f - %s) * pitch + s];
            const float left = best[f * pitch + s - 1];
            best[f * pitch + s] = cost[(f - 1) * states + s - 1] + fminf(above, left); // bad
        }
        __syncthreads();
    }
}
void align(const float *cost, int frames, int states, float *best) {
    if (frames < 1 || states < 1 || frames > %s || states > 4096) return;
    warp_path<<<(frames + 63) / 64, 64>>>(cost, frames, states, best);
}
"""

RIM = """
struct Box { int w, h, d; };
__device__ int cell(Box b, int x, int y, int z) { return x + (b.w + 2) * (y + (b.h + 2) * z); }
__global__ void rims(float *v, Box b) {
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= (b.w + 2) * (b.h + 2) * (b.d + 2)) return;
    const int x = id %% (b.w + 2), y = id / (b.w + 2) %% (b.h + 2), z = id / ((b.w + 2) * (b.h + 2));
    if (z == 0 || z == b.d + 1)
        v[cell(b, x, y, z)] = -v[cell(b, x, y, z == 0 ? 1 : b.d)];
    else if (%s)
        v[cell(b, x, y, z)] = v[cell(b, x == 0 ? b.w : 1, y, z)]; // bad
}
void fill(float *v, Box b) {
    const int cells = (b.w + 2) * (b.h + 2) * (b.d + 2);
    rims<<<(cells + 127) / 128, 128>>>(v, b);
}
"""

CUDA = {
    "rows of other blocks, in turns that a barrier of the block keeps apart": TURNS % ("1", "8192"),
    "rows of other blocks, further away": TURNS % ("2", "8192"),
    "one block has all the rows": (TURNS % ("1", "64")).replace(" // bad", ""),
    "each row for itself": (TURNS % ("0", "8192")).replace(" // bad", ""),
    "cells of a rim that are made of others of the rim": RIM % "x == 0 || x == b.w + 1",
    "cells of a rim that others are not made of": (RIM % "(x == 0 || x == b.w + 1) && z > 1 && z < b.d").replace(
        " // bad", ""
    ),
}


@pytest.mark.parametrize("name", CUDA)
def test_cuda(name: str) -> None:
    assert_marked(GlobalMemoryRace, CUDA[name])
