"""Volumes of one array that another kernel of the file steps over in 64 bits."""

from __future__ import annotations

import pytest
from kernlint_rules.indexing.index_overflow import IndexOverflow

from tests.rules.marked import assert_marked

CODE = """
__kernel void put(__global const float *shot, __global float *movie, int across, int down, int layers, int when) {
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x >= across || y >= down || z >= layers) return;
    const ulong cell = ((ulong)z * down + y) * across + x;
    movie[WIDE + cell] = shot[cell];
}
__kernel void peak(__global const float *ARRAY, __global float *most, int across, int down, int layers, int shots) {
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x >= across || y >= down || z >= layers) return;
    const ulong cell = ((ulong)z * down + y) * across + x;
    float top = 0;
    for (int s = 0; s < shots; ++s)
        top = fmax(top, ARRAY[NARROW + cell]);MARK
    most[cell] = top;
}
"""
WIDE = "(ulong)when * layers * down * across"


@pytest.mark.parametrize(
    ("wide", "array", "narrow", "bad"),
    [
        (WIDE, "movie", "s * layers * down * across", True),
        (WIDE, "movie", "s * (across * down * layers)", True),
        (WIDE, "movie", "(ulong)s * layers * down * across", False),
        (WIDE, "film", "s * layers * down * across", False),  # another array
        (WIDE, "movie", "s * down", False),  # lines, and no volumes
        ("when * layers * down * across", "movie", "s * layers * down * across", False),  # nobody was careful
    ],
)
def test_volumes(wide: str, array: str, narrow: str, bad: bool) -> None:
    text = CODE.replace("WIDE", wide).replace("ARRAY", array).replace("NARROW", narrow)
    assert_marked(IndexOverflow, text.replace("MARK", " // bad" if bad else ""), "opencl")
