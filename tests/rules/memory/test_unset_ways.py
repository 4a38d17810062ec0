"""Private values that loops, helpers and branches set in some of their ways."""

from __future__ import annotations

import pytest
from kernlint_rules.memory.uninitialised_private import UninitialisedPrivate

from tests.rules.marked import assert_marked

CUDA = {
    "counts that a loop goes on with, or leaves as they are": """
__global__ void list(const unsigned *bits, unsigned char *slot, int *count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned set = bits[i];
    int found;
    if (set & 4u) found = 0;
    for (int k = 0; k < 8; ++k)
        if (set & (1u << k)) slot[8 * i + found++] = k;
    count[i] = found;  // bad
}
__global__ void begun(const unsigned *bits, unsigned char *slot, int *count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned set = bits[i];
    int found, left;
    if (set & 4u) found = 0;
    else found = 1;
    if (set & 8u) left = 3;
    for (int k = 0; k < 8; ++k) {
        if (set & (1u << k)) slot[8 * i + found++] = k;
        if (set & (2u << k)) left = left - 1;
    }
    count[i] = found;
    if (set & 8u) count[i] += left;
}
""",
    "vectors and structures that one branch sets, and their lanes": """
struct Spot { float x, y; int tag; };
__device__ float3 minus(float3 a, float3 b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }
__global__ void lift(const float *depth, float3 *arm, float3 origin, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float3 at;
    if (depth[i] > 0.0f) at = make_float3(depth[i], 1.0f, 2.0f);
    arm[i] = minus(at, origin);  // bad
}
__global__ void spots(const float *depth, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Spot s;
    if (depth[i] > 0.0f) { s.x = depth[i]; s.y = 1.0f; }
    out[i] = s.x + s.y;  // bad
}
__global__ void kept(const float *depth, float3 *arm, float *out, Spot *all, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float3 at, back;
    Spot s, t;
    s.tag = i;
    back.z = 0.0f;
    float weight = depth[i] > 0.0f ? 1.0f : 0.0f;
    bool ok = false;
    if (depth[i] > 0.0f) {
        at = make_float3(depth[i], 1.0f, 2.0f);
        s.x = depth[i]; s.y = 1.0f;
        t.x = depth[i]; t.y = 1.0f;
        back.x = 1.0f; back.y = 2.0f;
        ok = true;
    }
    if (ok) arm[i] = at;
    out[i] = s.tag + weight * t.x;
    all[i] = s;
    arm[i + n] = back;
}
""",
    "what a march has not come to": """
__global__ void march(const unsigned char *occ, const float3 *o, float *depth, int n, int steps, int res) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float t = 0, hitT;
    bool hit = false;
    for (int s = 0; s < steps; ++s) {
        int c = min((int)(o[i].x + t), res - 1);
        if (occ[c]) { hitT = t; hit = true; break; }
        t += 0.5f;
    }
    depth[i] = hitT;  // bad
}
""",
    "loops that are left in their last round, and tests of how far they came": """
__global__ void pick(const float *x, int *out, float t, int n) {
    int at, or_;
    const float *mine = x + threadIdx.x * 16;
    for (int k = 0; k < 16; ++k)
        if (mine[k] > t || k == 15) { at = k; break; }
    for (int k = 0; k < n; ++k)
        if (mine[k] > t || k == n - 1) { or_ = k; break; }
    out[threadIdx.x] = at + or_;
}
__global__ void mark(const float *x, int *out, float t, int n) {
    int at;
    const float *mine = x + threadIdx.x * 16;
    bool ok = false;
    for (int k = 0; k < n; ++k)
        if (mine[k] > t) { at = k; ok = true; break; }
    if (!ok) at = n;
    out[threadIdx.x] = at;
    int q;
    int k = 0;
    for (; k < n; ++k)
        if (mine[k] > t) { q = k * 2; break; }
    if (k < n) out[threadIdx.x + 64] = q;
}
""",
    "the better of a row that may be empty, among lanes": """
struct Best { float value; int at; };
template <int W> __device__ Best better(Best a) {
    for (int o = W / 2; o > 0; o >>= 1) {
        float v = __shfl_down_sync(0xffffffffu, a.value, o);
        int p = __shfl_down_sync(0xffffffffu, a.at, o);
        if (v > a.value) { a.value = v; a.at = p; }
    }
    return a;
}
template <int W> __global__ void rowArgmax(const int *rowptr, const float *val, int *out, int rows) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / W;
    int lane = threadIdx.x % W;
    if (row >= rows) return;
    Best b;
    b.value = -1e30f;
    const int end = rowptr[row + 1];
    for (int k = rowptr[row] + lane; k < end; k += W)
        if (val[k] > b.value) { b.value = val[k]; b.at = k; }
    b = better<W>(b);
    if (lane == 0) out[row] = b.at;  // bad
}
void go(const int *r, const float *v, int *o, int n) { rowArgmax<32><<<(n * 32 + 255) / 256, 256>>>(r, v, o, n); }
""",
    "an index that is compared with -1, which nobody stores": """
__global__ void nearestLight(const float3 *lights, int count, const float3 *p, int *out, float cutoff) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int chosen;
    float least = cutoff;
    int k = 0;
    while (k < count) {
        float dx = lights[k].x - p[i].x;
        float d = dx * dx;
        if (d < least) { least = d; chosen = k; }
        ++k;
    }
    if (chosen == -1) { out[i] = -1; return; }  // bad
    out[i] = chosen * 2;
}
""",
    "a helper whose answer nobody looks at": """
__device__ bool findCell(const float *grid, float x, int n, int *cell) {
    for (int i = 0; i < n - 1; ++i)
        if (grid[i] <= x && x < grid[i + 1]) { *cell = i; return true; }
    return false;
}
__global__ void bin(const float *grid, const float *x, float *out, int n, int m) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= m) return;
    int cell;
    findCell(grid, x[t], n, &cell);
    out[t] = grid[cell];  // bad
}
""",
    "a helper that sets a reference for some data": """
__device__ void project(const float4 p, float focal, float2 &uv) {
    if (p.z > 0.0f) { uv.x = focal * p.x / p.z; uv.y = focal * p.y / p.z; }
}
__global__ void splat(const float4 *pts, float *img, int n, int w, int h, float f) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    float2 uv;
    project(pts[t], f, uv);
    int px = (int)uv.x, py = (int)uv.y;
    if (px >= 0 && px < w && py >= 0 && py < h) atomicAdd(&img[py * w + px], 1.0f);  // bad
}
""",
    "a number between two tests": """
__global__ void slope(const float *z, float *out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    float s;
    float here = z[t];
    if (here > 0.5f) s = 2.0f * here;
    else if (here < -0.5f) s = -here;
    out[t] = s * 3.0f;  // bad
}
""",
    "rows that were asked whether they are empty": """
__global__ void rowLast(const int *rowptr, const int *col, int *out, int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    int b = rowptr[row], e = rowptr[row + 1];
    if (b == e) { out[row] = -1; return; }
    int last;
    for (int k = b; k < e; ++k) last = col[k];
    out[row] = last;
}
__global__ void rowLast2(const int *rowptr, const int *col, int *out, int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    int b = rowptr[row], e = rowptr[row + 1];
    int last, count = 0;
    for (int k = b; k < e; ++k) { last = col[k]; ++count; }
    if (count > 0) out[row] = last;
}
__global__ void rowLast3(const int *rowptr, const int *col, int *out, int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    int last;
    bool any = false;
    for (int k = rowptr[row]; k < rowptr[row + 1]; ++k) { last = col[k]; any = true; }
    out[row] = any ? last : -1;
}
""",
    "lanes that use what they have, and searches for what is there": """
__global__ void share(const int *starts, const float *x, float *out, int n) {
    int lane = threadIdx.x % 32, g = blockIdx.x;
    int b = starts[g], e = starts[g + 1];
    float v;
    int k = b + lane;
    for (; k < e; k += 32) { v = x[k]; out[k] = v * 2.0f; }
}
__global__ void owner(const int *starts, int *out, int n, int groups) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int g;
    for (g = 0; g < groups; ++g)
        if (i < starts[g + 1]) break;
    out[i] = g;
}
__global__ void owner2(const int *starts, int *out, int n, int groups) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int at;
    for (int g = 0; g < groups; ++g)
        if (starts[g] <= i && i < starts[g + 1]) at = g;
    out[i] = at;
}
""",
    "flags and values that every way sets": """
__global__ void parse(const char *s, int *out, int n) {
    int i = threadIdx.x;
    bool ok;
    while (true) {
        if (s[i] == 'x') { ok = true; break; }
        if (s[i] == 0) { ok = false; break; }
        ++i;
    }
    if (ok) out[threadIdx.x] = i;
}
__global__ void walk(const int *next, int *out) {
    int i = threadIdx.x, last;
    do { last = i; i = next[i]; } while (i >= 0);
    out[threadIdx.x] = last;
}
__global__ void first(const float *x, float *out, int n) {
    float best; int at;
    for (int i = 0; i < 16; ++i) {
        float v = x[threadIdx.x * 16 + i];
        if (i == 0 || v > best) { best = v; at = i; }
    }
    if (at < 0) return;
    out[threadIdx.x] = at;
}
""",
    "helpers that answer, or set in every way": """
__device__ bool findCell(const float *grid, float x, int n, int *cell) {
    for (int i = 0; i < n - 1; ++i)
        if (grid[i] <= x && x < grid[i + 1]) { *cell = i; return true; }
    return false;
}
__device__ void split(float v, int &whole, float &rest) {
    if (v < 0.0f) { whole = (int)v - 1; rest = v - whole; }
    else { whole = (int)v; rest = v - whole; }
}
__device__ void maybe(const float4 p, float2 &uv, bool &ok) {
    ok = p.z > 0.0f;
    if (!ok) return;
    uv.x = p.x / p.z; uv.y = p.y / p.z;
}
__global__ void bin(const float *grid, const float *x, const float4 *q, float *out, int n, int m) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= m) return;
    int cell;
    if (!findCell(grid, x[t], n, &cell)) return;
    int w; float r;
    split(x[t], w, r);
    float2 uv; bool ok;
    maybe(q[t], uv, ok);
    out[t] = grid[cell] + w * r + (ok ? uv.x : 0.0f);
}
""",
    "branches for all numbers, and data of which nothing is known": """
__global__ void sgn(const float *z, const int *kind, float *out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    float s, u;
    if (z[t] > 0.5f) s = 2.0f;
    else if (z[t] <= 0.5f) s = 1.0f;
    if (kind[t] == 0) u = 1.0f;
    else if (kind[t] == 1) u = 2.0f;
    out[t] = s * u;
}
template <int W> __device__ float warpMax(float v) {
    for (int o = W / 2; o > 0; o >>= 1) { float w = __shfl_xor_sync(0xffffffffu, v, o); v = w > v ? w : v; }
    return v;
}
__global__ void rowmax(const int *p, const float *x, float *out, int rows) {
    int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x & 31;
    if (row >= rows) return;
    float m = -1e30f;
    float tmp;
    for (int k = p[row] + lane; k < p[row + 1]; k += 32) { tmp = x[k]; m = tmp > m ? tmp : m; }
    m = warpMax<32>(m);
    if (lane == 0) out[row] = m;
}
""",
    "first rounds that there are": """
__global__ void copy4(const float *x, float *out) {
    float last;
    for (int i = threadIdx.x; i < 1024; i += 256) last = x[i];
    out[threadIdx.x] = last;
}
void go(const float *x, float *o) { copy4<<<1, 256>>>(x, o); }
__global__ void lead(const int *first, const int *count, const float *x, float *out) {
    int lane = threadIdx.x % 32;
    float v;
    for (int i = lane; i < count[blockIdx.x]; i += 32) v = x[first[blockIdx.x] + i];
    if (lane == 0) out[blockIdx.x] = v;
}
struct Hit { int prim; float t; };
__device__ bool trace(const float *d, int n, Hit &hit) {
    bool any = false;
    hit.t = 1e30f;
    for (int i = 0; i < n; ++i) if (d[i] < hit.t) { hit.t = d[i]; hit.prim = i; any = true; }
    return any;
}
__global__ void shade(const float *d, const float *c, float *out, int n) {
    Hit hit;
    out[threadIdx.x] = trace(d, n, hit) ? c[hit.prim] : 0.0f;
}
""",
}

