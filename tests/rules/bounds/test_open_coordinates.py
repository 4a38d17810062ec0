"""Coordinates that nothing keeps inside at one end, where another one, or another access, says that they are not."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard
from kernlint_rules.bounds.negative_index import NegativeIndex
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from kernlint.rule import RuleClass
from tests.rules.marked import findings

GATHER = """
__global__ void gather(const float *in, float *out, int n, int w, int h, int ow, int oh, int k, int stride, int pad) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n) return;
    int ox = at % ow, oy = at / ow % oh, c = at / ow / oh;
    float sum = 0.f;
    for (int ky = 0; ky < k; ++ky)
        for (int kx = 0; kx < k; ++kx) {
            int iy = oy * stride - pad + ky, ix = ox * stride - pad + kx;
            if (TEST) sum += in[(c * h + iy) * w + ix];
        }
    out[at] = sum;
}
"""


@pytest.mark.parametrize(
    ("test", "below", "above"),
    [
        ("iy >= 0 && iy < h && ix >= 0 && ix < w", False, False),
        ("iy < h && ix >= 0 && ix < w", True, False),
        ("iy >= 0 && iy < h && ix < w", True, False),
        ("iy >= 0 && ix >= 0 && ix < w", False, True),
        ("iy >= 0 && iy < h && ix >= 0", False, True),
        ("(unsigned)iy < (unsigned)h && (unsigned)ix < (unsigned)w", False, False),
        ("iy + 1 > 0 && iy <= h - 1 && ix > -1 && ix <= w - 1", False, False),
        ("c >= 0", False, False),
    ],
)
def test_windows_around_a_place(test: str, below: bool, above: bool) -> None:
    source = GATHER.replace("TEST", test)
    assert bool(findings(NegativeIndex, source)) is below
    assert bool(findings(WrongBoundsGuard, source)) is above


POOL = """
__global__ void pool(const float *in, float *out, int n, int w, int h, int ow, int oh, int k, int stride, int pad) {
    for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < n; at += gridDim.x * blockDim.x) {
        int ox = at % ow, oy = at / ow % oh, c = at / ow / oh;
        int y0 = oy * stride - pad, x0 = ox * stride - pad;
        int y1 = min(y0 + k, h + pad), x1 = min(x0 + k, w + pad);
        float share = (y1 - y0) * (x1 - x0), sum = 0.f;
        y0 = max(y0, 0);
        x0 = max(x0, 0);
        ENDS
        for (int y = y0; y < y1; ++y)
            for (int x = x0; x < x1; ++x) sum += in[(c * h + y) * w + x];
        out[at] = sum / share;
    }
}
"""


@pytest.mark.parametrize(
    ("ends", "told"),
    [
        ("y1 = min(y1, h); x1 = min(x1, w);", False),
        ("y1 = min(y1, h);", True),
        ("x1 = min(x1, w);", True),
        ("", False),  # the image may be padded
    ],
)
def test_a_rim_that_is_cut_off_along_one_axis(ends: str, told: bool) -> None:
    assert bool(findings(WrongBoundsGuard, POOL.replace("ENDS", ends))) is told


CORNERS = """
__device__ long long patch(const long long *sums, int w, int y0, int x0, int y1, int x1) {
    long long d = sums[(y1 - 1) * w + x1 - 1];
    long long b = y0 > 0 ? sums[(y0 - 1) * w + x1 - 1] : 0;
    long long c = x0 > 0 ? sums[(y1 - 1) * w + x0 - 1] : 0;
    long long a = TEST ? sums[(y0 - 1) * w + x0 - 1] : 0;
    return d - b - c + a;
}
__global__ void boxes(const long long *sums, const int4 *box, long long *out, int n, int w) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = patch(sums, w, box[i].x, box[i].y, box[i].z, box[i].w);
}
"""


@pytest.mark.parametrize(("test", "told"), [("x0 > 0 && y0 > 0", False), ("x0 > 0", True), ("y0 > 0", True)])
def test_a_corner_whose_like_is_asked_for(test: str, told: bool) -> None:
    assert bool(findings(NegativeIndex, CORNERS.replace("TEST", test))) is told


DRIFTED = """
__global__ void drift(const float *in, const float2 *flow, float *out, int w, int h, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = flow[i].x + i % w, y = flow[i].y + i / w;
    out[i] = TEST ? in[(int)y * w + (int)x] : 0.f;
}
"""


@pytest.mark.parametrize(
    ("test", "below", "above"),
    [
        ("x >= 0.f && x < w && y >= 0.f && y < h", False, False),
        ("x > -1.f && x < w && y > -1.f && y < h", False, False),
        ("x >= 0.f && x <= w - 1 && y >= 0.f && y <= h - 1", False, False),
        ("x >= 0.f && x + 1.f < w + 1 && y >= 0.f && y < h", False, False),
        ("x >= 0.f && x < w && y < h", True, False),
        ("x >= 0.f && x < w && y >= 0.f", False, True),
    ],
)
def test_places_whose_numbers_in_floating_point_are_tested(test: str, below: bool, above: bool) -> None:
    source = DRIFTED.replace("TEST", test)
    assert bool(findings(NegativeIndex, source)) is below
    assert bool(findings(WrongBoundsGuard, source)) is above


COUNTED = """
__global__ void spread(float *to, const float *from, const float *at, int n, int side, int r) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int place = (int)floorf(at[i]);
    for (int y = 0; y < r + 1; y++)
        for (int x = 0; x < r + 1; x++) {
            int p = place - r + x;
            if (p >= 0 && p < side) {
                if (y > 0 && x > 0) to[((y - 1) * r + x - 1) * n + i] += from[p];
                if (TEST) to[((y - 1) * r + x) * n + i] += from[p];
            }
        }
}
"""


@pytest.mark.parametrize(("test", "told"), [("y > 0 && x < r", False), ("x < r", True)])
def test_a_round_before_the_first(test: str, told: bool) -> None:
    assert bool(findings(NegativeIndex, COUNTED.replace("TEST", test))) is told


TURNED = """
#define T 16
__kernel void turn(__global const float *in, __global float *out, int w, int h) {
    __local float tile[T][T + 1];
    int lx = get_local_id(0), ly = get_local_id(1);
    int x = get_group_id(0) * T + lx, y = get_group_id(1) * T + ly;
    if (x < w && y < h) tile[ly][lx] = in[y * w + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    x = get_group_id(1) * T + lx;
    y = get_group_id(0) * T + ly;
    if (TEST) out[y * h + x] = tile[lx][ly];
}
"""


@pytest.mark.parametrize(("test", "told"), [("x < h && y < w", False), ("x < h", True), ("y < w", True)])
def test_a_place_in_the_grid_along_one_axis(test: str, told: bool) -> None:
    source = TURNED.replace("TEST", test)
    assert bool(findings(WrongBoundsGuard, source, "opencl")) is told


PLANE = """
__global__ void fade(float *image, float by, int w, int h, int pitch) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = ROW;
    if (x < w) image[y * pitch + x] *= by;
}
"""


@pytest.mark.parametrize(
    ("row", "launch", "told"),
    [
        ("blockIdx.y * blockDim.y + threadIdx.y", "", True),
        ("blockIdx.y", "", False),  # a row for each block
        (
            "blockIdx.y * blockDim.y + threadIdx.y",
            "void run(float *d, int w, int h) { fade<<<dim3((w + 31) / 32, h), dim3(32, 1)>>>(d, .5f, w, h, w); }",
            False,
        ),
    ],
)
def test_rows_that_a_block_has_several_of(row: str, launch: str, told: bool) -> None:
    source = PLANE.replace("ROW", row) + launch
    assert bool(findings(WrongBoundsGuard, source) or findings(MissingBoundsGuard, source)) is told


BATCH = """
__global__ void nearest(int b, int n, const float *p, float *best) {
    int item = blockIdx.y, at = blockIdx.x * blockDim.x + threadIdx.x;
    if (TEST) return;
    p += item * n * 2 + at * 2;
    best[item * n + at] = p[0] * p[0] + p[1] * p[1];
}
void run(int b, int n, const float *p, float *best) { nearest<<<dim3((n + 255) / 256, b), 256>>>(b, n, p, best); }
"""


@pytest.mark.parametrize(("test", "told"), [("item >= b || at >= n", False), ("item >= b", True)])
def test_a_test_of_the_batch_is_none_of_the_place(test: str, told: bool) -> None:
    """What keeps one axis of the grid is no condition under which a launch may be exact along another."""
    assert [bool(found) for found in [findings(MissingBoundsGuard, BATCH.replace("TEST", test))]] == [told]


SILENT: tuple[tuple[RuleClass, str], ...] = (
    (  # the neighbour is clamped at both ends, and the row is the thread's own
        WrongBoundsGuard,
        """
