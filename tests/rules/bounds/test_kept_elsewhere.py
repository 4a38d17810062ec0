"""Coordinates that another kernel of the file keeps inside at an end, and this one at none."""

from __future__ import annotations

import pytest

from kernlint import registry
from tests.rules.marked import findings

ABOVE = registry.load().get("KL102")
BELOW = registry.load().get("KL105")

SPLATS = """
struct Splat { int view; float x, y, turn; };
__device__ inline void corner(const Splat &s, float zoom, int c, int *px, int *py) {
    const float u = (c & 1) - 0.5f, v = (c >> 1) - 0.5f;
    *px = (int)rintf(s.x * zoom + u * cosf(s.turn) - v * sinf(s.turn));
    *py = (int)rintf(s.y * zoom + u * sinf(s.turn) + v * cosf(s.turn));
}
__global__ void draw(float *canvas, const Splat *splats, int total, int high, int wide, float zoom) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total) return;
    int px, py;
    corner(splats[i / 4], zoom, i % 4, &px, &py);
    FIRST
    atomicAdd(&canvas[(splats[i / 4].view * high + py) * wide + px], 1.f);
}
__global__ void pick(const float *photo, const Splat *splats, COUNT int high, int wide, float zoom, float *out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= LIMIT) return;
    int px, py;
    corner(splats[i / 4], zoom, i % 4, &px, &py);
    SECOND
    out[i] = photo[(splats[i / 4].view * high + py) * wide + px];
}
OTHER
"""

INSIDE = "if (px < 0 || px >= wide || py < 0 || py >= high) return;"


@pytest.mark.parametrize(
    ("first", "second", "limit", "other", "above", "below"),
    [
        (INSIDE, "", "total", "", True, True),
        (INSIDE, "if (px < 0 || py < 0) return;", "total", "", True, False),
        (INSIDE, "if (px >= wide || py >= high) return;", "total", "", False, True),
        (INSIDE, INSIDE, "total", "", False, False),
        (INSIDE, "px = min(max(px, 0), wide - 1); py = min(max(py, 0), high - 1);", "total", "", False, False),
        ("", "", "total", "", False, False),
        (INSIDE, "", "kept", "", False, False),  # those outside may have been taken out
        (
            INSIDE,
            "",
            "total",
            "__global__ void clip(Splat *splats, int total, float most) { const int i = blockIdx.x * blockDim.x"
            " + threadIdx.x; if (i < total) splats[i].x = fminf(fmaxf(splats[i].x, 0.f), most); }",
            False,
            False,
        ),
        (
            INSIDE,
            "",
            "total",
            "__global__ void move(Splat *splats, int total, float by) { const int i = blockIdx.x * blockDim.x"
            " + threadIdx.x; if (i < total) splats[i].x += by; }",
            True,
            True,
        ),
        (
            INSIDE,
            "",
            "total",
            "__global__ void pull(Splat *splats, const Splat *all, int total) {"
            " const int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < total) splats[i] = all[i]; }",
            False,
            False,
        ),
    ],
)
def test_coordinates_that_data_choose(
    first: str, second: str, limit: str, other: str, above: bool, below: bool
) -> None:
    code = SPLATS.replace("FIRST", first).replace("SECOND", second).replace("LIMIT", limit).replace("OTHER", other)
    code = code.replace("COUNT", f"int {limit},")
    for rule, bad in ((ABOVE, above), (BELOW, below)):
        found = findings(rule, code)
        assert bool(found) is bad, (rule, [one.message for one in found])


TAILS = """
#define REACH 48
__kernel void level(__global const float *x, __global const int *stop, __global float *mean, int rows) {
    const int r = get_global_id(0);
    if (r >= rows) return;
    const int from = FIRST;
    float sum = 0.0f;
    for (int k = from; k < stop[r]; ++k) sum += x[k];
    mean[r] = sum / REACH;
}
__kernel void crest(__global const float *x, __global const int *stop, __global float *top, int rows) {
    const int r = get_global_id(0);
    if (r >= rows) return;
    const int from = SECOND;
    float most = -INFINITY;
    for (int k = from; k < stop[r]; ++k) most = fmax(most, x[k]);
    top[r] = most;
}
"""


