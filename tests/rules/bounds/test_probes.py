"""Probes of hash tables: each round but the first brings the slot into the table."""

import pytest

from kernlint import registry
from tests.rules.marked import assert_marked

RULE = registry.load().get("KL101")

PROBE = """\
__device__ unsigned mix(unsigned k) { k ^= k >> 16; k *= 0x85ebca6bu; return k ^ (k >> 13); }
__device__ unsigned fnv(const char *s, int n) {
    unsigned h = 2166136261u;
    for (int i = 0; i < n; ++i) { h ^= (unsigned char)s[i]; h *= 16777619u; }
    return h;
}
__device__ unsigned home(int k, int size) {
    int at = ((k * 73856093) ^ (k >> 7)) %% size;
    if (at < 0) at += size;
    return (unsigned)at;
}
__global__ void find(const unsigned *keys, const unsigned *start, const char *words, const unsigned *table,
                     unsigned *where, unsigned size, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned at = %s;
    while (table[at] != keys[i])%s
        at = (at + 1) %s;
    where[i] = at;
}
"""


@pytest.mark.parametrize("wrap", ["& (size - 1)", "% size"])
@pytest.mark.parametrize("first", ["mix(keys[i])", "fnv(words + 8 * i, 8)", "(mix(keys[i]) + 1) * 4 - 1"])
def test_the_first_slot_is_a_hash_as_it_is(first, wrap):
    assert_marked(RULE, PROBE % (first, " // bad", wrap))


@pytest.mark.parametrize(
    "first",
    ["mix(keys[i]) % size", "mix(keys[i]) & (size - 1)", "start[i]", "mix(i) >> 20", "(home(keys[i], n) + 1) * 4 - 1"],
)
def test_first_slots_inside(first):
    assert_marked(RULE, PROBE % (first, "", "% size"))