__device__ int beside(int k, int last) { return min(max(k, 0), last); }
__global__ void slopes(const float *u, float *s, int width, int height) {
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    s[y * width + x] = u[y * width + beside(x + 1, width - 1)] - u[y * width + beside(x - 1, width - 1)];
}
""",
    ),
    (  # a quotient of the thread's number is not negative, whatever is asked of what is left over
        NegativeIndex,
        """
__global__ void energy(const float *sample, int per_trace, int traces, float *sum) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int trace = i / per_trace, at = i % per_trace;
    if (trace >= traces) return;
    if (threadIdx.x >= at && blockDim.x - threadIdx.x >= per_trace - at) atomicAdd_block(&sum[trace], sample[i]);
    else atomicAdd(&sum[trace], sample[i]);
}
""",
    ),
    (  # a number that counts from 0 is not 0: it is 1 at least
        NegativeIndex,
        """
__global__ void joins(const short *cell, int *left, int w, int h) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    const int at = y * w + x;
    const bool west = x && cell[at - 1] == cell[at];
    const bool corner = !(x < 1 || y < 1) && cell[at - w - 1] == cell[at];
    left[at] = west + 2 * corner;
}
""",
    ),
    (  # one row more, and no neighbour of a place
        WrongBoundsGuard,
        """
