"""What another kernel of the file tests of the same rows, and of the same index array."""

import pytest

from kernlint import registry
from tests.rules.bounds.test_wrong_axes import codes
from tests.rules.marked import assert_marked

RULE = registry.load().get("KL101")
WRONG = registry.load().get("KL102")

NORMS = """\
kernel void norms(global const float *points, global float *length, const int count, const int dims) {
    const int p = get_global_id(0);
    if (p >= count) return;
    float s = 0.0f;
    for (int d = 0; d < dims; d++) s += points[d * count + p] * points[d * count + p];
    length[p] = sqrt(s);
}
"""


def test_rows_that_only_the_other_kernel_keeps_inside():
    planar = """\
kernel void planar(global const float *points, global float *out, const int count, const int dims) {
    const int p = get_global_id(0);%s
    for (int d = 0; d < dims; d++)
        out[d * count + p] = points[p * dims + d];%s
}
"""
    assert_marked(RULE, NORMS + planar % ("", " // bad"), "opencl")
    assert_marked(RULE, NORMS + planar % ("\n    if (p >= count) return;", ""), "opencl")


def test_a_launch_in_sight_says_more_than_another_kernel():
    assert_marked(
        RULE,
        """\
__global__ void scale(float *m, const float *f, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width) return;
    for (int y = 0; y < height; ++y) m[y * width + x] *= f[x];
}
__global__ void clear(float *m, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    for (int y = 0; y < height; ++y) m[y * width + x] = 0;
}
void go(float *m, const float *f, int width, int height) {
    scale<<<(width + 127) / 128, 128>>>(m, f, width, height);
    clear<<<width, 1>>>(m, width, height);
}
""",
    )


ROWS = """\
__global__ void put(const float *src, float *table, const int *ids, int rows, int width) {
    const int id = ids[blockIdx.x];
    if (id < 0 || id >= rows) return;
    for (int c = threadIdx.x; c < width; c += blockDim.x) table[id * width + c] = src[blockIdx.x * width + c];
}
__global__ void get(const float *table, float *dst, const int *ids, int rows, int width) {
    const int id = ids[blockIdx.x];
    for (int c = threadIdx.x; c < width; c += blockDim.x)
        dst[blockIdx.x * width + c] = %s ? table[id * width + c] : 0.0f;%s
}
"""


@pytest.mark.parametrize(
    ("test", "mark"),
    [("id >= 0", " // bad"), ("id >= 0 && id < rows", ""), ("(unsigned)id < (unsigned)rows", "")],
)
def test_places_of_an_index_array_with_one_end_tested(test, mark):
    assert_marked(RULE, ROWS % (test, mark))


RINGS = """\
struct Ring { float *cells; const int *head; int length; int width; };

__global__ void peek(Ring ring, float *out, int streams) {
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= streams) return;
    int at = ring.head[s] / ring.width;
    if (at >= ring.length) return;
    out[s] = ring.cells[s * ring.length + at];
}

__global__ void push(Ring ring, const float *in, int streams) {
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= streams) return;
    int at = ring.head[s] %s;%s
    ring.cells[s * ring.length + at] = in[s];%s
}
"""


@pytest.mark.parametrize(
    ("made", "test", "mark"),
    [
        ("/ ring.width", "", "  // bad"),
        ("/ ring.width", " if (at >= ring.length) return;", ""),
        ("/ ring.width", " if (ring.head[s] >= ring.length * ring.width) return;", ""),
        ("% ring.width", "", ""),  # another place
    ],
)
def test_a_place_in_a_row_that_both_kernels_make_of_the_same_data(made, test, mark):
    assert_marked(WRONG, RINGS % (made, test, mark))


NUMBERS = """\
#define CELLS 5000
__attribute__((reqd_work_group_size(128, 1, 1)))
__kernel void shift(__global const float *in, __global float *out, const float by) {
    const int cell = get_group_id(0) * 640 + 512 + get_local_id(0);
    const float old = cell < CELLS ? in[cell] : 0.0f;
    %sout[cell] = old * old + by;%s
}
"""


def test_numbers_that_indices_are_kept_below():
    assert_marked(RULE, NUMBERS % ("", "  // bad"), "opencl")
    assert_marked(RULE, NUMBERS % ("if (cell < CELLS) ", ""), "opencl")
    assert_marked(RULE, NUMBERS.replace("get_group_id(0) * 640 + ", "") % ("", ""), "opencl")


