"""States that a kernel tells apart by a test, and in which it leaves its arrays all the same."""

from __future__ import annotations

import pytest

from kernlint import registry
from kernlint.finding import Severity
from tests.rules.marked import assert_marked, findings

PAST = registry.load().get("KL104")
BEFORE = registry.load().get("KL105")

WALK = """
struct Box { int child[2]; float low, high; };
__global__ void walk(const Box *boxes, const float *at, int n, int *hits, int *lost) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int open[24];
    int used = 0;
    open[used++] = 0;
    while (used > 0) {
        const Box b = boxes[open[--used]];
        if (at[i] < b.low || at[i] > b.high) continue;
        if (b.child[0] < 0) { hits[i] = b.child[1]; continue; }
        if (used + 2 > 24) { atomicAdd(lost, 1); STOP }
        open[used++] = b.child[0];MARK
        open[used++] = b.child[1];MARK2
    }
}
"""


@pytest.mark.parametrize(
    ("stop", "mark", "mark2"), [("", "", "  // bad"), ("break;", "", ""), ("continue;", "", ""), ("used = 0;", "", "")]
)
def test_a_full_stack_is_counted(stop: str, mark: str, mark2: str) -> None:
    assert_marked(PAST, WALK.replace("STOP", stop).replace("MARK2", mark2).replace("MARK", mark))


def test_a_loop_until_nothing_is_left() -> None:
    text = WALK.replace("used > 0", "used").replace("STOP", "").replace("MARK2", "  // bad").replace("MARK", "")
    assert_marked(PAST, text)


BINS = """
__kernel void bin(__global const int *keys, __global int *out, __global int *odd, int n) {
    int own[16];
    for (int b = 0; b < 16; ++b) own[b] = 0;
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
        const int key = keys[i];
        if (key >= LIMIT) { atomic_inc(odd); STOP }
        own[key]++;MARK
    }
    for (int b = 0; b < 16; ++b) atomic_add(&out[b], own[b]);
}
"""


@pytest.mark.parametrize(
    ("limit", "stop", "mark"), [("16", "", "  // bad"), ("16", "continue;", ""), ("8", "", ""), ("20", "", "  // bad")]
)
def test_odd_keys_are_counted(limit: str, stop: str, mark: str) -> None:
    text = BINS.replace("LIMIT", limit).replace("STOP", stop).replace("MARK", mark)
    assert_marked(PAST, text, "opencl")


CORNERS = """
__device__ void near(float v, int n, int &low, int &high) {
    if (v < -1.0f || v > n) { low = high = MISS; return; }
    low = min((int)fmaxf(v, 0.0f), n - 1);
    high = min(low + 1, n - 1);
}
__global__ void scatter(const float *at, const float *grad, float *map, int rows, int width, int points) {
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= points) return;
    int x0, x1;
    near(at[p], width, x0, x1);
    ASK
    atomicAdd(map + (p % rows) * width + x0, grad[p]);MARK
    atomicAdd(map + (p % rows) * width + x1, grad[p]);
}
"""


@pytest.mark.parametrize(
    ("miss", "ask", "mark"),
    [
        ("-1", "", "  // bad"),
        ("-1", "if (x0 < 0) return;", ""),
        ("-1", "if (at[p] < -1.0f || at[p] > width) return;", ""),
        ("-1", "x0 = max(x0, 0); x1 = max(x1, 0);", ""),
        ("0", "", ""),
    ],
)
def test_a_mark_is_no_place(miss: str, ask: str, mark: str) -> None:
    assert_marked(BEFORE, CORNERS.replace("MISS", miss).replace("ASK", ask).replace("MARK", mark))


RUNS = """
__global__ void ends(const int *starts, const float *values, int rows, float *low, float *high, int *none) {
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    const int from = starts[r], to = starts[r + 1];
    if (from == to) { atomicAdd(none, 1); STOP }
    low[r] = values[LOW];MARK
    high[r] = values[HIGH];
}
"""


@pytest.mark.parametrize(
    ("stop", "low", "high", "mark"),
    [
        ("", "from", "to - 1", "  // bad"),
        ("return;", "from", "to - 1", ""),
        ("", "min(from, rows - 1)", "max(to - 1, 0)", ""),
        ("", "r", "r", ""),
    ],
)
def test_empty_runs_are_counted(stop: str, low: str, high: str, mark: str) -> None:
    text = RUNS.replace("STOP", stop).replace("LOW", low).replace("HIGH", high).replace("MARK", mark)
    assert_marked(PAST, text)


HELD = """
#define MOST 48
__global__ void taps(const float *w, const int *length, float *out, int pitch) {
    __shared__ float line[MOST];
    const int r = blockIdx.x, k = length[r];
    for (int i = threadIdx.x; i < FIRST; i += blockDim.x) line[i] = w[r * pitch + i];MARK
    __syncthreads();
    float sum = 0.0f;
    for (int i = 0; i < SECOND; ++i) sum += line[i];
    if (threadIdx.x == 0) out[r] = sum;
}
"""


@pytest.mark.parametrize(
    ("first", "second", "mark"),
    [
        ("k", "min(k, MOST)", "  // bad"),
        ("min(k, MOST)", "min(k, MOST)", ""),
        ("k", "k", ""),
        ("k", "min(k, MOST / 2)", ""),
        ("k && i < MOST", "min(k, MOST)", ""),
    ],
)
def test_another_loop_holds_the_number_down(first: str, second: str, mark: str) -> None:
    assert_marked(PAST, HELD.replace("FIRST", first).replace("SECOND", second).replace("MARK", mark))


SEARCH = """
__device__ int segment(const int *first, int segments, int x) {
    int low = 0, high = segments;
    while (low <= high) {
        const int m = (low + high) / 2;
        const int at = first[m];
        if (GOAL) return m;
        if (at < x) low = m + 1; else high = m - 1;
    }
    return -1;
}
__global__ void spread(const int *first, const int *wanted, const float *v, float *y, int segments, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int s = segment(first, segments, wanted[i]);
    y[i] = v[s];
}
"""


@pytest.mark.parametrize(
    ("goal", "level"),
    [
        ("at <= x && (m == segments - 1 || x < first[m + 1])", Severity.NOTE),
        ("at == x", Severity.WARNING),
        ("at <= x && x == first[m + 1] - 1", Severity.WARNING),
    ],
)
def test_numbers_lie_in_some_interval(goal: str, level: Severity) -> None:
    assert {one.severity for one in findings(BEFORE, SEARCH.replace("GOAL", goal))} == {level}
