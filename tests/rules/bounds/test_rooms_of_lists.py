"""Slots of lists whose room is at hand: a member, an argument behind the counter, what the host allocates."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard

from tests.rules.marked import findings

QUEUE = """
struct Bag {
    int *data; int *tail; int room;
    __device__ void put(int v) { int at = atomicAdd(tail, 1); PUT data[at] = v; }
    __device__ int get(int i) const { return GET; }
};
__global__ void grow(const int *first, const int *next, int *depth, int d, Bag from, Bag to, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    int v = from.get(t);
    for (int e = first[v]; e < first[v + 1]; ++e)
        if (CLAIM) to.put(next[e]);
}
"""


@pytest.mark.parametrize(
    ("put", "get", "claim", "bad"),
    [
        ("", "i < room ? data[i] : 0", "depth[next[e]] < 0", True),
        ("if (at < room)", "i < room ? data[i] : 0", "depth[next[e]] < 0", False),
        ("", "data[i]", "depth[next[e]] < 0", False),
        ("", "i < room ? data[i] : 0", "atomicCAS(&depth[next[e]], -1, d) == -1", False),
    ],
)
def test_the_member_that_other_places_are_kept_below(put: str, get: str, claim: str, bad: bool) -> None:
    code = QUEUE.replace("PUT", put).replace("GET", get).replace("CLAIM", claim)
    found = findings(ArrayIndexOutOfRange, code)
    assert bool(found) is bad, found
    assert not bad or "to.room" in found[0].message


RUNS = """
__global__ void flush(const int *in, int n, int *list, int *count, int room) {
    __shared__ int kept[128];
    __shared__ int many, base;
    if (threadIdx.x == 0) many = 0;
    __syncthreads();
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i < n && in[i] > 0) kept[atomicAdd(&many, 1)] = i;
    __syncthreads();
    if (threadIdx.x == 0) base = atomicAdd(count, many);
    __syncthreads();
    for (int k = threadIdx.x; k < many TEST; k += 128) list[base + k] = kept[k];
}
"""


@pytest.mark.parametrize(("test", "bad"), [("", True), ("&& base + k < room", False)])
def test_runs_that_a_block_draws_for_its_threads(test: str, bad: bool) -> None:
    assert bool(findings(MissingBoundsGuard, RUNS.replace("TEST", test))) is bad


FOUND = """
__global__ void found(const unsigned char *hit, int n, int *list, int *count) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < END; i += gridDim.x * blockDim.x)
        if (hit[i]) {
            int at = atomicAdd(count, 1);
            TEST list[at] = i;
        }
}
void run(const unsigned char *hit, int n, int *count) {
    int *list;
    cudaMalloc(&list, 2048 * sizeof(int));
    found<<<64, 128>>>(hit, n, list, count);
}
"""


@pytest.mark.parametrize(("end", "test", "bad"), [("n", "", True), ("n", "if (at < 2048)", False), ("999", "", False)])
def test_loops_over_all_items_find_more_than_a_list_has_room_for(end: str, test: str, bad: bool) -> None:
    assert bool(findings(ArrayIndexOutOfRange, FOUND.replace("END", end).replace("TEST", test))) is bad


LINKS = """
struct Links { uint2 *pair; unsigned *count; unsigned room; const float *w; int n; };
__device__ void link(const Links &all, unsigned a, unsigned b) {
    unsigned k = atomicAdd(all.count, 1u);
    TEST all.pair[k] = make_uint2(a, b);
}
__global__ void links(Links all, float least) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= all.n) return;
    for (int j = 0; j < i; ++j)
        if (all.w[(size_t)i * all.n + j] > least) link(all, i, j);
}
"""


@pytest.mark.parametrize(("test", "bad"), [("", True), ("if (k < all.room)", False)])
def test_the_room_in_an_object_that_a_helper_is_given(test: str, bad: bool) -> None:
    assert bool(findings(MissingBoundsGuard, LINKS.replace("TEST", test))) is bad


HEADS = """
typedef struct { uint count; uint room; } head_t;
__kernel void near(__global const float4 *box, const uint n, __global head_t *head, __global uint *ids, float far) {
    uint i = get_global_id(0);
    if (i >= n) return;
    if (box[i].w < far) { uint at = atomic_inc(&head->count); HERE ids[at] = i; }
}
__kernel void all(__global const float4 *box, const uint n, __global head_t *head, __global uint *ids) {
    uint i = get_global_id(0);
    if (i >= n) return;
    if (box[i].w > 0.0f) { uint at = atomic_inc(&head->count); if (at < head->room) ids[at] = i; }
}
"""


@pytest.mark.parametrize(("here", "bad"), [("", True), ("if (at < head->room)", False)])
def test_the_room_that_stands_in_memory_beside_the_counter(here: str, bad: bool) -> None:
    assert bool(findings(ArrayIndexOutOfRange, HEADS.replace("HERE", here), "opencl")) is bad


SIDES = """
struct Sides { int *low; int *high; int *lows; int *highs; int room; };
__global__ void part(const float *key, int n, float middle, Sides s) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    if (key[t] < middle) { int at = atomicAdd(s.lows, 1); FIRST s.low[at] = t; }
    else { int at = atomicAdd(s.highs, 1); SECOND s.high[at] = t; }
}
"""


@pytest.mark.parametrize(
    ("first", "second", "bad"), [("if (at < s.room)", "", True), ("if (at < s.room)", "if (at < s.room)", False)]
)
def test_the_list_beside_in_one_object(first: str, second: str, bad: bool) -> None:
    assert bool(findings(ArrayIndexOutOfRange, SIDES.replace("FIRST", first).replace("SECOND", second))) is bad


WORDS = """
__global__ void spell(const char *text, int length, const char *word, int m, int *at, int *count, int most) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i + m <= length; i += blockDim.x * gridDim.x) {
        bool same = true;
        for (int j = 0; j < m && same; ++j) same = text[i + j] == word[j];
        if (same) { int slot = atomicAdd(count, 1); TEST at[slot] = i; }
    }
}
"""


@pytest.mark.parametrize(("test", "bad"), [("", True), ("if (slot < most)", False)])
def test_what_loops_over_data_come_to_decides_who_takes_a_slot(test: str, bad: bool) -> None:
    assert bool(findings(MissingBoundsGuard, WORDS.replace("TEST", test))) is bad
