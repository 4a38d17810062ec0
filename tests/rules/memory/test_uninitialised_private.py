"""Private values that look as if nothing had stored them, and some that nothing has."""

from __future__ import annotations

import pytest
from kernlint_rules.memory.uninitialised_private import UninitialisedPrivate

from tests.rules.marked import assert_marked, findings

FOLDED = """
__device__ float folded(float *x, float v) {
    int at = threadIdx.x + threadIdx.y * blockDim.x;
    x[at] = v;
    __syncthreads();
    float last;
    if (at < 32) last = x[at] + x[at + 32];
    return last;
}
__global__ void tidy(const float *in, float *out) {
    __shared__ float x[512];
    float last = folded(x, in[threadIdx.x]);
    if (threadIdx.x == 0) out[blockIdx.x] = sqrtf(last);
}
void run(const float *in, float *out, int n) { tidy<<<n, BLOCK>>>(in, out); }
"""

CASES = {
    "a field of a structure that is compared before anything is stored in it": """
struct Peak { int height; char marks[12]; };
__device__ void mark(char *marks, int at, char by) { marks[at] = by; }
__global__ void highest(const int *x, Peak *out, int n) {
    Peak peak;
    for (int k = 0; k < 12; ++k) peak.marks[k] = 0;
    for (int i = 0; i < n; ++i) {
        mark(peak.marks, 1, 1);
        if (x[i] > peak.height) { // bad
            peak.height = x[i];
            mark(peak.marks, 0, 1);
        }
    }
    out[threadIdx.x] = peak;
}
""",
    "fields of structures that are set in one way or another": """
struct Peak { int height; char marks[12]; __device__ void lower() { height = -1; } };
struct Low { int height = -1; };
union Word { int height; float real; };
__device__ void reset(Peak *peak) { peak->height = -1; }
__device__ void level(int &height) { height = -1; }
__device__ void survey(Peak &peak);
template <class T> __device__ void climb(const int *x, T &peak, int n) {
    for (int i = 0; i < n; ++i)
        if (x[i] > peak.height) peak.height = x[i];
}
__global__ void highest(const int *x, int *out, int n) {
    Peak a, b, c, d, e;
    Low f;
    Word g;
    a.lower();
    reset(&b);
    level(c.height);
    survey(d);
    memset(&e, 0, sizeof e);
    g.real = 1.0f;
    climb(x, a, n);
    climb(x, b, n);
    climb(x, c, n);
    climb(x, d, n);
    climb(x, e, n);
    climb(x, f, n);
    climb(x, g, n);
    out[threadIdx.x] = a.height + b.height + c.height + d.height + e.height + f.height + g.height;
}
""",
    "objects that come to be by code of their class": """
struct Low { int height = -1; };
template <class T> struct Lowest { T height{-1}; };
struct Base { int height; __device__ Base() : height(-1) {} };
struct Derived : Base { int more; };
struct Elsewhere { int height; __device__ Elsewhere(); };
template <class T> __device__ int climb(const int *x, int n) {
    T peak;
    for (int i = 0; i < n; ++i)
        if (x[i] > peak.height) peak.height = x[i];
    return peak.height;
}
__global__ void first(const int *x, int *out, int n) { out[0] = climb<Low>(x, n); }
__global__ void second(const int *x, int *out, int n) { out[0] = climb<Lowest<int>>(x, n); }
__global__ void third(const int *x, int *out, int n) { out[0] = climb<Derived>(x, n); }
__global__ void fourth(const int *x, int *out, int n) { out[0] = climb<Elsewhere>(x, n); }
""",
    "each of the ways to set a field, where all is in sight": """
struct Peak { int height; char marks[12]; __device__ void lower() { height = -1; } };
__device__ void reset(Peak *peak) { peak->height = -1; }
__device__ void level(int *height) { *height = -1; }
__global__ void highest(const int *x, int *out, int n) {
    Peak a, b, c, d;
    a.lower();
    reset(&b);
    level(&c.height);
    for (int i = 0; i < n; ++i) {
        if (x[i] > a.height) a.height = x[i];
        if (x[i] > b.height) b.height = x[i];
        if (x[i] > c.height) c.height = x[i];
        if (i == 0 || x[i] > d.height) d.height = x[i];
    }
    out[threadIdx.x] = a.height + b.height + c.height + d.height;
}
""",
    "a surface is read into a variable": """
#include <cuda_runtime.h>
__global__ void differ(cudaSurfaceObject_t from, unsigned char wanted, int *bad, int width) {
    unsigned x = blockDim.x * blockIdx.x + threadIdx.x;
    if (x >= width) return;
    uchar4 seen;
    surf2Dread(&seen, from, x * 4, blockIdx.y);
    if (seen.x != wanted || seen.y != wanted) atomicAdd(bad, 1);
}
""",
    "each of the modes that there are stores a value": """
__global__ void reduce(const float *x, float *out, int n, int op) {
    float acc;
    if (op == 1) acc = -1e30f;
    else if (op == 2) acc = 1e30f;
    for (int i = 0; i < n; ++i) acc = op == 1 ? fmaxf(acc, x[i]) : fminf(acc, x[i]);
    out[threadIdx.x] = acc;
}
""",
    "a mode stores it, and only that mode uses it": """
__global__ void scale(const float *x, const float *bias, float *out, int mode, int with) {
    float add;
    int at = threadIdx.x;
    if (mode == 0) at = 2 * threadIdx.x;
    else add = bias[threadIdx.x];
    if (with) out[at] = x[at] + add;
}
""",
    "a search that is bound to find something": """
__global__ void nearest(const float2 *p, const float2 *q, int *out, int n) {
    int best;
    float least = 1e30f;
    for (int i = 0; i < n; ++i) {
        float dx = p[i].x - q[threadIdx.x].x, dy = p[i].y - q[threadIdx.x].y, d = dx * dx + dy * dy;
        if (d < least) { least = d; best = i; }
    }
    out[threadIdx.x] = best;
}
""",
    "a search of which it is asked whether it found something": """
__global__ void within(const float *d, int *out, int n, float radius) {
    int best;
    float least = radius;
    for (int i = 0; i < n; ++i)
        if (d[i] < least) { least = d[i]; best = i; }
    if (least < radius) out[threadIdx.x] = best;
}
""",
    "a mode that has a branch of its own, without the value": """
__device__ int place(int pass, int index, int random, int lanes, int length) {
    int lane;
    int area;
    if (pass == 0) {
        area = index - 1;
    } else {
        lane = random % lanes;
        area = 3 * length;
    }
    return lane * length + area;
}
__global__ void places(const int *random, int *out, int pass, int lanes, int length) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < lanes) out[i] = place(pass, i, random[i], lanes, length);  // bad
}
""",
    "a mode that adds to what only the other modes set": """
__global__ void reduce(const float *x, float *out, int n, int op) {
    float acc;
    if (op == 1) acc = -1e30f;
    else if (op == 2) acc = 1e30f;
    for (int i = 0; i < n; ++i) {
        if (op == 0) acc += x[i];
        else acc = op == 1 ? fmaxf(acc, x[i]) : fminf(acc, x[i]);
    }
    out[threadIdx.x] = acc;  // bad
}
""",
    "a list that may be missing, or shorter than the threads": """
__global__ void start(const unsigned *seeds, unsigned count, unsigned pool, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pool) return;
    unsigned seed;
    if (seeds && i < count) seed = seeds[i];
    out[i] = seed;  // bad
}
""",
    "a neighbour that is inside on both axes, or not": """
__global__ void distance(const float *in, float *out, int width, int height, int right, int down) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int u = x + right, v = y + down;
    float d;
    if (u >= 0 && u < width && v >= 0 && v < height) d = in[y * width + x] - in[v * width + u];
    out[y * width + x] = d * d;  // bad
}
""",
    "a list that may be missing": """
__global__ void start(const unsigned *seeds, const unsigned *spare, unsigned pool, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pool) return;
    unsigned seed;
    if (seeds) seed = seeds[i];
    else if (spare) seed = spare[i];
    out[i] = seed;
}
""",
    "a search for what is closer than an argument says": """
__global__ void within(const float *d, int *out, int n, float radius) {
    int best;
    float least = radius * radius;
    for (int i = 0; i < n; ++i)
        if (d[i] < least) { least = d[i]; best = i; }
    out[threadIdx.x] = best;  // bad
}
""",
    "an operator of an object stores through a reference": """
template <typename T, int N> struct Pack { T val[N]; };
struct Twice {
    __device__ void operator()(Pack<float, 4> &to, const Pack<float, 4> &from) const {
        for (int i = 0; i < 4; ++i) to.val[i] = 2 * from.val[i];
    }
};
__global__ void apply(const Pack<float, 4> *in, Pack<float, 4> *out, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        Pack<float, 4> made;
        Pack<float, 4> from = in[i];
        Twice{}(made, from);
        out[i] = made;
    }
}
""",
    "a helper that ends the program in this configuration": """
#include <cassert>
__device__ unsigned char squeeze(float x) {
#ifdef WITH_BYTES
    return (unsigned char)x;
#endif
    assert(false);
    __builtin_unreachable();
}
__global__ void pack(const float *in, unsigned char *out) {
    unsigned char held[8];
    for (int i = 0; i < 8; ++i) held[i] = squeeze(in[threadIdx.x * 8 + i]);
    *reinterpret_cast<unsigned long long *>(out + threadIdx.x * 8) = *reinterpret_cast<unsigned long long *>(held);
}
""",
    "assembly in a helper stores": """
__device__ void fetch(unsigned (&to)[2], const void *from) {
    asm volatile("ld.global.v2.u32 {%0,%1}, [%2];" : "=r"(to[0]), "=r"(to[1]) : "l"(from));
}
__global__ void both(const uint2 *in, unsigned *out) {
    unsigned held[2];
    fetch(held, in + threadIdx.x);
    out[threadIdx.x] = held[0] + held[1];
}
""",
    "a vector that is looked at byte by byte": """
__global__ void bytes(const uint4 *in, unsigned char *out, int n) {
    uint4 word;
    if (threadIdx.x < n) word = in[threadIdx.x];
    else word = make_uint4(0, 0, 0, 0);
    unsigned char *part = (unsigned char *)&word;
    for (int k = 0; k < 16; ++k) out[threadIdx.x * 16 + k] = part[k];
}
""",
    "the way without a value depends on arguments, or on data that decide nothing else": """
__global__ void modes(const float *in, float *out, int mode) {
    float v, w;
    if (mode == 0) v = in[threadIdx.x];
    else if (mode == 1) v = -in[threadIdx.x];
    if (in[threadIdx.x] > 0.0f) w = 1.0f;
    out[threadIdx.x] = v * 2.0f;
    out[threadIdx.x + 1024] = w * 2.0f;  // bad
}
""",
    "one lane has the value, and shows it to the others": """
__global__ void claim(unsigned *next, unsigned *out) {
    unsigned base;
    if (threadIdx.x % 32 == 0) base = atomicAdd(next, 32u);
    base = __shfl_sync(0xffffffffu, base, 0);
    out[base + threadIdx.x % 32] = 1u;
}
""",
    "the same threads store and use it": """
__global__ void fold(const float *in, float *out) {
    float v;
    if (threadIdx.x < 64) v = in[threadIdx.x];
    if (threadIdx.x == 0) out[blockIdx.x] = v * 0.5f;
    float last;
    for (int k = 0; k < 8; ++k) {
        if (k > 0) out[k * 32 + threadIdx.x] = last + 1.0f;
        last = in[k * 32 + threadIdx.x];
    }
}
""",
    "the threads that store are fewer than those that use it": """
__global__ void fold(const float *in, float *out) {
    float v;
    if (threadIdx.x < 32) v = in[threadIdx.x];
    if (threadIdx.x < 64) out[threadIdx.x] = v * 0.5f;  // bad
}
""",
    "a loop goes on from nothing": """
__global__ void best(const float *in, int *where, int n) {
    float least;
    int at = 0;
    for (int k = 0; k < n; ++k)
        if (in[k] < least) {  // bad
            least = in[k];
            at = k;
        }
    where[threadIdx.x] = at;
}
""",
    "an array that the loop does not fill": """
__global__ void taps(const float *in, float *out) {
    float held[5];
    for (int k = 0; k < 4; ++k) held[k] = in[threadIdx.x + k];
    float sum = 0.0f;
    for (int k = 0; k < 5; ++k) sum += held[k];  // bad
    out[threadIdx.x] = sum;
}
""",
    "sums that are only added to, where there is something to add": """
__global__ void weigh(const float *w, const float *v, float *out, int keys, int dim) {
    float sum[4];
    for (int k = 0; k < keys; ++k)
        for (int i = 0; i < 4; ++i)
            if (threadIdx.x + i * blockDim.x < dim) sum[i] += w[k] * v[k * dim + threadIdx.x + i * blockDim.x];  // bad
    for (int i = 0; i < 4; ++i)
        if (threadIdx.x + i * blockDim.x < dim) out[threadIdx.x + i * blockDim.x] = sum[i];
}
""",
    "a sum that begins with the first addend": """
__global__ void weigh(const float *w, float *out, int keys) {
    float sum[2];
    for (int k = 0; k < keys; ++k)
        for (int i = 0; i < 2; ++i) sum[i] = k == 0 ? w[i] : sum[i] + w[k * 2 + i];
    out[threadIdx.x] = sum[0] + sum[1];
}
""",
    "blocks of a launch in sight in which every thread that uses it has stored": FOLDED.replace("BLOCK", "512"),
    "the same in rows of threads": FOLDED.replace("BLOCK", "dim3(16, 32)").replace(
        "sqrtf(last);", "sqrtf(last);  // bad"
    ),
    "what a search found, used where data say that there is something to find": """
__global__ void pad(const unsigned char *mask, const int *valid, int *out, int n) {
    int row = threadIdx.x;
    int spare;
    for (int j = 0; j < n; ++j)
        if (!mask[row * n + j]) {
            spare = j;
            break;
        }
    if (valid[row] < n) out[row] = spare;
}
""",
    "what a search through a range may not have found, used where the range is not empty": """
__global__ void first(const int2 *ranges, const float *x, int *out) {
    const int2 range = ranges[blockIdx.x];
    int found;
    for (int p = range.x; p < range.y; p++)
        if (x[p] > 0.0f) {
            found = p;
            break;
        }
    if (range.x < range.y) out[blockIdx.x] = found;  // bad
}
""",
    "an array whose address is copied to": """
__global__ void weigh(const int *corners, const float *values, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int mine[8];
    memcpy(&mine, corners + i * 8, sizeof(int) * 8);
    out[i] = values[mine[0]] + values[mine[7]];
}
""",
    "an array whose first half is copied to": """
__global__ void weigh(const int *corners, const float *values, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int mine[8];
    memcpy(&mine, corners + i * 8, sizeof(int) * 4);
    out[i] = values[mine[0]] + values[mine[7]];  // bad
}
""",
    "what a search may not have found": """
__global__ void pad(const unsigned char *mask, int *out, int n) {
    int row = threadIdx.x;
    int spare;
    for (int j = 0; j < n; ++j)
        if (!mask[row * n + j]) {
            spare = j;
            break;
        }
    out[row] = spare;  // bad
}
""",
}


