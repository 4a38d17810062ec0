"""Objects whose pairs are hard to tell leave the others their questions."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import findings

SPREAD = """
__kernel void spread(__global int *cells, int w, int h, __global int *again) {
    __local int tile[ROWS][COLUMNS];
    __local bool votes[VOTES];
    const int lx = get_local_id(0), ly = get_local_id(1);
    const int gx = get_global_id(0), gy = get_global_id(1);
    for (int b = ly, y = gy - 1; b < ROWS; b += get_local_size(1), y += get_local_size(1))
        for (int a = lx, x = gx - 1; a < COLUMNS; a += get_local_size(0), x += get_local_size(0))
            tile[b][a] = x >= 0 && x < w && y >= 0 && y < h ? cells[y * w + x] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int me = lx + get_local_size(0) * ly, i = lx + 1, j = ly + 1;
    bool more = true;
    while (more) {
        if (tile[j][i] == 1) {
            int a = tile[j - 1][i - 1], b = tile[j - 1][i], c = tile[j - 1][i + 1], d = tile[j][i - 1];
            int e = tile[j][i + 1], f = tile[j + 1][i - 1], g = tile[j + 1][i], k = tile[j + 1][i + 1];
            if (a == 2 || b == 2 || c == 2 || d == 2 || e == 2 || f == 2 || g == 2 || k == 2) tile[j][i] = 2;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        votes[me] = tile[j][i] == 2 && (tile[j - 1][i] == 1 || tile[j][i + 1] == 1);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int n = VOTES / 2; n > 0; n >>= 1) {
            if (me < n) votes[me] = votes[me] || votes[me + n];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        more = votes[0];
        LAST
    }
    votes[me] = tile[j][i] == 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lx == 0 && ly == 0 && votes[1]) atomic_inc(again);
}
"""


@pytest.mark.parametrize(("last", "bad"), [("", True), ("barrier(CLK_LOCAL_MEM_FENCE);", False)])
def test_the_second_object_is_asked_about_too(last: str, bad: bool) -> None:
    found = findings(SharedMemoryRace, SPREAD.replace("LAST", last), "opencl")
    assert any("votes" in one.message for one in found) is bad
