"""Rounds that store as many elements as data say, and are tested once."""

import pytest

from kernlint import registry
from tests.rules.marked import assert_marked, findings

RULE = registry.load().get("KL104")

FILL = """\
__global__ void fill(const int *count, int *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int list[64], m = 0, k = 0;
    while (m < 64) {
        for (int j = 0; j < %s; ++j) %s
        ++k;
    }
    for (int q = 0; q < 64; ++q) out[i * 64 + q] = list[q];
}
"""


@pytest.mark.parametrize(
    ("rounds", "body", "mark"),
    [
        ("count[k]", "list[m++] = j;", " // bad"),
        ("count[k] && m < 64", "list[m++] = j;", ""),
        ("count[k]", "{ list[m++] = j; if (m == 64) break; }", ""),
        ("count[k]", "if (m < 64) list[m++] = j;", ""),
        ("4", "list[m++] = j;", ""),
    ],
)
def test_the_end_is_tested_before_the_inner_loop(rounds, body, mark):
    assert_marked(RULE, FILL % (rounds, body + mark))


REPEAT = """\
void spread(uint key[18], const uint word[16], const uint length) {
    uchar *to = (uchar *)key, *stop = to + 72;
    while (to < stop) {
        uchar *from = (uchar *)word, *end = from + length;
        while (from < end) {
            *to++ = *from++;%s
        }
        *to++ = 0;
    }
}
kernel void start(global const uint *words, global const uint *lengths, global uint *out) {
    const uint g = get_global_id(0);
    uint word[16], key[18];
    for (int i = 0; i < 16; ++i) word[i] = words[g * 16 + i];
    spread(key, word, lengths[g]);
    for (int i = 0; i < 18; ++i) out[g * 18 + i] = key[i];
}
"""


def test_pointers_that_go_on():
    assert_marked(RULE, REPEAT % " // bad", "opencl")
    assert_marked(RULE, REPEAT % "\n            if (to == stop) return;", "opencl")


CHILDREN = """
struct Cell { float4 ball; int child, leaf; };
__global__ void count(const Cell *cells, const float4 *at, int *hits, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int open[ROOM], top = 0, found = 0;
    open[top++] = 0;
    while (top > 0) {
        const Cell c = cells[open[--top]];
        if (c.ball.x > at[i].x) continue;
        if (c.leaf) { ++found; continue; }
        if (TEST)
            for (int k = 0; k < 4; ++k) open[top++] = c.child + k;
    }
    hits[i] = found;
}
"""


@pytest.mark.parametrize(
    ("room", "test", "bad"),
    [("32", "top < 32", True), ("32", "top < 29", False), ("32", "top <= 28", False), ("35", "top < 32", False)],
)
def test_pushes_in_a_loop_of_constant_length(room: str, test: str, bad: bool) -> None:
    found = findings(RULE, CHILDREN.replace("ROOM", room).replace("TEST", test))
    assert any("tested once" in one.message for one in found) is bad, [one.message for one in found]
