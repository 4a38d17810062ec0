"""Races that need an argument to be 0, and pointers that are one of several objects."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from kernlint.finding import Severity
from tests.rules.marked import assert_marked, findings

MODES = {
    "mode 0": """
__global__ void k(float *out, int mode) {
    __shared__ float s[256];
    s[threadIdx.x] = threadIdx.x;
    if (mode == 0) s[threadIdx.x] += s[255 - threadIdx.x]; // bad
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}
""",
    "any other mode": """
__global__ void k(float *out, int mode) {
    __shared__ float s[256];
    s[threadIdx.x] = threadIdx.x;
    if (mode != 0) s[threadIdx.x] += s[255 - threadIdx.x]; // bad
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}
""",
    "two modes that exclude each other": """
__global__ void k(float *out, int mode) {
    __shared__ float s[256];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    float v = 0;
    if (mode == 0) v = s[255 - threadIdx.x];
    if (mode == 1) s[threadIdx.x] = 1;
    out[threadIdx.x] = v;
}
""",
}


@pytest.mark.parametrize("name", MODES)
def test_modes(name: str) -> None:
    assert_marked(SharedMemoryRace, MODES[name], block="256,1,1")


def test_a_mode_is_a_warning() -> None:
    found = findings(SharedMemoryRace, MODES["mode 0"].replace(" // bad", ""), block="256,1,1")
    assert {one.severity for one in found} == {Severity.WARNING}
    assert found[0].witness is not None and dict(found[0].witness.values)["mode"] == 0


CHOICES = {
    "one of two buffers, in place": """
__global__ void k(float *a, float *b, int flip) {
    __shared__ float s[2][256];
    float *p = flip ? s[0] : s[1];
    p[threadIdx.x] = a[threadIdx.x];
    b[threadIdx.x] = p[255 - threadIdx.x]; // bad
}
""",
    "each from the other": """
__global__ void k(float *a, float *b, int flip) {
    __shared__ float x[256], y[256];
    x[threadIdx.x] = a[threadIdx.x];
    y[threadIdx.x] = b[threadIdx.x];
    __syncthreads();
    float *from = flip ? x : y, *to = flip ? y : x;
    to[threadIdx.x] = from[255 - threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = x[threadIdx.x] + y[threadIdx.x];
}
""",
    "one that may be the other": """
__global__ void k(float *a, float *b, int flip) {
    __shared__ float x[256], y[256];
    x[threadIdx.x] = a[threadIdx.x];
    y[threadIdx.x] = b[threadIdx.x];
    __syncthreads();
    float *from;
    if (flip) from = x;
    else from = y;
    y[threadIdx.x] = from[255 - threadIdx.x]; // bad
    __syncthreads();
    a[threadIdx.x] = x[threadIdx.x] + y[threadIdx.x];
}
""",
    "halves of the block, each its own": """
__global__ void k(float *a, float *b) {
    __shared__ float x[128], y[128];
    float *mine = threadIdx.x < 128 ? x : y;
    mine[threadIdx.x % 128] = a[threadIdx.x];
    b[threadIdx.x] = mine[threadIdx.x % 128];
}
""",
}


@pytest.mark.parametrize("name", CHOICES)
def test_choices(name: str) -> None:
    assert_marked(SharedMemoryRace, CHOICES[name], block="256,1,1")


def test_a_table_of_bits_in_an_argument_is_not_made_up() -> None:
    code = """
__global__ void k(float *red, float *green, int width, int height, unsigned colours) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
    int colour = (colours >> (2 * (y & 1) + (x & 1))) & 1;
    float *mine = colour ? red : green;
    mine[y * width + x] = mine[y * width + x - 1] + mine[y * width + x + 1];
}
"""
    assert_marked(GlobalMemoryRace, code)
