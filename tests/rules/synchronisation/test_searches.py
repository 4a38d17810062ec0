"""A loop that looks at another place in every round searches; one that looks at one place again and again waits."""

from __future__ import annotations

from kernlint_rules.synchronisation.wrong_fence import WrongFence

from tests.rules.marked import findings

LABELS = """
__global__ void label(volatile int *state, int *labels, int *out, const int *first, int rounds) {
    const int row = blockIdx.x, begin = first[row], end = first[row + 1];
    for (int j = begin + threadIdx.x; j < end; j += 32) {
        labels[j] = row;
        state[j] = 2;
    }
    int found = -1;
    for (int j = begin + threadIdx.x; AGAIN; STEP) {
        if (state[j] == 2) found = labels[j];
    }
    out[row * 32 + threadIdx.x] = found;
}
"""


def test_a_search_is_no_wait() -> None:
    search = LABELS.replace("AGAIN", "j < end && found < 0").replace("STEP", "j += 32")
    assert not findings(WrongFence, search)


def test_a_wait_at_one_place_is_one() -> None:
    assert findings(WrongFence, LABELS.replace("AGAIN", "found < 0").replace("STEP", ""))
