"""Stores at a count that is held against the room behind them."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.late_bounds_guard import LateBoundsGuard

from tests.rules.marked import findings

LISTS = """
#define ROOM 48
__kernel void contacts(__global const float4 *at, __global int *lists, __global int *lengths, __global int *full,
                       const int room, const int n) {
    const int i = get_global_id(0);
    if (i >= n) return;
    int found = 0;
    for (int j = 0; j < n; ++j)
        if (distance(at[i], at[j]) < at[i].w) {
            STORE
        }
    BEHIND
}
"""

BARE = "lists[i * ROOM + found] = j; found++;"
ROWS = "lists[i * room + found++] = j;"
FLAG = "if (found > ROOM) atomic_inc(full); lengths[i] = found;"


@pytest.mark.parametrize(
    ("store", "behind", "bad"),
    [
        (BARE, FLAG, True),
        (BARE, "lengths[i] = min(found, ROOM);", True),
        (BARE, "if (found >= ROOM) found = ROOM; lengths[i] = found;", True),
        (ROWS, "lengths[i] = min(found, room);", True),
        (BARE, "lengths[i] = found;", False),
        (BARE, "if (found > 5) atomic_inc(full); lengths[i] = found;", False),
        ("if (found < ROOM) lists[i * ROOM + found] = j; found++;", FLAG, False),
        (f"{BARE} if (found == ROOM) break;", FLAG, False),
        (f"{BARE} if (found == ROOM) {{ lengths[i] += found; found = 0; }}", FLAG, False),
        ("lists[i * ROOM + min(found, ROOM - 1)] = j; found++;", FLAG, False),
    ],
)
def test_rows_of_lists(store: str, behind: str, bad: bool) -> None:
    code = LISTS.replace("STORE", store).replace("BEHIND", behind)
    found = [one.message for one in findings(LateBoundsGuard, code, "opencl") if "at a count" in one.message]
    assert bool(found) is bad, found


def test_an_array_of_the_thread() -> None:
    code = """
    __global__ void nearest(const float *key, float *out, int n) {
        float mine[32];
        int kept = 0;
        for (int j = threadIdx.x; j < n; j += 32) if (key[j] > 0.5f) mine[kept++] = key[j];
        float sum = 0.0f;
        for (int k = 0; k < END; ++k) sum += mine[k];
        out[threadIdx.x] = sum;
    }
    """
    assert findings(LateBoundsGuard, code.replace("END", "min(kept, 32)"))
    assert not findings(LateBoundsGuard, code.replace("END", "kept"))


@pytest.mark.parametrize(
    ("letters", "asked", "bad"),
    [("40", "n > 16", True), ("16", "n > 16", False), ("40", "n > 40", False), ("40", "n < 1", False)],
)
def test_a_loop_of_constant_length_in_a_helper(letters: str, asked: str, bad: bool) -> None:
    code = """
    __device__ int vowels(const char *word, int *at) {
        int n = 0;
        for (int k = 0; k < LETTERS; ++k) if (word[k] == 'a' || word[k] == 'e') at[n++] = k;
        return n;
    }
    __global__ void spell(const char *word, int *out) {
        int at[16];
        const int n = vowels(word + threadIdx.x * LETTERS, at);
        if (ASKED) { out[threadIdx.x] = -1; return; }
        int sum = 0;
        for (int k = 0; k < n; ++k) sum += at[k];
        out[threadIdx.x] = sum;
    }
    """
    found = findings(LateBoundsGuard, code.replace("LETTERS", letters).replace("ASKED", asked))
    assert any("at a count" in one.message for one in found) is bad
