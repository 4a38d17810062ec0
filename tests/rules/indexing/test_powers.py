"""Powers of two in 32 bits, whose exponent the host lets be larger than that."""

from __future__ import annotations

import pytest
from kernlint_rules.indexing.index_overflow import IndexOverflow

from tests.rules.marked import assert_marked, assert_pair

PAIRS = {
    "masks of an exponent that is checked": """
#define MOST 36
__global__ void flip(float *amplitude, unsigned long long half, int bit) {
    unsigned long long k = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
    if (k >= half) return;
    unsigned long long low = k & ((1ull << bit) - 1);
    unsigned long long at = ((k - low) << 1) | low;
    unsigned long long other = at | (1 << bit);  // only bad
    unsigned long long other = at | (1ull << bit);  // only good
    float kept = amplitude[at];
    amplitude[at] = amplitude[other];  // bad
    amplitude[other] = kept;
}
int turn(float *amplitude, int bits, int bit) {
    if (bits < 1 || bits > MOST || bit < 0 || bit >= bits) return 1;
    unsigned long long half = 1ull << (bits - 1);
    flip<<<(unsigned)((half + 255) / 256), 256>>>(amplitude, half, bit);
    return 0;
}
""",
    "a level that is passed as a number": """
__global__ void raise(float *tree, int level) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    size_t first = 1 << level;  // only bad
    size_t first = (size_t)1 << level;  // only good
    tree[first + i] = tree[2 * (first + i)] + tree[2 * (first + i) + 1];  // bad
}
void build(float *tree) {
    raise<<<1u << 24, 256>>>(tree, 32);
}
""",
}


@pytest.mark.parametrize("name", PAIRS)
def test_exponents_that_hosts_let_be_large(name: str) -> None:
    assert_pair(IndexOverflow, PAIRS[name])


SMALL = """
__global__ void flip(float *amplitude, unsigned half, int bit) {
    unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= half) return;
    size_t at = ((size_t)(k >> bit) << (bit + 1)) | (k & ((1 << bit) - 1));
    float kept = amplitude[at];
    amplitude[at] = amplitude[at | (1 << bit)];
    amplitude[at | (1 << bit)] = kept;
}
int turn(float *amplitude, int bits, int bit) {
    if (bits < 1 || bits > 30 || bit < 0 || bit >= bits) return 1;
    flip<<<((1 << bits) / 2 + 255) / 256, 256>>>(amplitude, 1u << (bits - 1), bit);
    return 0;
}
__global__ void open(float *amplitude, int bit) { amplitude[(size_t)threadIdx.x | (1 << bit)] = 0.0f; }
void opened(float *amplitude, int bit) { open<<<1, 64>>>(amplitude, bit); }
"""


def test_exponents_that_fit_or_of_which_nothing_is_said() -> None:
    assert_marked(IndexOverflow, SMALL)