@pytest.mark.parametrize(
    ("first", "second", "bad"),
    [
        ("max(stop[r] - REACH, 0)", "stop[r] - REACH", True),
        ("max(stop[r] - REACH, 0)", "stop[r] - 2 * REACH", True),
        ("max(stop[r] - REACH, 0)", "max(stop[r] - REACH, 0)", False),
        ("max(stop[r] - REACH, 0)", "stop[r] - REACH / 2", False),  # not so far back
        ("stop[r] - REACH", "stop[r] - REACH", False),
    ],
)
def test_beginnings_that_are_clamped_at_zero(first: str, second: str, bad: bool) -> None:
    found = findings(BELOW, TAILS.replace("FIRST", first).replace("SECOND", second), "opencl")
    assert bool(found) is bad, [one.message for one in found]


KNOTS = """
__global__ void widths(const double *knots, int count, double *width) {
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (FIRST) width[k] = knots[k + 1] - knots[k];
}
__global__ void find(const double *knots, int count, const double *x, int n, int *span) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int at = -1;
    for (int k = 0; k < LAST && at < 0; ++k)
        if (x[i] >= knots[k] && x[i] < SECOND) at = k;
    span[i] = at;
}
OTHER
"""

MORE = """
__global__ void MORE(const double *knots, int count, double *out) {
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < count) out[k] = knots[k + 1] * knots[k];
}
"""


@pytest.mark.parametrize(
    ("first", "last", "second", "other", "bad"),
    [
        ("k + 1 < count", "count", "knots[k + 1]", "", True),
        ("k < count - 1", "count", "knots[k + 1]", "", True),
        ("k + 1 < count", "count - 1", "knots[k + 1]", "", False),
        ("k + 1 < count", "count", "(k + 1 < count ? knots[k + 1] : 1e30)", "", False),
        ("k > 0 && k + 1 < count", "count", "knots[k + 1]", "", False),  # what has neighbours on both sides
        ("k < count", "count", "knots[k + 1]", "", False),  # one more, as both say
        ("k + 1 < count", "count", "knots[k + 1]", MORE, False),  # most say so
    ],
)
def test_neighbours_of_the_last_place(first: str, last: str, second: str, other: str, bad: bool) -> None:
    code = KNOTS.replace("FIRST", first).replace("LAST", last).replace("SECOND", second).replace("OTHER", other)
    found = findings(ABOVE, code)
    assert bool(found) is bad, [one.message for one in found]


WINDOWS = """
struct Cut { int hop, length; };
int pieces(int n, int hop) { return (n + hop - 1) / hop; }
__kernel void power(__global const short *wave, int n, struct Cut cut, __global float *out) {
    const int p = get_global_id(0);
    if (p >= pieces(n, cut.hop)) return;
    float sum = 0.0f;
    for (int t = 0; t < cut.length FIRST; t++) sum += wave[p * cut.hop + t] * wave[p * cut.hop + t];
    out[p] = sum;
}
__kernel void shaded(__global const short *wave, int n, struct Cut cut, __global const float *shade,
                     __global float *out) {
    const int t = get_global_id(0), p = get_global_id(1);
    if (t >= cut.length || p >= PIECES) return;
    const int at = p * cut.hop + t;
    const float s = SECOND;
    out[p * cut.length + t] = s * shade[t];
}
"""


@pytest.mark.parametrize(
    ("first", "pieces", "second", "bad"),
    [
        ("&& p * cut.hop + t < n", "pieces(n, cut.hop)", "wave[at]", True),
        ("&& p * cut.hop + t < n", "pieces(n, cut.hop)", "at < n ? wave[at] : 0", False),
        ("&& p * cut.hop + t < n", "pieces(n, cut.hop)", "wave[min(at, n - 1)]", False),
        ("", "pieces(n, cut.hop)", "wave[at]", False),
    ],
)
def test_sums_that_reach_past_the_end(first: str, pieces: str, second: str, bad: bool) -> None:
    code = WINDOWS.replace("FIRST", first).replace("PIECES", pieces).replace("SECOND", second)
    found = findings(ABOVE, code, "opencl")
    assert bool(found) is bad, [one.message for one in found]


LINES = """
#define SLOTS 16u
typedef struct { uint unit, lag; int gain; } Link;
__kernel void deliver(__global const uint *first, __global const Link *link, __global int *line, uint fired,
                      uint units, uint step) {
    const uint s = get_global_id(0);
    if (s >= fired) return;
    for (uint k = first[s]; k < first[s + 1]; ++k) {
        const uint slot = FIRST;
        atomic_add(&line[slot * units + link[k].unit], link[k].gain);
    }
}
__kernel void drain(__global int *line, __global int *out, uint units, uint step) {
    const uint u = get_global_id(0);
    if (u >= units) return;
    const uint slot = SECOND;
    out[u] = line[slot * units + u];
    line[slot * units + u] = 0;
}
"""