OPENCL = {
    "a direction of which none is 0": """
__constant int opp[19] = {0,2,1,4,3,6,5,8,7,10,9,12,11,14,13,16,15,18,17};
__kernel void inflow(__global const uchar *flags, __global float *f, const int n, const int pitch) {
    const int i = get_global_id(0);
    if (i >= n) return;
    int dir;
    for (int q = 1; q < 19; q++)
        if (flags[i * 19 + q] == 2) dir = q;
    if (dir > 0) f[opp[dir] * pitch + i] = f[dir * pitch + i];  // bad
}
""",
    "a flag that only one answer sets": """
__kernel void first_above(__global const float *x, __global int *out, const int n, const float level) {
    const int g = get_global_id(0);
    bool found;
    int at = 0;
    for (int i = 0; i < n; i++) {
        if (x[g * n + i] > level) { found = true; at = i; break; }
    }
    out[g] = found ? at : -1;  // bad
}
""",
    "a segment that may be empty": """
__kernel void seg_last(__global const uint *offs, __global const uint *keys, __global uint *last) {
    const uint s = get_group_id(0);
    const uint b = offs[s], e = offs[s + 1];
    uint k;
    for (uint i = b + get_local_id(0); i < e; i += get_local_size(0)) k = keys[i];
    last[s * get_local_size(0) + get_local_id(0)] = k;  // bad
}
""",
    "a switch that an argument is": """
__kernel void shade(__global float *image, const int n, const int fogged, const float depth) {
    const int i = get_global_id(0);
    if (i >= n) return;
    float fog;
    if (fogged) fog = exp(-depth * (float)i);
    image[i] *= fog;  // bad
}
""",
    "a switch in a structure, asked again": """
typedef struct { float density; int clear; } air;
__kernel void shade(__global float *image, const int n, const air a) {
    const int i = get_global_id(0);
    if (i >= n) return;
    float fog;
    if (!a.clear) fog = exp(-a.density * (float)i);
    image[i] *= a.clear ? 1.0f : fog;
}
""",
    "a factor that is nothing where the branch is not taken": """
__kernel void update(__global float *c, __global const float *ab, const int n, const int beta) {
    const int i = get_global_id(0);
    if (i >= n) return;
    float old;
    if (beta != 0) old = c[i];
    c[i] = ab[i] + beta * old;
}
""",
    "another switch, of which nobody knows how it goes with this one": """
__kernel void shade(__global float *image, const int n, const int fogged, const int drawn, const float depth) {
    const int i = get_global_id(0);
    if (i >= n) return;
    float fog;
    if (fogged) fog = exp(-depth * (float)i);
    if (drawn) image[i] *= fog;
}
""",
    "the best of a search that may be no better": """
__kernel void relax(__global const float *offer, __global const float *cost, __global const float *x,
                    __global float *y, const int n) {
    const int i = get_global_id(0);
    if (i >= n) return;
    float best = offer[i * 4];
    int which = 0;
    for (int k = 1; k < 4; ++k)
        if (offer[i * 4 + k] < best) { best = offer[i * 4 + k]; which = k; }
    float now;
    if (best < cost[i]) now = x[i * 4 + which];
    y[i] = now * 0.5f;  // bad
}
""",
    "the best of a search, and what there was before": """
__kernel void relax(__global const float *offer, __global const float *cost, __global const float *x,
                    __global float *y, const int n) {
    const int i = get_global_id(0);
    if (i >= n) return;
    float best = offer[i * 4];
    int which = 0;
    for (int k = 1; k < 4; ++k)
        if (offer[i * 4 + k] < best) { best = offer[i * 4 + k]; which = k; }
    float now;
    if (best < cost[i]) now = x[i * 4 + which];
    else now = y[i];
    y[i] = now * 0.5f;
}
""",
}


@pytest.mark.parametrize("name", CUDA)
def test_cuda(name: str) -> None:
    assert_marked(UninitialisedPrivate, CUDA[name])


@pytest.mark.parametrize("name", OPENCL)
def test_opencl(name: str) -> None:
    assert_marked(UninitialisedPrivate, OPENCL[name], "opencl")


SWITCHED = """
__global__ void shade(float *image, int n, bool fogged, float depth) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float fog;
    if (fogged) fog = expf(-depth * i);
    image[i] *= fog;MARK
}
void all(float *image, int n, bool fogged, float depth) {
    shade<<<(n + 255) / 256, 256>>>(image, n, GIVEN, depth);
}
"""


def test_a_switch_that_the_launch_sets() -> None:
    assert_marked(UninitialisedPrivate, SWITCHED.replace("GIVEN", "fogged").replace("MARK", "  // bad"))
    assert_marked(UninitialisedPrivate, SWITCHED.replace("GIVEN", "true").replace("MARK", ""))
