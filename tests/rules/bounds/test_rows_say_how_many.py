"""Rows with an index in them, of which another kernel of the file says how far it goes in other arrays."""

from __future__ import annotations

import pytest

from tests.rules.bounds.test_wrong_axes import codes

WALKERS = """
kernel void set_off(global float2 *at, global ulong *dice, const float2 from, const uint walkers) {
    const uint w = get_global_id(0);
    if (w >= walkers) return;
    at[w] = from;
    dice[w] = w * 77 + 1;
}
kernel void walk(global float2 *at, global ulong *dice, global float *track, const uint rounds, const uint walkers) {
    const uint w = get_global_id(0);%s
    float2 here = at[w];
    ulong seed = dice[w];
    for (uint k = 0; k < rounds; ++k) {
        seed = seed * 6364136223846793005UL + 1442695040888963407UL;
        here.x += (float)(seed >> 40);
        %s = here.x;
    }
    at[w] = here;%s
    dice[w] = seed;
}
"""


@pytest.mark.parametrize(
    ("test", "track", "wrong"),
    [
        ("", "track[(size_t)k * walkers + w]", True),
        ("\n    if (w >= walkers) return;", "track[(size_t)k * walkers + w]", False),
        ("\n    if (w > walkers - 1) return;", "track[(size_t)k * walkers + w]", False),
        ("", "track[w * rounds + k]", True),  # passed for nothing
        ("", "track[w * rounds + k * walkers]", False),
    ],
)
def test_rows_with_just_that_index_in_them(test: str, track: str, wrong: bool) -> None:
    found = codes(WALKERS % (test, track, ""), "k.cl", select=("KL101",))
    assert bool(found) is wrong
