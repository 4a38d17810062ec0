"""Searches that begin at a remainder by the size of a table and go on behind its last place."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange

from tests.rules.marked import findings

PUT = """
__global__ void put(unsigned *keys, unsigned *counts, const unsigned *words, int n, unsigned room) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned word = words[i];
    unsigned at = BEGIN;
    for (int k = 0; GOES; ++k) {
        const unsigned old = atomicCAS(&keys[at], 0u, word);
        if (old == 0u || old == word) { atomicAdd(&counts[at], 1u); break; }
        NEXT
    }
}
"""

HASH = "word * 2654435761u % room"


@pytest.mark.parametrize(
    ("begin", "goes", "next_", "bad"),
    [
        (HASH, "true", "++at;", True),
        (HASH, "true", "at += 2;", True),
        (HASH, "true", "at = (at + 1) % room;", False),
        (HASH, "true", "if (++at == room) at = 0;", False),
        (HASH, "true", "if (++at >= room) break;", False),
        (HASH, "k < 16", "++at;", False),
        ("word & 1023", "true", "++at;", False),
        (HASH, "true", "at = (at + k) % room;", False),
    ],
)
def test_probes(begin: str, goes: str, next_: str, bad: bool) -> None:
    code = PUT.replace("BEGIN", begin).replace("GOES", goes).replace("NEXT", next_)
    found = [one.message for one in findings(ArrayIndexOutOfRange, code) if "a search goes on" in one.message]
    assert len(found) == int(bad), found