#define B 16
__kernel void stage(__global const float *face, __global float *out, const int w, const int h) {
    __local float tile[B + 1][B];
    const int tx = get_local_id(0), ty = get_local_id(1), bx = get_group_id(0) * B, by = get_group_id(1) * B;
    for (int j = ty; j < B + 1; j += B)
        if (by + j < h + 1)
            for (int i = tx; i < B; i += B)
                if (bx + i < w) tile[j][i] = face[(by + j) * w + bx + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (bx + tx < w && by + ty < h) out[(by + ty) * w + bx + tx] = tile[ty + 1][tx] - tile[ty][tx];
}
""",
    ),
    (  # a record of four words behind one that counts
        WrongBoundsGuard,
        """
__global__ void note(unsigned *found, unsigned room, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned slot = atomicAdd(found, 1u);
    if (slot < room) {
        unsigned *item = found + 1 + slot * 4;
        item[0] = i; item[1] = i * 2; item[2] = i * 3; item[3] = i * 5;
    }
}
""",
    ),
    (  # the quotient of what is tested is the number of the row
        WrongBoundsGuard,
        """
__global__ void widen(const float *in, float *out, unsigned w, unsigned padded, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    size_t row = i / padded;
    unsigned col = (unsigned)(i % padded);
    out[i] = col < w ? in[row * w + col] : 0.f;
}
""",
    ),
    (  # a loop goes as far as the row
        WrongBoundsGuard,
        """
__global__ void lines(const float *in, float *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= w) return;
    float sum = 0.f;
    for (int y = 0; y < h; ++y) sum += in[y * w + x];
    out[x] = sum;
}
""",
    ),
    (  # the neighbour of a place that is tested: the rows may begin with one more
        WrongBoundsGuard,
        """