@pytest.mark.parametrize(
    ("first", "second", "bad"),
    [
        ("step + link[k].lag", "step & (SLOTS - 1u)", True),
        ("step + link[k].lag", "step % SLOTS", True),
        ("(step + link[k].lag) & (SLOTS - 1u)", "step & (SLOTS - 1u)", False),
        ("(step + link[k].lag) % SLOTS", "step % SLOTS", False),
        ("link[k].lag", "step & (SLOTS - 1u)", False),  # counted from here
        ("step + link[k].lag", "step", False),
        ("min(step + link[k].lag, SLOTS - 1u)", "step % SLOTS", False),
    ],
)
def test_rings_of_slots(first: str, second: str, bad: bool) -> None:
    found = findings(ABOVE, LINES.replace("FIRST", first).replace("SECOND", second), "opencl")
    assert bool(found) is bad, [one.message for one in found]


QUEUES = """
__global__ void take(const int *queue, int2 *work, unsigned head, unsigned count, unsigned room) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const unsigned at = (head + i) % room;
    work[i] = make_int2(queue[2 * at], queue[2 * at + 1]);
}
__global__ void put(int *queue, const int2 *pairs, unsigned head, unsigned count, unsigned room) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    TEST
    const unsigned at = AT;
    queue[2 * at] = pairs[i].x;
    queue[2 * at + 1] = pairs[i].y;
}
"""


@pytest.mark.parametrize(
    ("test", "at", "bad"),
    [
        ("if (i >= count) return;", "head + i", True),
        ("if (i >= count) return;", "(head + i) % room", False),
        ("if (i >= count) return;", "head + i < room ? head + i : head + i - room", False),
        ("if (i >= count || head + i >= room) return;", "head + i", False),
        ("if (i >= count) return;", "i", False),  # from the start
    ],
)
def test_rings_whose_places_threads_count(test: str, at: str, bad: bool) -> None:
    found = findings(ABOVE, QUEUES.replace("TEST", test).replace("AT", at))
    assert bool(found) is bad, [one.message for one in found]


WELLS = """
struct Field { float west, south, step; int across, down; };
struct Well { float2 at; float rate; };
__device__ int place(float at, float from, float step) { return (int)floorf(OFFSET / step); }
__global__ void pump(float *head, const Well *wells, int count, Field f) {
    const int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= count) return;
    const int i = place(wells[w].at.x, f.west, f.step), j = place(wells[w].at.y, f.south, f.step);
    if (HERE) atomicAdd(&head[j * f.across + i], wells[w].rate);
}
__global__ void probe(const float *HEAD, const float2 *probes, float *out, int many, Field f) {
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= many) return;
    const int i = place(probes[p].x, f.west, f.step), j = place(probes[p].y, f.south, f.step);
    if (THERE) out[p] = HEAD[j * f.across + i];
}
"""
BOTH = "i >= 0 && i < f.across && j >= 0 && j < f.down"
UPPER = "i < f.across && j < f.down"


@pytest.mark.parametrize(
    ("offset", "here", "there", "head", "bad"),
    [
        ("(at - from)", UPPER, BOTH, "head", True),
        ("(at - from)", "i >= 0 && " + UPPER, BOTH, "head", True),
        ("(at - from)", BOTH, BOTH, "head", False),
        ("(at - from)", UPPER, UPPER, "head", False),
        ("(at - from)", UPPER, BOTH, "other", False),  # another array
        ("(at + from)", UPPER, BOTH, "head", False),  # nothing makes it negative
        ("(at - from)", "wells[w].rate > 0", BOTH, "head", False),  # nobody asks for the upper end either
        ("(at - from)", "(unsigned)i < f.across && (unsigned)j < f.down", BOTH, "head", False),
    ],
)
def test_other_data_in_the_same_field(offset: str, here: str, there: str, head: str, bad: bool) -> None:
    code = WELLS.replace("OFFSET", offset).replace("THERE", there).replace("HERE", here).replace("HEAD", head)
    found = findings(BELOW, code)
    assert bool(found) is bad, [one.message for one in found]
