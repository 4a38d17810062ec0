"""Slots that counters hand out, and lists that have no room for as many."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange

from tests.rules.marked import findings

USED = """
struct Pool { int2 *pairs; int *n_pairs; int most; };
__global__ void find(const float *x, int n, Pool pool) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= ITEMS) return;
    if (x[i] <= 0.5f) return;
    KEPT
    const int at = atomicAdd(pool.n_pairs, 1);
    STORE
}
__global__ void use(Pool p, float *y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    USE
}
"""
CLAMPED = "if (i >= min(*p.n_pairs, p.most)) return; const int2 a = p.pairs[i]; y[a.x] += a.y;"
LOOP = "for (int k = 0; k < *p.n_pairs && k < p.most; ++k) y[p.pairs[k].x] += i;"
PLAINLY = "if (i >= *p.n_pairs) return; const int2 a = p.pairs[i]; y[a.x] += a.y;"


@pytest.mark.parametrize(
    ("items", "kept", "store", "use", "bad"),
    [
        ("n", "", "pool.pairs[at] = make_int2(i, n);", CLAMPED, True),
        ("n", "", "pool.pairs[at].x = i; pool.pairs[at].y = n;", CLAMPED, True),
        ("n", "", "pool.pairs[at] = make_int2(i, n);", LOOP, True),
        ("n", "", "if (at <= pool.most) pool.pairs[at] = make_int2(i, n);", CLAMPED, True),
        ("n", "", "if (at > pool.most) return; pool.pairs[at] = make_int2(i, n);", CLAMPED, True),
        ("n", "", "pool.pairs[at] = make_int2(i, n);", PLAINLY, False),
        ("n", "", "if (at < pool.most) pool.pairs[at] = make_int2(i, n);", CLAMPED, False),
        ("n", "", "if (at >= pool.most) return; pool.pairs[at] = make_int2(i, n);", CLAMPED, False),
        ("n", "", "pool.pairs[min(at, pool.most - 1)] = make_int2(i, n);", CLAMPED, False),
        ("n", "", "pool.pairs[at % pool.most] = make_int2(i, n);", CLAMPED, False),
        ("n", "if (*pool.n_pairs >= pool.most) return;", "pool.pairs[at] = make_int2(i, n);", CLAMPED, False),
        ("pool.most", "", "pool.pairs[at] = make_int2(i, n);", CLAMPED, False),  # as many as there are items
        ("n", "", "pool.pairs[at] = make_int2(i, n);", CLAMPED.replace("p.pairs[i]", "make_int2(i, i)"), False),
    ],
)
def test_another_kernel_goes_as_far_as_there_is_room(items: str, kept: str, store: str, use: str, bad: bool) -> None:
    code = USED.replace("ITEMS", items).replace("KEPT", kept).replace("STORE", store).replace("USE", use)
    assert bool(findings(ArrayIndexOutOfRange, code)) is bad


ROWS = """
#define ROOM 48
__kernel void gather(__global const int *cell, __global int *fill, __global int *items, const int n) {
    const int i = get_global_id(0);
    if (i >= n) return;
    const int c = cell[i];
    const int at = atomic_inc(&fill[c]);
    items[c * PITCH + at] = i;
}
__kernel void count(__global const int *fill, __global const int *items, __global int *out, const int cells) {
    const int c = get_global_id(0);
    if (c >= cells) return;
    const int m = END;
    int sum = 0;
    for (int k = 0; k < m; ++k) sum += items[c * PITCH + k];
    out[c] = sum;
}
"""


@pytest.mark.parametrize(
    ("pitch", "end", "bad"),
    [
        ("ROOM", "min(fill[c], ROOM)", True),
        ("ROOM", "fill[c] < ROOM ? fill[c] : ROOM", True),
        ("ROOM", "fill[c]", True),  # data say whose row it is, and each has a counter
        ("6", "fill[c]", False),  # so few neighbours there may be by nature
        ("(ROOM + n)", "fill[c]", False),
    ],
)
def test_rows_that_another_kernel_reads_as_far_as_there_is_room(pitch: str, end: str, bad: bool) -> None:
    found = findings(ArrayIndexOutOfRange, ROWS.replace("PITCH", pitch).replace("END", end), "opencl")
    assert bool(found) is bad


RECORDS = """
struct Found { unsigned n; struct { unsigned at; unsigned word[2]; } row[ROOM]; };
__global__ void search(Found *found, const unsigned *key, unsigned first, unsigned least, int n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned h = (first + i) * 2654435761u ^ key[i & 7];
    TEST
    const unsigned at = atomicAdd(&found->n, 1u);
    STORE
}
LAUNCH
"""
STORE = "found->row[at].at = i; for (int k = 0; k < 2; ++k) found->row[at].word[k] = h >> k;"


@pytest.mark.parametrize(
    ("test", "store", "room", "launch", "bad"),
    [
        ("if (h > least) return;", STORE, "8", "", True),
        ("if (h > least) return;", f"if (at < 8) {{ {STORE} }}", "8", "", False),
        ("if (h > least) return;", STORE.replace("[at]", "[at & 7]"), "8", "", False),
        ("if (h > least) return;", STORE, "1", "", False),  # as many as follow
        ("if (h > least) return;", STORE, "100000", "", False),
        ("if (threadIdx.x != 0) return;", STORE, "8", "", False),
        ("if (i >= n) return;", STORE, "8", "", False),
        (
            "if (h > least) return;",
            STORE,
            "256",
            "void run(Found *f, const unsigned *k, int n) { search<<<2, 128>>>(f, k, 1u, 7u, n); }",
            False,
        ),
    ],
)
def test_records_in_an_object_of_constant_size(test: str, store: str, room: str, launch: str, bad: bool) -> None:
    code = RECORDS.replace("TEST", test).replace("STORE", store).replace("ROOM", room).replace("LAUNCH", launch)
    assert bool(findings(ArrayIndexOutOfRange, code)) is bad


LEFT = """
struct Log { int2 *rows; UNSIGNED *used; UNSIGNED room; };
__global__ void note(const int *x, Log log, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || x[i] < 0) return;
    FIRST
    const UNSIGNED at = atomicAdd(log.used, 2u);
    if (TEST) { log.rows[at] = make_int2(i, x[i]); log.rows[at + 1] = make_int2(i, -x[i]); }
}
"""


@pytest.mark.parametrize(
    ("type_", "first", "test", "bad"),
    [
        ("unsigned", "", "log.room - at >= 2u", True),
        ("unsigned", "", "!(log.room - at < 2u)", True),
        ("unsigned", "", "log.room - at > 1", True),
        ("unsigned", "", "at <= log.room && log.room - at >= 2u", False),
        ("unsigned", "", "at + 2u <= log.room", False),
        ("unsigned", "", "(int)(log.room - at) >= 2", False),
        ("int", "", "log.room - at >= 2", False),
        ("unsigned", "if (*log.used + 2u > log.room) return;", "log.room - at >= 2u", False),
    ],
)
def test_what_is_left_is_less_than_nothing(type_: str, first: str, test: str, bad: bool) -> None:
    code = LEFT.replace("UNSIGNED", type_).replace("FIRST", first).replace("TEST", test)
    assert bool(findings(ArrayIndexOutOfRange, code)) is bad


COUNTED = """
#define ROOM 24
__global__ void hits(const float4 *ray, const float4 *ball, int rays, int balls, int *list, int *count) {
    __shared__ int have;
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    FILL
}
__global__ void shade(const int *list, const int *count, float *out, int rays) {
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rays) return;
    for (int k = 0; k < END; ++k) out[r] += list[PLACE];
}
"""
ROW, COLUMN, BLOCK = "r * ROOM + K", "K * rays + r", "blockIdx.x * ROOM + K"
OWN = """
    if (r >= rays) return;
    int n = 0;
    for (int b = 0; b < balls; ++b) if (ray[r].x < ball[b].x TEST) { list[STORE] = b; ++n; }
    count[r] = n;"""
IN_MEMORY = """
    if (r >= rays) return;
    count[r] = 0;
    for (int b = 0; b < balls; ++b) if (ray[r].x < ball[b].x TEST) { list[STORE] = b; count[r]++; }"""
OF_BLOCK = """
    if (threadIdx.x == 0) have = 0;
    __syncthreads();
    if (r < rays && ray[r].x < ball[0].x) { const int n = atomicAdd(&have, 1); if (1 TEST) list[STORE] = r; }
    __syncthreads();
    if (threadIdx.x == 0) count[blockIdx.x] = have;"""


@pytest.mark.parametrize(
    ("fill", "count", "place", "test", "end", "bad"),
    [
        (OWN, "n", ROW, "", "min(count[r], ROOM)", True),
        (OWN, "n", COLUMN, "", "min(count[r], ROOM)", True),
        (OWN, "n", COLUMN, "&& n <= ROOM", "min(count[r], ROOM)", True),
        (OWN, "n", COLUMN, "&& n < ROOM", "min(count[r], ROOM)", False),
        (OWN, "n", ROW, "&& n < 16", "min(count[r], ROOM)", False),
        (OWN, "n", ROW, "&& n != ROOM", "min(count[r], ROOM)", False),
        (OWN, "n", ROW, "", "count[r]", False),
        (OWN.replace("b < balls", "b < 20"), "n", ROW, "", "min(count[r], ROOM)", False),
        (IN_MEMORY, "count[r]", ROW, "", "min(count[r], ROOM)", True),
        (IN_MEMORY, "count[r]", ROW, "&& count[r] < ROOM", "min(count[r], ROOM)", False),
        (IN_MEMORY, "count[r]", ROW, "", "count[r]", False),
        (OF_BLOCK, "n", BLOCK, "", "min(count[blockIdx.x], ROOM)", True),
        (OF_BLOCK, "n", BLOCK, "&& n < ROOM", "min(count[blockIdx.x], ROOM)", False),
        (OF_BLOCK.replace("= have;", "= min(have, ROOM);"), "n", BLOCK, "&& n < ROOM", "count[blockIdx.x]", False),
    ],
)
def test_counts_that_are_left_in_memory(fill: str, count: str, place: str, test: str, end: str, bad: bool) -> None:
    code = COUNTED.replace("FILL", fill).replace("STORE", place.replace("K", count)).replace("TEST", test)
    code = code.replace("PLACE", place.replace("K", "k")).replace("END", end)
    assert bool(findings(ArrayIndexOutOfRange, code)) is bad


COPIED = """
#include <cuda_runtime.h>
#include <algorithm>
__global__ void close(const float *x, int n, float r, int2 *pair, int *found ROOM) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int j = i + 1; j < n; ++j)
        if (fabsf(x[i] - x[j]) < r) { const int k = atomicAdd(found, 1); TEST pair[k] = make_int2(i, j); }
}
int run(const float *x, int n, float r, int most, int2 *out) {
    int2 *pair;
    int *found, seen = 0;
    cudaMalloc(&pair, SIZE * sizeof(int2));
    cudaMalloc(&found, sizeof(int));
    cudaMemset(found, 0, sizeof(int));
    close<<<(n + 63) / 64, 64>>>(x, n, r, pair, found GIVEN);
    cudaMemcpy(&seen, found, sizeof(int), cudaMemcpyDeviceToHost);
    HELD
    cudaMemcpy(out, pair, seen * sizeof(int2), cudaMemcpyDeviceToHost);
    return seen;
}
"""


@pytest.mark.parametrize(
    ("test", "size", "held", "bad"),
    [
        ("", "most", "seen = std::min(seen, most);", True),
        ("", "most", "if (seen > most) seen = most;", True),
        ("", "4096", "seen = std::min(seen, 4096);", True),
        ("if (k < room)", "most", "seen = std::min(seen, most);", False),
        ("", "most", "", False),
        ("", "n * n", "seen = std::min(seen, most);", False),
        ("", "n", "seen = std::min(seen, n);", False),
    ],
)
def test_the_host_copies_as_many_as_there_is_room_for(test: str, size: str, held: str, bad: bool) -> None:
    code = COPIED.replace("TEST", test).replace("SIZE", size).replace("HELD", held)
    code = code.replace("ROOM", ", int room" if test else "").replace("GIVEN", ", most" if test else "")
    assert bool(findings(ArrayIndexOutOfRange, code)) is bad


HITS = """
#include <cuda_runtime.h>
constexpr unsigned kHits = 15;
__global__ void search(const unsigned *key, unsigned goal, unsigned *hits, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && (key[i] ^ goal) < 1000u) {
        const unsigned at = COUNT;
        TEST hits[at + 1] = i;
    }
}
void run(const unsigned *key, unsigned goal, unsigned n) {
    CHECK
    unsigned *hits;
    cudaMalloc(&hits, ROOM * sizeof(unsigned));
    cudaMemset(hits, 0, sizeof(unsigned));
    search<<<(n + 255) / 256, 256>>>(key, goal, hits, n);
}
"""


@pytest.mark.parametrize(
    ("count", "test", "check", "room", "bad"),
    [
        ("atomicAdd(&hits[0], 1u)", "", "", "(kHits + 1)", True),
        ("atomicInc(&hits[0], 0xffffffffu)", "", "", "(kHits + 1)", True),
        ("atomicInc(&hits[0], kHits - 1)", "", "", "(kHits + 1)", False),
        ("atomicAdd(&hits[0], 1u)", "if (at < kHits)", "", "(kHits + 1)", False),
        ("atomicAdd(&hits[0], 1u)", "", "if (n > 15) return;", "(kHits + 1)", False),
        ("atomicAdd(&hits[0], 1u)", "", "", "(n + 1)", False),
    ],
)
def test_lists_of_which_the_host_allocates_a_constant_number(
    count: str, test: str, check: str, room: str, bad: bool
) -> None:
    code = HITS.replace("COUNT", count).replace("TEST", test).replace("CHECK", check).replace("ROOM", room)
    found = findings(ArrayIndexOutOfRange, code)
    assert any("more than 15 to store" in one.message for one in found) is bad, [one.message for one in found]


OF_ITS_OWN = """
__global__ void sort(const int *key, int n, int *fill, int *items) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (TEST) return;
    const int row = ROW;
    const int at = atomicAdd(&fill[COUNTER], 1);
    STORE
}
void run(const int *key, int n, int *fill, int *items) { sort<<<(n + 63) / 64, 64>>>(key, n, fill, items); }
"""


@pytest.mark.parametrize(
    ("row", "counter", "test", "store", "bad"),
    [
        ("key[i]", "row", "i >= n", "items[row * 32 + at] = i;", True),
        ("min(max(key[i], 0), 99)", "row + 1", "i >= n", "items[row * 32 + at] = i;", True),
        ("key[i]", "row * 16", "i >= n", "items[row * 32 + at] = i;", True),  # counters in lines of their own
        ("key[i]", "row", "i >= n", "if (at < 32) items[row * 32 + at] = i;", False),
        ("key[i]", "row", "i >= n", "if (at >= 32) __trap(); items[row * 32 + at] = i;", False),
        ("key[i]", "row", "i >= n", "items[row * 32 + at % 32] = i;", False),
        ("key[i]", "row", "i >= n || fill[key[i]] >= 32", "items[row * 32 + at] = i;", False),
        ("key[i]", "row / 4", "i >= n", "items[row * 32 + at] = i;", False),  # another number of rows
        ("key[i]", "row", "i >= n || threadIdx.x % 32", "items[row * 32 + at] = i;", False),
        ("blockIdx.x", "row", "i >= n", "items[row * 64 + at] = i;", False),  # as many as the block has threads
    ],
)
def test_rows_with_a_counter_each(row: str, counter: str, test: str, store: str, bad: bool) -> None:
    text = OF_ITS_OWN.replace("TEST", test).replace("ROW", row).replace("COUNTER", counter)
    assert bool(findings(ArrayIndexOutOfRange, text.replace("STORE", store))) is bad


GIVEN_BACK = """
__global__ void give(const int *at, int *fill, int *items, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int c = at[i];
    items[c * 24 + atomicAdd(&fill[c], 1)] = i;
}
__global__ void take(const int *at, int *fill, const int *items, int *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int c = at[i];
    TAKE
}
"""


@pytest.mark.parametrize(
    ("take", "bad"),
    [
        ("out[i] = items[c * 24 + atomicSub(&fill[c], 1) - 1];", False),
        ("out[i] = items[c * 24 + fill[c] - 1]; fill[c] -= 1;", False),
        ("out[i] = items[c * 24 + fill[c] - 1];", True),
        ("out[i] = items[c * 24]; fill[c] = 0;", True),
        ("out[i] = items[c * 24]; fill[c] += 4;", True),
    ],
)
def test_rows_get_back_what_was_taken_out_of_them(take: str, bad: bool) -> None:
    assert bool(findings(ArrayIndexOutOfRange, GIVEN_BACK.replace("TAKE", take))) is bad


COUNTED_BEHIND = """
#define MOST 63
__kernel void search(__global const uint *hash, __global uint *hits, const uint target, const uint n) {
    const uint i = get_global_id(0);
    if (i >= n) return;
    ASKED {
        const uint at = atomic_inc(COUNTER);
        STORE
    }
}
"""


@pytest.mark.parametrize(
    ("asked", "counter", "store", "bad"),
    [
        ("if (hash[i] < target)", "hits + MOST", "hits[at] = i;", True),
        ("if (hash[2 * i] == hash[2 * i + 1])", "&hits[2 * MOST]", "hits[2 * at] = i; hits[2 * at + 1] = n;", True),
        ("if (hash[i] < target)", "hits + MOST", "if (at < MOST) hits[at] = i;", False),
        ("if (hash[i] < target)", "hits + MOST", "hits[min(at, MOST - 1u)] = i;", False),
        ("if (hash[i] < target && hits[MOST] < MOST)", "hits + MOST", "hits[at] = i;", False),
        ("if (hash[i] < target)", "hits", "hits[at + 1] = i;", False),  # what is behind the counter may be long
        ("if (i < 32)", "hits + MOST", "hits[at] = i;", False),  # so many, whatever data say
    ],
)
def test_a_list_ends_where_its_counter_stands(asked: str, counter: str, store: str, bad: bool) -> None:
    code = COUNTED_BEHIND.replace("ASKED", asked).replace("COUNTER", counter).replace("STORE", store)
    assert bool(findings(ArrayIndexOutOfRange, code, "opencl")) is bad
