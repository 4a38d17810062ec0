"""Values that a helper returns before they are set, and callers that take them up."""

from __future__ import annotations

import pytest
from kernlint_rules.memory.uninitialised_private import UninitialisedPrivate

from tests.rules.marked import assert_marked, assert_pair

PAIRS = {
    "a field of what is returned": """
struct Hit { float depth, colour; };
__device__ Hit trace(const float *p) {
    Hit hit;
    hit.colour = 0.0f;  // only good
    float v = p[0];
    if (!(v >= 0.0f)) {
        hit.depth = 10.0f;
        return hit;
    }
    hit.depth = v;
    hit.colour = 2.0f * v;
    return hit;
}
__global__ void shade(const float *p, float *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Hit hit = trace(p + i);
    to[2 * i] = hit.depth;
    to[2 * i + 1] = hit.colour;  // bad
}
""",
    "a way out of a loop": """
__device__ float settle(const float *p, int n) {
    float last;  // only bad
    float last = 0.0f;  // only good
    float v = p[0];
    for (int i = 0; i < n; ++i) {
        v = v * v + p[0];
        if (!(v >= 0.0f)) return last;
        if (v > 4.0f) break;
    }
    last = v;
    return last;
}
__global__ void all(const float *p, float *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = settle(p + i, 12);  // bad
}
""",
    "a part of a vector": """
struct Hit { float depth, colour; };
__device__ Hit trace(const float *p) {
    Hit hit;
    float v = p[0];
    if (v < 0.0f) { hit.depth = 10.0f; return hit; }  // only bad
    if (v < 0.0f) { hit.depth = 10.0f; hit.colour = 1.0f; return hit; }  // only good
    hit.depth = v;
    hit.colour = 2.0f * v;
    return hit;
}
__global__ void shade(const float *p, float2 *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Hit hit = trace(p + i);
    to[i] = make_float2(hit.depth, fmodf(hit.colour / 256.0f, 1.0f));  // bad
}
""",
}


@pytest.mark.parametrize("text", PAIRS.values(), ids=PAIRS.keys())
def test_returned_early(text: str) -> None:
    assert_pair(UninitialisedPrivate, text)


HIT = """
struct Hit { int found; float depth; };
__device__ Hit trace(const float *p) {
    Hit hit;
    hit.found = 0;
    float v = p[0];
    if (TEST) return hit;
    hit.found = 1;
    hit.depth = v;
    return hit;
}
__global__ void shade(const float *p, float *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Hit hit = trace(p + i);
    USE
}
"""


@pytest.mark.parametrize(
    ("test", "use"),
    [
        ("v < 0.0f", "if (hit.found) to[i] = hit.depth;"),
        ("v < 0.0f", "to[i] = hit.found ? hit.depth : 0.0f;"),
        ("v < 0.0f", "if (p[i] >= 0.0f) to[i] = hit.depth;"),
        ("v < 0.0f", "to[i] = hit.found;"),
    ],
)
def test_callers_that_ask(test: str, use: str) -> None:
    assert_marked(UninitialisedPrivate, HIT.replace("TEST", test).replace("USE", use))