@pytest.mark.parametrize("name", CASES)
def test_case(name: str) -> None:
    assert_marked(UninitialisedPrivate, CASES[name])


TOTAL = """
#include "gone.h"
struct Sum {
    __device__ Sum() : s(0) {}
    __device__ Sum &operator+=(int a) { s += a; return *this; }
    int s;
};
template <typename R, typename T> __global__ void total(R *out, const T *in, int n) {
    R sum;
    for (int i = threadIdx.x; i < n; i += 128) sum += in[i];
    out[threadIdx.x] = sum;
}
void go(PASSED *out, Gone<int> in) { total<<<1, 128>>>(out, in.data(), 1000); }
"""


def test_an_object_of_a_class_that_a_launch_hands_over_has_what_its_constructor_gives() -> None:
    assert not findings(UninitialisedPrivate, TOTAL.replace("PASSED", "Sum"))
    assert findings(UninitialisedPrivate, TOTAL.replace("PASSED", "int"))


PAIRED = """
__global__ void pairs(const int3 *faces, int *mate, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    bool open = i < n;
    int3 own;
    if (open) own = faces[i];
    unsigned left = __ballot_sync(0xffffffffu, open);
    while (left) {
        const int turn = __ffs(left) - 1;
        left &= left - 1;
        if (lane == turn) CLOSE;
        const int other = __shfl_sync(0xffffffffu, own.x, turn);
        if (open && own.y == other) mate[i] = turn;
    }
}
void run(const int3 *faces, int *mate, int n) { pairs<<<(n + 63) / 64, 64>>>(faces, mate, n); }
"""


@pytest.mark.parametrize(("close", "bad"), [("open = false", False), ("open = true", True)])
def test_a_flag_that_the_rounds_only_take_away_held_before_them(close: str, bad: bool) -> None:
    assert bool(findings(UninitialisedPrivate, PAIRED.replace("CLOSE", close))) is bad
