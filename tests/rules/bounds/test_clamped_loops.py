"""Loops that go on as long as clamped data say, over arrays of known length."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange

from tests.rules.marked import assert_marked, findings

JOINED = """
void put(uint *words, const uint at, const uint value) {
    words[at >> 2] |= value << ((at & 3) * 8);  // bad
}

__kernel void join(__global const uchar *names, __global const uint *lengths, __global uint *out, const uint n) {
    const uint i = get_global_id(0);
    if (i >= n) return;
    const uint first = min(lengths[2 * i], 24u), second = lengths[2 * i + 1] & MASK;
    uint text[16], at = 0;
    for (uint k = 0; k < 16; k++) text[k] = 0;
    for (uint k = 0; k < first; k++) put(text, at++, names[64 * i + k]);
    for (uint k = 0; k < second; k++) put(text, at++, names[64 * i + 24 + k]);
    uint sum = 0;
    for (uint k = 0; k < 16; k++) sum += text[k];
    out[i] = sum;
}
"""


def test_loops_one_after_the_other_go_as_far_as_their_clamps_together() -> None:
    assert_marked(ArrayIndexOutOfRange, JOINED.replace("MASK", "63"), "opencl")
    assert not findings(ArrayIndexOutOfRange, JOINED.replace("MASK", "31"), "opencl")


def test_a_mask_of_whole_bytes_is_no_clamp() -> None:
    assert not findings(ArrayIndexOutOfRange, JOINED.replace("MASK", "255"), "opencl")


def test_the_calls_that_lead_there_are_told() -> None:
    (found,) = findings(ArrayIndexOutOfRange, JOINED.replace("MASK", "63"), "opencl")
    assert any(related.message == "called from here" for related in found.related)


HISTORY = """
__global__ void smooth(const float *x, const int *counts, float *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float last[32];
    const int count = min(counts[i], 48);
    TEST
    for (int k = 0; k < count; ++k) last[k] = x[i * 48 + k];
    float sum = 0.0f;
    for (int k = 0; k < count; ++k) sum += last[k];
    out[i] = sum / count;
}
"""


@pytest.mark.parametrize("test, bad", [("", True), ("if (count > 32) return;", False), ("if (n < 7) return;", True)])
def test_a_test_of_the_data_says_that_there_is_more_to_know(test: str, bad: bool) -> None:
    assert bool(findings(ArrayIndexOutOfRange, HISTORY.replace("TEST", test))) is bad


BLOCKS = """
__kernel void pad(__global const uint *lengths, __global const uint *in, __global uint *out) {
    const uint i = get_global_id(0), length = lengths[i] & MASK;
    uint words[8];
    for (uint k = 0; k < 8; k++) words[k] = in[8 * i + k];
    uint sum = 0;
    if (length < 32)
        for (uint k = 0; k < length / 4; k++) sum += words[k];
    else
        for (uint k = 0; k < 16; k++) sum += words[k];
    out[i] = sum;
}
"""


@pytest.mark.parametrize("mask, bad", [("63", True), ("15", False)])
def test_a_way_that_no_data_lead_along_is_none(mask: str, bad: bool) -> None:
    assert bool(findings(ArrayIndexOutOfRange, BLOCKS.replace("MASK", mask), "opencl")) is bad
