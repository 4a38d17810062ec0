"""Tests that let a place get past its row, its array, or what is asked of it elsewhere in the kernel."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from kernlint.finding import Severity
from tests.rules.marked import findings


def loud(rule: type, source: str, language: str = "cuda") -> bool:
    return any(one.severity is not Severity.NOTE for one in findings(rule, source, language))


GRIDS = """
#define SLOTS 24
__global__ void bucket(const int *seen, const float4 *from, float4 *to, unsigned *used, unsigned room, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int m = min(seen[i], SLOTS);
    unsigned b = atomicAdd(used, 1u);
    if (b >= room) return;
    for (int s = 0; TEST; ++s) to[b * SLOTS + s] = from[i * SLOTS + s];
}
"""


@pytest.mark.parametrize(("test", "told"), [("s < m", False), ("s <= m", True), ("s <= m - 1", False)])
def test_rows_of_constant_length(test: str, told: bool) -> None:
    assert loud(WrongBoundsGuard, GRIDS.replace("TEST", test)) is told


ADDED = """
__global__ void overlap(const float *from, float *to, int n) {
    int k = threadIdx.x;
    if (k < 48) atomicAdd(&to[blockIdx.x * 32 + k], from[blockIdx.x * 48 + k]);
}
"""


def test_rows_that_are_meant_to_overlap() -> None:
    assert not loud(WrongBoundsGuard, ADDED)


STAGED = """
#define W 32
__global__ void stages(const float *in, float *out, int rounds) {
    __shared__ float s[2][W];
    const size_t first = (size_t)blockIdx.x * rounds * W;
    const int t = threadIdx.x;
    s[0][t] = in[first + t];
    float sum = 0.f;
    for (int r = 0; r < rounds; ++r) {
        __syncthreads();
        if (TEST) s[r % 2][t] = in[first + (size_t)(r + 2) * W + t];
        sum += s[r % 2][W - 1 - t];
    }
    out[blockIdx.x * W + t] = sum;
}
"""


@pytest.mark.parametrize(("test", "told"), [("r + 2 < rounds", False), ("r + 2 <= rounds", True)])
def test_rows_of_tiles(test: str, told: bool) -> None:
    assert loud(WrongBoundsGuard, STAGED.replace("TEST", test)) is told


CELLS = """
__kernel void pairs(__global const float4 *where, __global const int *begin, __global float *near) {
    const int l = get_local_id(0), first = begin[get_group_id(0)], end = begin[get_group_id(0) + 1];
    for (int at = first; at < end; at += 32) {
        const int i = at + l;
        const float4 me = i < end ? where[i] : (float4)(0.0f);
        float sum = 0.0f;
        for (int other = first; other < end; other += 32) {
            const int j = other + l;
            if (TEST) sum += distance(me.xyz, where[j].xyz);
        }
        if (i < end) near[i] = sum;
    }
}
"""


@pytest.mark.parametrize(("test", "told"), [("j < end", False), ("j < end + 1", True), ("j <= end - 1", False)])
def test_ends_from_memory(test: str, told: bool) -> None:
    assert loud(WrongBoundsGuard, CELLS.replace("TEST", test), "opencl") is told


BLEND = """
struct Warp { float m[6]; };
__device__ float3 colour(const unsigned char *p) { return make_float3(p[0], p[1], p[2]); }
__global__ void blend(const unsigned char *src, int pitch, int sw, int sh, float3 *dst, int w, int h, Warp a) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float sx = a.m[0] * x + a.m[1] * y + a.m[2], sy = a.m[3] * x + a.m[4] * y + a.m[5];
    float3 p = make_float3(0, 0, 0), q = p;
    if (sx > -1.f && sx < sw && sy > -1.f && sy < sh) {
        int l = (int)floorf(sx), t = (int)floorf(sy), r = l + 1, b = t + 1;
        if (r < sw && t >= 0) p = colour(src + t * pitch + r * 3);
        if (TEST) q = colour(src + b * pitch + r * 3);
    }
    dst[y * w + x] = make_float3(p.x + q.x, p.y + q.y, p.z + q.z);
}
"""


@pytest.mark.parametrize(
    ("test", "told"), [("r < sw && b < sh", False), ("r < sh && b < sh", True), ("r < sh && b < sh && r < sw", False)]
)
def test_the_end_of_the_other_axis(test: str, told: bool) -> None:
    assert loud(WrongBoundsGuard, BLEND.replace("TEST", test)) is told


TEXT = """
#define MOST 96
__global__ void compare(const char *rows, const int *lengths, int stride, int of, int n, int *same) {
    __shared__ char one[MOST];
    const int len = min(lengths[of], MOST);
    for (int p = threadIdx.x; TEST; p += blockDim.x) one[p] = rows[(size_t)of * stride + p];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    if (i >= n) return;
    for (int p = 0; p < min(len, lengths[i]); ++p) sum += one[p] == rows[(size_t)i * stride + p];
    same[i] = sum;
}
"""


@pytest.mark.parametrize(("test", "told"), [("p < len", False), ("p < len + 1", True), ("p + 1 < len + 1", False)])
def test_what_is_clamped_to_the_length_of_an_array(test: str, told: bool) -> None:
    assert loud(ArrayIndexOutOfRange, TEXT.replace("TEST", test)) is told


TILES = """
#define T 128
__kernel __attribute__((reqd_work_group_size(T, 1, 1)))
void forces(__global const float4 *body, __global float4 *force, const uint n) {
    __local float4 near[T];
    const uint i = get_global_id(0), l = get_local_id(0);
    float3 sum = (float3)(0.0f);
    for (uint first = 0; first < n; first += T) {
        if (first + l < n) near[l] = body[first + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint j = 0; TEST; ++j) sum += near[j].xyz * near[j].w;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < n) force[i] = (float4)(sum, 0.0f);
}
"""


@pytest.mark.parametrize(
    ("test", "told"),
    [("j < T && first + j < n", False), ("first + j < n", True), ("j < min((uint)T, n - first)", False)],
)
def test_tiles_of_a_whole(test: str, told: bool) -> None:
    assert loud(ArrayIndexOutOfRange, TILES.replace("TEST", test), "opencl") is told


SCANNED = """
__global__ void scan(int *counts, int *totals, int n) {
    __shared__ int s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = i < n ? counts[i] : 0;
    for (int d = 1; d < 256; d *= 2) {
        __syncthreads();
        int v = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += v;
    }
    if (t == 255) totals[blockIdx.x] = s[t];
    if (TEST) counts[i] = s[t];
}
void run(int *counts, int *totals, int n) { scan<<<BLOCKS, 256>>>(counts, totals, n); }
"""


@pytest.mark.parametrize(
    ("test", "blocks", "told"),
    [
        ("i < n", "(n + 255) / 256", False),
        ("i <= n", "(n + 255) / 256", True),
        ("i <= n", "(n + 256) / 256", False),  # one more than there are counts
    ],
)
def test_integers_in_a_grid_for_as_many(test: str, blocks: str, told: bool) -> None:
    assert loud(WrongBoundsGuard, SCANNED.replace("TEST", test).replace("BLOCKS", blocks)) is told


QUADS = """
__global__ void fold(const uint4 *leaf, uint4 *node, int nodes) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (TEST) return;
    uint4 s = make_uint4(0, 0, 0, 0);
    for (int k = 0; k < 4; ++k) s.x = s.x * 33 ^ leaf[4 * i + k].x;
    node[2 * i] = s;
    node[2 * i + 1] = leaf[4 * i];
}
void run(const uint4 *leaf, uint4 *node, int nodes) { fold<<<(nodes + MORE) / 128, 128>>>(leaf, node, nodes); }
"""


@pytest.mark.parametrize(
    ("test", "more", "told"),
    [("i >= nodes", 127, False), ("i > nodes", 127, True), ("i >= nodes + 1", 127, True), ("i > nodes", 128, False)],
)
def test_several_elements_of_an_item_in_a_grid_for_as_many(test: str, more: int, told: bool) -> None:
    assert loud(WrongBoundsGuard, QUADS.replace("TEST", test).replace("MORE", str(more))) is told


TAGS = """
#define BINS 48
__global__ void tally(const int *tag, int n, unsigned *out) {
    __shared__ unsigned bin[BINS];
    for (int k = threadIdx.x; k < BINS; k += blockDim.x) bin[k] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        const int t = tag[i];
        if (TEST) atomicAdd(&bin[PLACE], 1u);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < BINS; k += blockDim.x) out[k] = bin[k];
}
"""


@pytest.mark.parametrize(
    ("test", "place", "told"),
    [
        ("t < 0 && t >= -BINS", "-t", True),
        ("t < 0 && t > -BINS", "-t", False),
        ("t < 0 && t >= -BINS", "-t - 1", False),
        ("t <= BINS && t >= 0", "BINS - t", True),
        ("t <= BINS && t > 0", "BINS - t", False),
    ],
)
def test_numbers_that_are_taken_away(test: str, place: str, told: bool) -> None:
    assert loud(ArrayIndexOutOfRange, TAGS.replace("TEST", test).replace("PLACE", place)) is told


JOBS = """
#define TURNS 24
#define NODES 96
typedef struct { int turn, turns, node, nodes; } Job;
__kernel void score(__global const Job *jobs, __global const float *angle, __global const float4 *at,
                    __global float *out, const int count, __global const int *nodes_of) {
    const int id = get_global_id(0);
    if (id >= count) return;
    float turn[TURNS];
    float4 node[NODES];
    const Job job = jobs[id];
    const int turns = min(job.turns, TURNS), nodes = MANY;
    TEST
    float sum = 0.0f;
    for (int k = 0; k < turns; ++k) turn[k] = angle[job.turn + k];
    for (int k = 0; k < nodes; ++k) node[k] = at[job.node + k];
    for (int k = 0; k < nodes; ++k)
        for (int m = 0; m < turns; ++m) sum += node[k].w * turn[m];
    out[id] = sum;
}
"""


@pytest.mark.parametrize(
    ("many", "test", "told"),
    [
        ("job.nodes", "", True),
        ("min(job.nodes, NODES)", "", False),
        ("job.nodes < NODES ? job.nodes : NODES", "", False),
        ("job.nodes", "if (job.nodes > NODES) return;", False),
        ("nodes_of[id]", "", False),
    ],
)
def test_counts_of_one_element(many: str, test: str, told: bool) -> None:
    code = JOBS.replace("MANY", many).replace("TEST", test)
    found = [*findings(ArrayIndexOutOfRange, code, "opencl"), *findings(WrongBoundsGuard, code, "opencl")]
    found += findings(MissingBoundsGuard, code, "opencl")
    assert bool(found) is told, [one.message for one in found]


RANGES = """
#define PART 512
#define EACH 4
__global__ void fold(const float2 *pairs, const int *begins, float *out) {
    __shared__ float2 held[PART + EACH];
    const int begin = begins[blockIdx.x], end = begins[blockIdx.x + 1];
    float sum = 0.0f;
    for (int at = begin; at < end; at += PART) {
        const int here = min(PART, end - at);
        for (int t = threadIdx.x * EACH; t < here; t += blockDim.x * EACH)
            for (int k = 0; k < EACH; ++k) TEST held[t + k] = pairs[at + t + k];
        __syncthreads();
        for (int t = USER; t < here; t += STEP) sum += held[t].x * held[t].y;
        __syncthreads();
    }
    atomicAdd(&out[blockIdx.x], sum);
}
"""


@pytest.mark.parametrize(
    ("test", "user", "step", "told"),
    [
        ("", "threadIdx.x", "blockDim.x", True),
        ("if (t + k < here)", "threadIdx.x", "blockDim.x", False),
        ("", "threadIdx.x * EACH", "blockDim.x * EACH", False),
    ],
)
def test_groups_of_a_range_that_memory_says(test: str, user: str, step: str, told: bool) -> None:
    code = RANGES.replace("TEST", test).replace("USER", user).replace("STEP", step)
    assert loud(MissingBoundsGuard, code) is told
