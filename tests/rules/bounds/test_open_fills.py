"""Lists of a constant length that a thread fills as far as data say, and rows of them."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard

from tests.rules.bounds.test_wrong_axes import codes
from tests.rules.marked import findings

SIBLING = """
__global__ void heaviest(const float *mass, int stars, float *out) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s < stars) out[s] = mass[s] * 2.0f;
}
"""

NEAR = """
__global__ void companions(const float4 *at, const float *mass, int stars, const int *first, const int *link,
                           int *rows, int *how_many, int clusters) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= clusters) return;
  %(own)s
  int n = 0;
  %(loop)s
  how_many[c] = n;
}
"""

OWN = "int members[24];"


@pytest.mark.parametrize(
    ("own", "loop", "wrong"),
    [
        (OWN, "for (int j = 0; j < stars; ++j) if (mass[j] > 2.0f) members[n++] = j; rows[c] = members[n / 2];", True),
        (
            OWN,
            "for (int j = 0; j < stars; ++j) if (mass[j] > 2.0f && n < 24) members[n++] = j; rows[c] = members[0];",
            False,
        ),
        (
            OWN,
            "for (int j = 0; j < stars && n < 24; ++j) if (mass[j] > 2.0f) members[n++] = j; rows[c] = members[0];",
            False,
        ),
        (
            OWN,
            "for (int j = 0; j < stars; ++j) if (mass[j] > 2.0f) { members[n++] = j; if (n == 24) break; }",
            False,
        ),
        (OWN, "for (int j = 0; j < 20; ++j) if (mass[j] > 2.0f) members[n++] = j; rows[c] = members[0];", False),
        (
            OWN,
            "for (int j = 0; j < stars; ++j) if (mass[j] > 2.0f) members[n++ % 24] = j; rows[c] = members[0];",
            False,
        ),
        ("", "for (int j = first[c]; j < first[c + 1]; ++j) if (mass[j] > 2.0f) { rows[c * 16 + n] = j; n++; }", True),
        (
            "",
            "for (int j = first[c]; j < first[c + 1]; ++j) if (mass[j]) { rows[c * 16 + n] = j; n = min(n + 1, 15); }",
            False,
        ),
        ("", "for (int j = first[c]; j != -1; j = link[j]) rows[c * 16 + n++] = j;", True),
        ("", "for (int j = first[c]; j != -1 && n < 16; j = link[j]) rows[c * 16 + n++] = j;", False),
        ("", "float end = mass[c]; for (float t = 0.5f; t < end; t += 0.5f) rows[c * 16 + n++] = (int)(t * t);", True),
        (
            "",
            "float end = mass[c]; for (float t = 0.5f; t < end; t += 0.5f) rows[c * 16 + n++ % 16] = (int)(t * t);",
            False,
        ),
        # as many as a number has digits
        (
            "char text[12];",
            "int v = first[c]; do { text[n++] = '0' + v % 10; v /= 10; } while (v != 0); rows[c] = text[n - 1];",
            False,
        ),
    ],
)
def test_lists(own: str, loop: str, wrong: bool) -> None:
    assert codes(SIBLING + NEAR % {"own": own, "loop": loop}) == (["KL101"] if wrong else [])


def test_a_stack_goes_down_again() -> None:
    body = """int top = 0; todo[top++] = first[c];
    while (top > 0) { int at = todo[--top]; if (mass[at] > 1.0f) todo[top++] = link[at]; else ++n; }"""
    assert codes(SIBLING + NEAR % {"own": "int todo[24];", "loop": body}) == []


def test_what_no_grid_counts_may_be_few() -> None:
    """Without a kernel that has a thread for each star, their number is one that callers know to be small."""
    loop = "for (int j = 0; j < stars; ++j) if (mass[j] > 2.0f) members[n++] = j; rows[c] = members[n / 2];"
    assert codes(NEAR % {"own": OWN, "loop": loop}) == []


@pytest.mark.parametrize(("check", "wrong"), [("", True), ("if (stars > 24) return;", False)])
def test_what_the_host_lets_pass(check: str, wrong: bool) -> None:
    loop = "for (int j = 0; j < stars; ++j) if (mass[j] > 2.0f) members[n++] = j; rows[c] = members[n / 2];"
    host = """void find(float4 *at, float *mass, int stars, int *first, int *link, int *rows, int *n, int clusters) {
      %s
      companions<<<(clusters + 63) / 64, 64>>>(at, mass, stars, first, link, rows, n, clusters);
    }"""
    assert codes(SIBLING + NEAR % {"own": OWN, "loop": loop} + host % check) == (["KL101"] if wrong else [])


BACKTRACK = """
#define LEFT 1
#define UP 2
typedef struct { short rows; short cols; int at; } Pair;
__kernel void edits(__global const Pair *pairs, __global const uchar *from, __global int *cost, const int n) {
    const int p = get_global_id(0);
    if (p >= n) return;
    const Pair pair = pairs[p];
    if (pair.rows > 60 || pair.cols > 60) return;
    uchar moves[ROOM];
    int made = 0;
    int r = pair.rows, c = pair.cols;
    while (WHILE) {
        const uchar move = from[pair.at + r * 61 + c];
        moves[made++] = move;
        if (move != LEFT) --r;
        LOWER --c;
    }
    int sum = 0;
    for (int k = 0; k < made; ++k) sum += moves[k];
    cost[p] = sum;
}
"""


@pytest.mark.parametrize(
    ("room", "goes_on", "lower", "bad"),
    [
        ("60", "r > 0 && c > 0", "if (move != UP)", True),
        ("64", "r >= 1 && c >= 1", "if (move != UP)", True),
        ("120", "r > 0 && c > 0", "if (move != UP)", False),
        ("119", "r > 0 && c > 0", "if (move != UP)", False),
        ("60", "r > 0 && c > 0", "", False),  # as many rounds as columns
        ("60", "r > 0 && c > 0 && made < 60", "if (move != UP)", False),
    ],
)
def test_the_way_back_through_a_table(room: str, goes_on: str, lower: str, bad: bool) -> None:
    code = BACKTRACK.replace("ROOM", room).replace("WHILE", goes_on).replace("LOWER", lower)
    assert bool(findings(MissingBoundsGuard, code, "opencl")) is bad


ALONE = """
__global__ void density(const float *p, int n, float h, float *out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float near[40];
    int m = 0;
    for (int j = 0; j < END; ++j) {
        const float d = fabsf(p[j] - p[i]);
        if (d < h) TEST near[m++] = d;
    }
    float sum = 0.0f;
    for (int k = 0; k < m; ++k) sum += near[k];
    out[i] = sum;
}
"""


@pytest.mark.parametrize(
    ("end", "test", "bad"), [("n", "", True), ("n", "if (m < 40)", False), ("40", "", False), ("min(n, 40)", "", False)]
)
def test_items_of_the_only_kernel(end: str, test: str, bad: bool) -> None:
    assert bool(findings(MissingBoundsGuard, ALONE.replace("END", end).replace("TEST", test))) is bad
