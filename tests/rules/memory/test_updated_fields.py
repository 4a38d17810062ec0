"""Fields of structures and lanes of vectors that are only updated, beside others that are set."""

from __future__ import annotations

import pytest
from kernlint_rules.memory.uninitialised_private import UninitialisedPrivate

from tests.rules.marked import assert_marked, assert_pair

PAIRS = {
    "a field of a record": """
struct Tally { int seen; float total; float most; };
__global__ void tally(const float *x, float *out, int n) {
    Tally t;
    t.seen = 0;
    t.total = 0.0f;
    t.most = -1e30f;  // only good
    for (int k = 0; k < n; ++k) {
        if (x[k] < 0.0f) continue;
        ++t.seen;
        t.total += x[k];
        t.most = fmaxf(t.most, x[k]);  // bad
    }
    out[2 * threadIdx.x] = t.total / (t.seen + 1);
    out[2 * threadIdx.x + 1] = t.seen ? t.most : 0.0f;
}
""",
    "structures of an array as a whole, in a helper": """
struct Pair { float a, b; };
__device__ inline Pair operator+(Pair x, Pair y) { return {x.a + y.a, x.b + y.b}; }
__device__ void collect(const float *x, Pair sums[2][2]) {
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
            const Pair more = {x[i], x[j]};
            sums[i][j] = sums[i][j] + more;  // bad
        }
}
__global__ void pairs(const float *x, float *out) {
    Pair sums[2][2];
    for (int k = 0; k < 4; ++k) sums[k / 2][k % 2] = Pair{0.0f, 0.0f};  // only good
    collect(x + 2 * threadIdx.x, sums);
    const Pair whole = sums[0][0] + sums[1][1];
    out[threadIdx.x] = whole.a + whole.b;
}
""",
    "a lane of a vector": """
__global__ void centre(const float4 *p, float4 *out, int n) {
    float4 sum;
    sum.x = sum.y = 0.0f;
    sum.z = 0.0f;  // only good
    sum.w = 1.0f;
    for (int k = 0; k < n; ++k) {
        sum.x += p[k].x;
        sum.y += p[k].y;
        sum.z += p[k].z;
    }
    out[threadIdx.x] = sum;  // bad
}
""",
    "an element of an array within, by a choice": """
struct Box { float low[2]; float high[2]; };
__global__ void bounds(const float *x, Box *out, int n) {
    Box b;
    b.low[0] = b.low[1] = 1e30f;
    b.high[0] = b.high[1] = -1e30f;  // only good
    for (int k = 0; k < n; ++k) {
        b.low[0] = x[k] < b.low[0] ? x[k] : b.low[0];
        b.high[0] = x[k] > b.high[0] ? x[k] : b.high[0];  // bad
    }
    out[threadIdx.x] = b;
}
""",
    "a field within a field, in a helper": """
struct Part { float mass; float charge; };
struct Cell { Part inner; int count; };
__device__ void put(Cell &c, float m, float q) {
    c.inner.mass += m;
    c.inner.charge += q;
    c.count += 1;
}
__global__ void fill(const float *m, const float *q, float *out, int n) {
    Cell c;
    c.inner.mass = 0.0f;
    c.inner.charge = 0.0f;  // only good
    c.count = 0;
    for (int k = 0; k < n; ++k) put(c, m[k], q[k]);
    out[threadIdx.x] = c.inner.mass / c.count + c.inner.charge;  // bad
}
""",
}


@pytest.mark.parametrize("name", PAIRS)
def test_one_is_forgotten(name: str) -> None:
    assert_pair(UninitialisedPrivate, PAIRS[name])


POINTED = """
typedef struct { int hits; float depth; } ray_state;
static void step(ray_state *s, float d) {
    s->hits += 1;
    s->depth = fmin(s->depth, d);
}
__kernel void march(__global const float *d, __global float *out, const int n) {
    ray_state s;
    s.hits = 0;
    s.depth = MAXFLOAT;  // only good
    for (int k = 0; k < n; ++k) step(&s, d[k]);  // bad
    out[get_global_id(0)] = s.hits > 0 ? s.depth : -1.0f;
}
"""


def test_through_a_pointer() -> None:
    assert_pair(UninitialisedPrivate, POINTED, "opencl")


SET = """
struct Bits { union { float f; unsigned u; }; int n; };
struct Sums { int bins[4]; float total; };
struct Pair { float a; float b; };
__device__ void zero(int *p, int n) { for (int k = 0; k < n; ++k) p[k] = 0; }
__device__ void begin(Pair *p) { p->a = p->b = 0.0f; }
__device__ void cleared(Pair &p) { p = Pair{0.0f, 0.0f}; }
__global__ void flipped(const float *x, float *out) {
    Bits b;
    b.n = 0;
    b.f = x[threadIdx.x];
    b.u ^= 0x80000000u;
    b.n += 1;
    out[threadIdx.x] = b.f + b.n;
}
__global__ void binned(const int *x, float *out, int n) {
    Sums s;
    zero(s.bins, 4);
    s.total = 0.0f;
    for (int k = 0; k < n; ++k) { s.bins[x[k] & 3] += 1; s.total += x[k]; }
    out[threadIdx.x] = s.bins[0] + s.total;
}
__global__ void first(const int *x, float *out, int n) {
    Sums s;
    zero(&s.bins[0], 4);
    for (int k = 0; k < n; ++k) s.bins[x[k] & 3] += 1;
    out[threadIdx.x] = s.bins[0];
}
__global__ void begun(const float *x, float *out, int n) {
    Pair p, q, r;
    begin(&p);
    cleared(q);
    Pair *to = &r;
    to->a = to->b = 0.0f;
    for (int k = 0; k < n; ++k) { p.a += x[k]; p.b += 1.0f; q.a += x[k]; r.b += x[k]; }
    out[threadIdx.x] = p.a + p.b + q.a + r.b;
}
__global__ void unused(const float *x, float *out, int n) {
    Pair p;
    p.a = 0.0f;
    for (int k = 0; k < n; ++k) { p.a += x[k]; p.b += 1.0f; }
    out[threadIdx.x] = p.a;
}
"""


def test_set_in_other_ways() -> None:
    assert_marked(UninitialisedPrivate, SET)


LANES = """
__kernel void summed(__global const float4 *x, __global float4 *out, const int n) {
    float4 s;
    s.xy = (float2)(0.0f);
    s.zw = (float2)(0.0f);
    for (int k = 0; k < n; ++k) { s.x += x[k].x; s.w += x[k].w; s.lo += x[k].hi; }
    out[get_global_id(0)] = s;
}
"""


def test_lanes_set_together() -> None:
    assert_marked(UninitialisedPrivate, LANES, "opencl")
