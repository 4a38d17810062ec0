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
        ("ROOM", "fill[c]", False),
        ("ROOM", "min(fill[c], 10)", False),  # of more than are looked at
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
