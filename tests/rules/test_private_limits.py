"""From which size on private arrays are worth a warning."""

from __future__ import annotations

import pytest
from kernlint_rules.resources.oversized_private_array import OversizedPrivateArray

from tests.rules.marked import findings

RANK = """
#define SIDE SIZE
inline float at(__global const float *in, const int x, const int y, const int w) { return in[y * w + x]; }
__kernel void rank(__global const float *in, __global float *out, const int w, const int picked) {
    float seen[SIDE * SIDE];
    const int x = get_global_id(0), y = get_global_id(1);
    for (int j = 0; j < SIDE; ++j)
        for (int i = 0; i < SIDE; ++i) seen[j * SIDE + i] = at(in, x + i, y + j, w);
    out[y * w + x] = seen[picked % (SIDE * SIDE)];
}
"""


@pytest.mark.parametrize(("side", "level"), [(9, []), (31, ["NOTE"]), (45, ["NOTE"]), (47, ["WARNING"])])
def test_levels(side: int, level: list[str]) -> None:
    shown = findings(OversizedPrivateArray, RANK.replace("SIZE", str(side)), "opencl")
    assert [one.severity.name for one in shown] == level


PARTS = """
typedef uint4 lanes;
__kernel void mix(__global uint *out, const uint seed, const uint picked) {
    lanes state[1200];
    state[0].x = seed; state[0].y = 0; state[0].z = 1; state[0].w = 2;
    state[1] = state[0] + 3u;
    state[1199] = state[1] * state[0];
    BODY
    out[get_global_id(0)] = state[1199].x ^ state[1].w;
}
"""


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("", False),
        ("state[2 + 3].x = seed; state[7] = state[5];", False),
        ("state[picked & 7].x = seed;", True),
        ("for (int i = 0; i < 1200; ++i) state[i].x ^= seed;", True),
        ("for (int i = 0; i < picked; ++i) state[i].x ^= seed;", True),
        ("lanes *at = state + picked; at->x = seed;", True),
        ("out[1] = unseen(state);", True),
    ],
)
def test_arrays_of_which_every_subscript_is_a_number_are_variables(body: str, told: bool) -> None:
    shown = findings(OversizedPrivateArray, PARTS.replace("BODY", body), "opencl")
    assert bool(shown) is told
