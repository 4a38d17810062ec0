"""Rows of parts that round a number of items up, of which each block stores all that its items could make."""

from __future__ import annotations

import pytest

from tests.rules.bounds.test_wrong_axes import codes

BITS = """
#define ITEMS 128
#define WORDS (ITEMS / PART)
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void mark(__global const float *x, __global uint *bits, const uint n, const uint round, const float limit) {
    __local uint own[ITEMS / 32];
    const uint i = get_global_id(0), k = get_local_id(0);
    if (k < ITEMS / 32) own[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n && x[i] > limit) atomic_or(&own[k / 32], 1u << (k % 32));
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint words = LENGTH;
    const uint word = get_group_id(0) * WORDS + k;
    if (TEST) bits[(size_t)round * words + word] = own[k];
}
"""


@pytest.mark.parametrize(
    ("part", "length", "test", "bad"),
    [
        ("32", "(n + 31) / 32", "k < WORDS", True),
        ("32", "(n + 31u) >> 5", "k < WORDS", True),
        ("32", "(n + 31) / 32", "k < WORDS && word < words", False),
        ("32", "(n + 31) / 32", "k < WORDS && word * 32 < n", False),
        ("128", "(n + 127) / 128", "k < WORDS", False),
        ("32", "(n + 127) / 128 * 4", "k < WORDS", False),
        ("32", "n / 32", "k < WORDS", False),
    ],
)
def test_words_of_bits(part: str, length: str, test: str, bad: bool) -> None:
    text = BITS.replace("PART", part).replace("LENGTH", length).replace("TEST", test)
    assert ("KL102" in codes(text, "k.cl")) is bad


PEAKS = """
__global__ void peaks(const float *x, float *peak, int n, int channel) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    float v = i < n ? x[(size_t)channel * n + i] : 0.0f;
    for (int d = 16; d > 0; d /= 2) v = fmaxf(v, __shfl_down_sync(0xffffffffu, v, d));
    const int row = (n + 31) / 32;
    if (TEST) peak[channel * row + i / 32] = v;
}
void run(const float *x, float *peak, int n, int channel) { peaks<<<GRID, 256>>>(x, peak, n, channel); }
"""


@pytest.mark.parametrize(
    ("test", "grid", "bad"),
    [
        ("lane == 0", "(n + 255) / 256", True),
        ("lane == 0 && i < n", "(n + 255) / 256", False),
        ("lane == 0", "n / 256", False),
    ],
)
def test_one_number_of_each_warp(test: str, grid: str, bad: bool) -> None:
    assert ("KL102" in codes(PEAKS.replace("TEST", test).replace("GRID", grid), "k.cu")) is bad
