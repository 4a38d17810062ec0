"""Accesses before the start of what a parameter points to, where a row is as long as the grid has threads."""

import pytest

from kernlint import registry
from tests.rules.marked import assert_marked, findings

RULE = registry.load().get("KL105")

FRAME = """\
kernel void smooth(global const float *in, global float *out) {
    const int x = get_global_id(0), y = get_global_id(1);
    const int width = get_global_size(0), height = get_global_size(1);
    float s = 0.0f;
%s
    out[y * width + x] = s;
}
"""


@pytest.mark.parametrize(
    "body",
    [
        "    s = in[(y - 1) * width + x - 1]; // bad",
        # the low borders are not tested, and the high ones only where both are met
        """\
    if (abs(x - width) < 2 && abs(y - height) < 2) s = in[y * width + x];
    else
        for (int v = y - 1; v <= y + 1; v++)
            for (int u = x - 1; u <= x + 1; u++)
                s += in[v * width + u]; // bad""",
        """\
    if (x >= width - 1 || y >= height - 1) return;
    s = in[y * width + x] - in[(y - 1) * width + x]; // bad""",
    ],
)
def test_the_first_threads_read_before_it(body):
    assert_marked(RULE, FRAME % body, "opencl")


@pytest.mark.parametrize(
    "body",
    [
        "    s = in[max(y - 1, 0) * width + max(x - 1, 0)];",
        """\
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) s = in[y * width + x];
    else
        for (int v = y - 1; v <= y + 1; v++)
            for (int u = x - 1; u <= x + 1; u++)
                s += in[v * width + u];""",
        """\
    for (int v = y - 1; v <= y + 1; v++)
        for (int u = x - 1; u <= x + 1; u++)
            if (u >= 0 && u < width && v >= 0 && v < height) s += in[v * width + u];""",
        "    s = in[((y + height - 1) % height) * width + x];",
    ],
)
def test_right_ones_are_silent(body):
    assert_marked(RULE, FRAME % body, "opencl")


def test_in_cuda_too():
    code = """\
__global__ void smooth(const float *in, float *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, pitch = gridDim.x * blockDim.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * pitch + x] = in[(y - 1) * pitch + x]; // bad
}
"""
    assert_marked(RULE, code)
    assert_marked(RULE, code.replace("; // bad", ";").replace("    out", "    if (y > 0) out"))


PARTS = """
__global__ void rounds(const unsigned *state, unsigned *out, int part, int cells, int shift) {
    int start = part * (cells >> shift);
    unsigned last = 0;
    if (part != 0) last = state[blockIdx.x * blockDim.x + threadIdx.x + BACK];%s
    out[blockIdx.x * blockDim.x + threadIdx.x] = last;
}
"""


def test_what_is_taken_away_from_where_a_part_begins():
    assert_marked(RULE, PARTS.replace("BACK", "start - 32") % "")
    assert_marked(RULE, PARTS.replace("BACK", "start * 0 - 32") % " // bad")


def test_numbers_that_wrap_are_not_before_the_start() -> None:
    code = """
__kernel void unfold(int ow, int oh, int kh, int kw, int channels, __global float *col, int start) {
    const int w = get_global_id(0), h = (int)get_global_id(1) % oh, c = (int)get_global_id(1) / oh;
    if (h < oh && w < ow && c < channels) {
        for (int i = 0; i < kh; ++i)
            for (int j = 0; j < kw; ++j) {
                const int flipped = kh * kw - j - kw * i - 1;
                const int at = w + ow * h + flipped * ow * oh + c * ow * oh * kh * kw;
                col[at + start] = 1.0f;
            }
    }
}
"""
    assert not findings(RULE, code, "opencl")
    assert findings(RULE, code.replace("at = w +", "at = w - 1 +").replace("[at + start]", "[at]"), "opencl")


AROUND = """
__kernel void around(__global const float *x, __global const int *kind, __global float *out, const int n) {
    const int i = get_global_id(0);
    if (i >= n) return;
    if (kind[i] != 3) return;
    float s = x[i];
    LEFT s += x[i - 1];
    RIGHT s += x[i + 1];
    out[i] = s;
}
"""


