"""Elements behind what a search has found, and behind the slots that an array has."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import findings

SEARCH = """
constexpr int N = 256;
template <class T> struct Tile { T value[N]; unsigned start[N]; };
__device__ int upper(const unsigned *a, int n, unsigned x) {
    int lo = 0, hi = n;
    while (lo < hi) { const int mid = lo + (hi - lo) / 2; if (a[mid] <= x) lo = mid + 1; else hi = mid; }
    return lo;
}
__device__ int last(const unsigned *a, int n, unsigned x) {
    int lo = 0, hi = n;
    while (hi - lo > 1) { int mid = (lo + hi) >> 1; if (a[mid] > x) hi = mid; else lo = mid; }
    return lo;
}
__device__ unsigned next(const unsigned *a, int i) { return a[i + 1]; }
__global__ void spread(const unsigned *starts, const float *values, float *out, unsigned total) {
    __shared__ unsigned s[ROOM];
    __shared__ float v[N];
    __shared__ Tile<float> t;
    for (int i = threadIdx.x; i < N; i += blockDim.x) { s[i] = t.start[i] = starts[i]; v[i] = t.value[i] = values[i]; }
    __syncthreads();
    for (unsigned p = threadIdx.x; p < total; p += blockDim.x) { BODY }
}
"""


@pytest.mark.parametrize(
    "body, room, bad",
    [
        ("int r = upper(s, N, p) - 1; out[p] = v[r] * (s[r + 1] - s[r]);", "N", True),
        ("int r = upper(s, N, p) - 1; out[p] = v[r] * (s[r + 1] - s[r]);", "N + 1", False),
        ("int r = upper(s, N, p) - 1; out[p] = v[r] * ((r + 1 < N ? s[r + 1] : total) - s[r]);", "N", False),
        ("int r = upper(s, N, p); out[p] = v[r] * s[r];", "N", False),  # sums that include the element: always found
        ("int r = last(s, N, p); out[p] = v[r] * (s[r + 1] - s[r]);", "N", True),
        ("int r = last(s, N, p); out[p] = v[r] * (s[r + 1] - s[r]);", "N + 1", False),
        ("int r = last(s, N, p); out[p] = v[r];", "N", False),
        ("int r = last(s, N - 1, p); out[p] = v[r] * (s[r + 1] - s[r]);", "N", False),
        ("int r = upper(t.start, N, p) - 1; out[p] = t.value[r] * next(t.start, r);", "N", True),
        ("int r = upper(t.start, N - 1, p) - 1; out[p] = t.value[r] * next(t.start, r);", "N", False),
    ],
)
def test_the_element_behind_the_last_one_that_a_search_may_find(body: str, room: str, bad: bool) -> None:
    found = findings(ArrayIndexOutOfRange, SEARCH.replace("BODY", body).replace("ROOM", room))
    assert ["where the search has found the last element" in one.message for one in found] == ([True] if bad else [])


SLOTS = """
#define CAP 512
__global__ void list(const int *x, int n, int *out, int *over) {
    __shared__ int cells[CAP];
    __shared__ int found;
    if (threadIdx.x == 0) found = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        if (x[i] > 0) { STORE }
    __syncthreads();
    LATER
}
"""
USED = "for (int i = threadIdx.x; i < m; i += blockDim.x) out[blockIdx.x * CAP + i] = cells[i];"


@pytest.mark.parametrize(
    "store, later, bad",
    [
        ("int at = atomicAdd(&found, 1); cells[at] = i;", "const int m = min(found, CAP); " + USED, True),
        ("cells[atomicAdd(&found, 1)] = i;", "const int m = found < CAP ? found : CAP; " + USED, True),
        (
            "cells[atomicAdd(&found, 1)] = i;",
            "if (found > CAP) { *over = 1; return; } const int m = found; " + USED,
            True,
        ),
        (
            "int at = atomicAdd(&found, 1); if (at < CAP) cells[at] = i;",
            "const int m = min(found, CAP); " + USED,
            False,
        ),
        ("int at = atomicAdd(&found, 1); cells[at & 511] = i;", "const int m = min(found, CAP); " + USED, False),
        ("if (found < CAP) cells[atomicAdd(&found, 1)] = i;", "const int m = min(found, CAP); " + USED, False),
        (
            "cells[atomicAdd(&found, 1)] = i;",
            "const int m = found; " + USED,
            False,
        ),  # nobody says that there may be more
        ("cells[atomicAdd(&found, 1)] = i;", "const int m = min(found, 32); " + USED, False),
    ],
)
def test_slots_of_a_counter_that_is_clamped_later(store: str, later: str, bad: bool) -> None:
    found = findings(ArrayIndexOutOfRange, SLOTS.replace("STORE", store).replace("LATER", later))
    assert ["more than 512" in one.message for one in found] == ([True] if bad else [])


RUNS = """
__global__ void sizes(const long long *starts, const float *values, int *out, float *copy, int n) {
    const int first = blockIdx.x * 256;
    const int last = min(first + 256, n);
    if (threadIdx.x == 0) out[blockIdx.x] = WRITTEN;
    for (int i = threadIdx.x; i < 256; i += 128)
        if (first + i < n) copy[first + i] = values[first + i] + starts[first + i];
}
"""


def test_one_after_the_last_start_of_runs_that_lie_back_to_back() -> None:
    assert not findings(WrongBoundsGuard, RUNS.replace("WRITTEN", "(int)(starts[last] - starts[first])"))
    assert findings(WrongBoundsGuard, RUNS.replace("WRITTEN", "(int)starts[last]"))


def test_a_block_that_stores_no_more_than_there_is_room() -> None:
    once = SLOTS.replace("for (int i = threadIdx.x; i < n; i += blockDim.x)", "const int i = threadIdx.x;")
    once = once.replace("STORE", "cells[atomicAdd(&found, 1)] = i;").replace(
        "LATER", "const int m = min(found, CAP); " + USED
    )
    run = "void run(const int *x, int n, int *o, int *v) { list<<<n, SIZE>>>(x, n, o, v); }"
    assert not findings(ArrayIndexOutOfRange, once)
    assert not findings(ArrayIndexOutOfRange, once + run.replace("SIZE", "512"))
    assert findings(ArrayIndexOutOfRange, once + run.replace("SIZE", "1024"))
