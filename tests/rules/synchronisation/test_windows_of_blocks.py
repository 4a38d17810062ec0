"""Blocks whose step and length a launch makes out of one size: windows that overlap, or lie side by side."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace

from tests.rules.marked import assert_marked

WINDOWS = """
__global__ void tapered(float *sound, float *out, const float *taper, int length, int hop) {
    const size_t begin = (size_t)blockIdx.x * hop;
    for (int i = threadIdx.x; i < length; i += blockDim.x) STORE
}
void run(float *sound, float *out, const float *taper, int length, int samples) {
    if (length < 4 || samples < length) return;
    const int hop = STEP;
    const int many = 1 + (samples - length) / hop;
    if (many > 0) tapered<<<many, 256>>>(sound, out, taper, length, hop);
}
"""

CASES = {
    "in place": ("sound[begin + i] *= taper[i];  // bad", "length / 4"),
    "sums": ("out[begin + i] += sound[begin + i] * taper[i];  // bad", "length / 2"),
    "side by side": ("sound[begin + i] *= taper[i];", "length"),
    "with room between": ("sound[begin + i] *= taper[i];", "length + 16"),
    "rounded up": ("sound[begin + i] *= taper[i];", "(length + 31) / 32 * 32"),
    "atomic sums": ("atomicAdd(&out[begin + i], sound[begin + i] * taper[i]);", "length / 4"),
    "frames of their own": (
        "out[(size_t)blockIdx.x * length + i] = sound[begin + i] * taper[i];",
        "length / 4",
    ),
    "the middle alone": ("if (i < hop) out[begin + i] = sound[begin + i] * taper[i];", "length / 4"),
    "as far as the next": ("if (i / hop == 0) out[begin + i] = sound[begin + i] * taper[i];", "length / 4"),
}


@pytest.mark.parametrize("name", CASES)
def test_windows(name: str) -> None:
    store, step = CASES[name]
    assert_marked(GlobalMemoryRace, WINDOWS.replace("STORE", store).replace("STEP", step))


def test_parts_of_the_whole() -> None:
    code = """
__global__ void scale(float *x, int n, int part) {
    for (int i = threadIdx.x; i < part; i += blockDim.x) {
        const int at = blockIdx.x * part + i;
        if (at < n) x[at] *= 2.0f;
    }
}
void run(float *x, int n) {
    const int part = (n + 15) / 16;
    scale<<<16, 128>>>(x, n, part);
}
"""
    assert_marked(GlobalMemoryRace, code)
