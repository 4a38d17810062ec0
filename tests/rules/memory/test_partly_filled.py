"""Private arrays of which a loop sets as many elements as a number says, and another one reads all."""

from __future__ import annotations

import pytest
from kernlint_rules.memory.uninitialised_private import UninitialisedPrivate

from tests.rules.marked import assert_marked

BINS = """
#define MOST 12
struct Gas { int cells, kinds; };
__device__ float part(const Gas &g, const float *share, int kind, int cell) { return share[kind * g.cells + cell]; }
__global__ void weigh(Gas g, const float *share, const float *mass, const int *present, float *out, int whole) {
    const int cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= g.cells || g.kinds > MOST) return;
    const int held = min(present[cell], MOST);
    float x[MOST];
    FIRST
    for (int k = 0; k < FILLED; ++k) x[k] = part(g, share, k, cell);
    float sum = 0.0f;
    for (int k = 0; k < READ; ++k) {
        USE
    }
    out[cell] = sum;
}
void run(Gas g, const float *share, const float *mass, const int *present, float *out) {
    if (CHECK) return;
    weigh<<<(g.cells + 127) / 128, 128>>>(g, share, mass, present, out, 1);
}
"""
SUM, BAD = "sum += x[k] * mass[k];", "sum += x[k] * mass[k];  // bad"


@pytest.mark.parametrize(
    ("filled", "read", "use", "first", "check"),
    [
        ("g.kinds", "MOST", BAD, "", "g.cells < 1"),
        ("held", "MOST", BAD, "", "g.cells < 1"),
        ("g.kinds", "g.kinds", SUM, "", "g.cells < 1"),
        ("MOST", "MOST", SUM, "", "g.cells < 1"),
        ("g.kinds", "MOST", SUM, "", "g.kinds != MOST"),
        ("g.kinds", "MOST", BAD, "", "g.kinds < 2"),
        ("g.kinds", "MOST", SUM, "for (int k = 0; k < MOST; ++k) x[k] = 0.0f;", "g.cells < 1"),
        ("g.kinds", "MOST", BAD, "x[0] = 0.0f;", "g.cells < 1"),
        ("g.kinds", "MOST", "if (k < g.kinds) sum += x[k];", "", "g.cells < 1"),
        ("g.kinds", "MOST", "if (k >= g.kinds) break; sum += x[k];", "", "g.cells < 1"),
        ("g.kinds", "MOST", "const float one = x[k]; sum += k < g.kinds ? one : 0.0f;", "", "g.cells < 1"),
    ],
)
def test_up_to_the_end(filled: str, read: str, use: str, first: str, check: str) -> None:
    text = BINS.replace("FILLED", filled).replace("READ", read).replace("USE", use)
    assert_marked(UninitialisedPrivate, text.replace("FIRST", first).replace("CHECK", check), "cuda")


HEADER = """
__global__ void heads(const unsigned *words, int many, unsigned first, unsigned *out) {
    const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned own[32];
    for (int i = 0; i < many; ++i) own[i] = words[i];
    own[9] = (own[9] & 0xffffffu) | (first + id) << 24;
    unsigned mix = 1;
    for (int i = 0; i < END; ++i) mix = mix * 31u + own[i];USED
    out[id] = mix;
}
"""


@pytest.mark.parametrize(("end", "bad"), [("many", False), ("32", True)])
def test_fields_at_places_that_are_numbers(end: str, bad: bool) -> None:
    text = HEADER.replace("END", end).replace("USED", "  // bad" if bad else "")
    assert_marked(UninitialisedPrivate, text, "cuda")