__global__ void slope(const int *at, const float *node, float *out, int n, int nx) {
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= n) return;
    int i = at[p];
    if (i >= 0 && i < nx) out[p] = node[i + 1] - 2 * node[i] + node[i - 1];
}
""",
    ),
)


@pytest.mark.parametrize(("rule", "source"), SILENT)
def test_silent(rule: RuleClass, source: str) -> None:
    assert not findings(rule, source, "opencl" if "__kernel" in source else "cuda")


AROUND = """
#define WIDE 320
#define HIGH 200
__kernel void sharpen(__global const float *in, __global float *out, const int first, const int last) {
    const int i = get_global_id(0);
    if (i >= ALL) return;
    const int x = i % WIDE, y = i / WIDE;
    if (EDGE) { out[i] = in[i]; return; }
    float sum = 5.0f * in[i];
    for (int dy = FIRST; dy <= LAST; ++dy)
        for (int dx = -1; dx <= 1; ++dx) sum -= in[PLACE];
    out[i] = sum;
}
"""


@pytest.mark.parametrize(
    ("edge", "around", "place", "told"),
    [
        ("x < 1 || x > WIDE - 2 || y < 1", ("-1", "1"), "(y + dy) * WIDE + x + dx", True),
        ("x < 1 || x > WIDE - 2 || y < 1 || y > HIGH - 2", ("-1", "1"), "(y + dy) * WIDE + x + dx", False),
        ("x == 0 || x == WIDE - 1 || y == 0", ("-1", "1"), "i + dy * WIDE + dx", True),
        ("x == 0 || x == WIDE - 1 || y == 0 || y == HIGH - 1", ("-1", "1"), "i + dy * WIDE + dx", False),
        ("x == 0 || x == WIDE - 1 || y == 0", ("-1", "0"), "i + dy * WIDE + dx", False),
        ("x == 0 || x == WIDE - 1 || y == 0 || i >= WIDE * (HIGH - 1)", ("-1", "1"), "i + dy * WIDE + dx", False),
    ],
)
def test_the_last_row_of_an_array_that_is_gone_through_as_a_whole(
    edge: str, around: tuple[str, str], place: str, told: bool
) -> None:
    text = AROUND.replace("EDGE", edge).replace("PLACE", place).replace("ALL", "WIDE * HIGH")
    text = text.replace("FIRST", around[0]).replace("LAST", around[1])
    found = [one.message for one in findings(WrongBoundsGuard, text, "opencl")]
    assert bool(found) is told, found


STATES = """
__global__ void forward(const float *from, float *to, const int *mark, int states) {
    const float *row = from + blockIdx.x * states;
    for (int s = threadIdx.x; s < states; s += blockDim.x) {
        float v = row[s];
        if (s > 0) v += row[s - 1];
        if (TEST) v += row[s - 2];
        to[blockIdx.x * states + s] = v;
    }
}
"""


@pytest.mark.parametrize(
    ("test", "told"),
    [
        ("s & 1", True),
        ("(s & 1) && mark[s / 2] != mark[s / 2 - 1]", True),
        ("s > 1 && (s & 1)", False),
        ("(s & 1) == 0 && s", False),
        ("mark[s] != 0", False),  # the mark may be of the first ones
    ],
)
def test_what_is_asked_besides_holds_for_the_first_place_outside(test: str, told: bool) -> None:
    found = [one.message for one in findings(NegativeIndex, STATES.replace("TEST", test))]
    assert bool(found) is told, found


FIELDS = """
__kernel void decode(__global const uint *packed, __constant uint *base, __global uint *out, const uint n) {
    const uint i = get_global_id(0);
    if (i >= n) return;
    uint c = packed[i] >> SHIFT & 7u;
    FIRST
    uint low = base[c], high = base[c + 1];
    for (uint k = 1; k < 6 && low < high; ++k) {
        c = packed[i + k] & 7u;
        if (c > 4) { out[i] = 0; return; }
        low = base[c] + low / 2;
        high = base[c + 1] + high / 2;
    }
    out[i] = high - low;
}
"""


@pytest.mark.parametrize(
    ("first", "shift", "told"),
    [("", "0", True), ("", "3", True), ("if (c > 4) return;", "0", False), ("c = min(c, 4u);", "0", False)],
)
def test_fields_of_data_that_all_others_are_tested_of(first: str, shift: str, told: bool) -> None:
    found = findings(WrongBoundsGuard, FIELDS.replace("FIRST", first).replace("SHIFT", shift), "opencl")
    assert any("field of data" in one.message for one in found) is told


CROPS = """
struct Box { float x, y; int image; };
__global__ void crop(const float *image, const Box *box, int high, int wide, int n, float *out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float u = box[i].x * (wide - 1), v = box[i].y * (high - 1);
    if (!(v >= 0.f && v <= high - 1)) return;
    if (!(u >= 0.f && u <= LIMIT)) return;
    const float *row = image + ((size_t)box[i].image * high + (int)floorf(v)) * PITCH;
    out[i] = row[(int)floorf(u)];
}
"""


@pytest.mark.parametrize(
    ("limit", "pitch", "bad"),
    [
        ("high - 1", "wide", True),
        ("wide - 1", "wide", False),
        ("wide - 1", "n", False),  # rows that are longer
        ("n", "wide", False),  # nobody says how the two compare
    ],
)
def test_columns_below_the_number_of_rows(limit: str, pitch: str, bad: bool) -> None:
    found = findings(WrongBoundsGuard, CROPS.replace("LIMIT", limit).replace("PITCH", pitch))
    assert bool(found) is bad, [one.message for one in found]


TILES = """
#define SIDE 6
static int up(int n) { return (n + SIDE - 1) / SIDE * SIDE; }
__kernel __attribute__((reqd_work_group_size(36, 1, 1)))
void blocks(__global const float *image, int wide, int high, __global float *out) {
    const int t = get_local_id(0), b = get_group_id(0);
    const int across = up(wide) / SIDE;
    if (b >= across * (up(high) / SIDE)) return;
    const int x = b % across * SIDE + t % SIDE, y = b / across * SIDE + t / SIDE;
    out[b * 36 + t] = TEST ? image[y * PITCH + x] : 0.0f;
}
"""


@pytest.mark.parametrize(
    ("test", "pitch", "bad"),
    [
        ("x < up(wide) && y < up(high)", "wide", True),
        ("x < wide && y < high", "wide", False),
        ("x < up(wide) && y < high", "up(wide)", False),
    ],
)
def test_blocks_that_are_numbered_through_rows_of_blocks(test: str, pitch: str, bad: bool) -> None:
    found = findings(WrongBoundsGuard, TILES.replace("TEST", test).replace("PITCH", pitch), "opencl")
    assert bool(found) is bad, [one.message for one in found]