@pytest.mark.parametrize(
    ("left", "right", "bad"),
    [
        ("", "if (i + 1 < n)", True),
        ("if (i > 0)", "if (i + 1 < n)", False),
        ("", "if (kind[i + 1] == 2)", False),
        ("if (kind[i] != 4)", "if (i + 1 < n)", False),
        ("", "", False),
    ],
)
def test_data_that_both_neighbours_stand_under(left: str, right: str, bad: bool) -> None:
    found = findings(RULE, AROUND.replace("LEFT", left).replace("RIGHT", right), "opencl")
    assert bool(found) is bad, [one.message for one in found]


WINDOW = """
__global__ void weigh(const float *in, const float *tap, float *out, int n, int w, int pad) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int k = 0; k < LOOP; k++) {
        TYPE j = PLACE;
        if (TEST) sum += in[j] * tap[k];
    }
    out[i] = sum;
}
"""


@pytest.mark.parametrize(
    ("place", "test", "loop", "bad"),
    [
        ("i + k - w / 2", "j < n", "w", True),
        ("i - k + w / 2", "j < n", "w", True),
        ("i - k", "j <= n - 1", "w", True),
        ("i + k - pad", "j < n", "2 * pad + 1", True),
        ("i + k - pad", "j < n", "w", False),  # how far the taps reach, and whether there is a margin, the caller knows
        ("i + k - w / 2", "true", "w", False),
        ("i + k - w / 2", "j < n && j >= 0", "w", False),
        ("i + k - w / 2", "j < n && i >= w / 2", "w", False),
        ("abs(i + k - w / 2)", "j < n", "w", False),
        ("i + k", "j < n", "w", False),
        ("i - k", "j < n", "min(w, i + 1)", False),
    ],
)
def test_windows_that_are_tested_at_their_end_alone(place: str, test: str, loop: str, bad: bool) -> None:
    code = WINDOW.replace("PLACE", place).replace("TEST", test).replace("LOOP", loop)
    assert RULE is not None
    assert bool(findings(RULE, code.replace("TYPE", "int"))) is bad
    assert not findings(RULE, code.replace("TYPE", "unsigned"))


SPREAD = """
__global__ void spread(const float *in, const float *tap, float *out, int n, int w) {
    int at = FIRST;
    while (at < n * w) {
        int k = at % w, i = at / w, j = i - (k - w / 2);
        if (TEST) atomicAdd(&out[i], in[j] * tap[k]);
        if (n < 8) at += gridDim.x; else at += gridDim.x * blockDim.x;
    }
}
"""


@pytest.mark.parametrize(
    ("first", "test", "bad"),
    [
        ("blockIdx.x * blockDim.x + threadIdx.x", "j < n", True),
        ("blockIdx.x * blockDim.x + threadIdx.x", "j >= 0 && j < n", False),
        ("(blockIdx.x * blockDim.x + threadIdx.x) * w * w", "j < n && k < w / 2", False),
    ],
)
def test_the_first_round_of_a_loop_without_a_formula(first: str, test: str, bad: bool) -> None:
    assert RULE is not None
    assert bool(findings(RULE, SPREAD.replace("FIRST", first).replace("TEST", test))) is bad


CORNERS = """
struct Image { int height, width; float *data; };
__global__ void spread(const float *in, const int rows, const int columns, float *out, const int h, const int w) {
    const int y = threadIdx.y + blockDim.y * blockIdx.y, x = threadIdx.x + blockDim.x * blockIdx.x;
    if (y < rows / 2 && x < columns / 2) {
        out[y * w + x] = in[y * columns + x];
        out[(END - y) * w + x] = in[(rows - 1 - y) * columns + x];
    }
}
void run(Image *in, Image *out) {
    dim3 block(16, 16), grid((in->width / 2 + 15) / 16, (in->height / 2 + 15) / 16);
    spread<<<grid, block>>>(in->data, in->height, in->width, out->data, out->height, out->width);
}
"""


@pytest.mark.parametrize(("end", "bad"), [("h - 1", False), ("h / 8 - 1", True)])
def test_sizes_that_callers_match(end: str, bad: bool) -> None:
    """That one image is smaller than the other is nobody's claim; of sizes a little apart an eighth is too few."""
    assert bool(findings(RULE, CORNERS.replace("END", end))) is bad