COUNTED = """
__kernel void tint(__global const int *pixels, __global const int *how_many, __global float4 *film) {
  const int i = get_global_id(0);
  if (i < %(count)s) film[pixels[i]] *= 0.5f;
}

__kernel void count(__global const int *pixels, __global const int *how_many, __global float4 *film) {
  const int i = get_global_id(0);
  %(test)sfilm[pixels[i]].w += 1.0f;
}
"""


@pytest.mark.parametrize(
    ("count", "test", "wrong"),
    [
        ("*how_many", "", True),
        ("how_many[0]", "", True),
        ("*how_many", "if (i < *how_many) ", False),
        ("*how_many", "if (i >= how_many[1]) return; ", False),
        ("how_many[i]", "", False),
    ],
)
def test_counts_in_memory(count: str, test: str, wrong: bool) -> None:
    found = codes(COUNTED % {"count": count, "test": test}, "k.cl", select=("KL101",))
    assert found == (["KL101"] if wrong else [])


PARTICLES = """
__kernel void extent(__global const float4 *at, __global float4 *low, const int count) {
    float4 a = at[0];
    for (int i = get_global_id(0); i FIRST; i += get_global_size(0)) a = fmin(a, at[i OTHER]);
    low[get_global_id(0)] = a;
}
__kernel void weigh(__global const KIND *at, __global const int *owner, __global float *sum, const int count,
                    const int cells) {
    const int c = get_global_id(0);
    if (c >= cells) return;
    float all = 0.0f;
    for (int i = START; i LIMIT; ++i)
        if (owner[i] == c) all += at[i].w;
    sum[c] = all;
}
"""


@pytest.mark.parametrize(
    ("limit", "first", "other", "start", "bad"),
    [
        ("<= count", "< count", "", "0", True),
        ("<= count", "< count", "+ 1", "0", False),
        ("<= count", "<= count", "", "0", False),
        ("< count", "< count", "", "0", False),
        ("<= count", "< count", "", "1", False),
    ],
)
def test_loops_up_to_a_size(limit: str, first: str, other: str, start: str, bad: bool) -> None:
    code = PARTICLES.replace("LIMIT", limit).replace("FIRST", first).replace("OTHER", other).replace("START", start)
    found = codes(code.replace("KIND", "float4").replace("count", "bodies"), "k.cl", select=("KL102",))
    assert found == (["KL102"] if bad else [])


MEMBERS = """
typedef struct { uint round; int living; } State;
__kernel void age(__global float *years, __global const State *state, const float by) {
  const int i = get_global_id(0);
  if (i < state->living) years[i] += by;
}

__kernel void halve(__global float *years, __global const State *state) {
  const int i = get_global_id(0);
  %syears[i] *= 0.5f;
}
"""


@pytest.mark.parametrize(
    ("test", "wrong"),
    [("", True), ("if (i < state->living) ", False), ("if (i < state[0].living && state->round) ", False)],
)
def test_counts_in_members(test: str, wrong: bool) -> None:
    assert codes(MEMBERS % test, "k.cl", select=("KL101",)) == (["KL101"] if wrong else [])


WINDOWS = """
#define AT(dx, dy) seen[(y + (dy)) * cols + x + (dx)]

__kernel void mean(__global const float *seen, __global float *out, const int cols, const int rows) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= cols - 2 || y >= rows - 2) return;
  out[y * cols + x] = (AT(0, 0) + AT(2, 0) + AT(0, 2) + AT(2, 2)) * 0.25f;
}

__kernel void slope(__global const float *ARRAY, __global float *out, const int cols, const int rows) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= cols - LAST || y >= rows - LAST) return;
  out[y * cols + x] = ARRAY[y * cols + x + 2] - ARRAY[y * cols + x + 1];
}
"""


@pytest.mark.parametrize(("array", "last", "wrong"), [("seen", "1", True), ("seen", "2", False), ("wide", "1", False)])
def test_neighbours_that_the_other_kernel_keeps_in_their_row(array: str, last: str, wrong: bool) -> None:
    code = WINDOWS.replace("ARRAY", array).replace("LAST", last)
    assert codes(code, "k.cl", select=("KL1",)) == (["KL102"] if wrong else [])
