"""Elements that data choose in rows of a length that stands in the index."""

import pytest

from kernlint import registry
from tests.rules.marked import assert_marked

RULE = registry.load().get("KL102")

SHIFTED = """\
__global__ void beam(const float *in, const int *delay, int channels, int n, float *out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    float sum = 0;
    for (int c = 0; c < channels; c++) {
        int at = t + delay[c];
        if (%s) sum += in[c * n + at];%s
    }
    out[t] = sum;
}
"""


def test_the_length_of_the_row_is_no_place_in_it():
    assert_marked(RULE, SHIFTED % ("at >= 0 && at <= n", "  // bad"))


@pytest.mark.parametrize("test", ["at >= 0 && at < n", "at >= 0 && at <= n && at < n", "at >= 0 && at <= n - 1"])
def test_what_is_kept_below_it_is(test):
    assert_marked(RULE, SHIFTED % (test, ""))


NODES = """\
__kernel void heights(__global const float2 *where, __global const float *node, __global float *out,
                      int points, int nx, int ny) {
    int p = get_global_id(0);
    if (p >= points) return;
    int i = convert_int_rtn(where[p].x), j = convert_int_rtn(where[p].y);
    if (i < 0 || j < 0 || i >= nx%s || j >= ny%s) return;
    out[p] = node[j * nx + i] + node[j * nx + i + 1]%s;%s
}
"""


def test_the_neighbour_of_the_last_node_is_beyond_it():
    assert_marked(RULE, NODES % ("", "", "", "  // bad"), "opencl")
    assert_marked(RULE, NODES % (" - 1", " - 1", "", ""), "opencl")
    assert_marked(RULE, NODES % ("", "", " + node[j * nx + i - 1]", ""), "opencl")


MARKS = """\
__global__ void mark(const int2 *where, int count, int width, int height, int *sum) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    int x = where[i].x, y = where[i].y;
    if (x < 0 || y < 0 || x >= width || y >= %s) return;
    atomicAdd(sum + y * width + x, 1);%s
}
"""


def test_rows_that_data_choose_are_counted_by_their_number():
    assert_marked(RULE, MARKS % ("width", "  // bad"))
    assert_marked(RULE, MARKS % ("height", ""))


STREAM = """\
__global__ void stream(const float *x, const int *starts, float *sums) {
    __shared__ float part[1024];
    int first = starts[blockIdx.x], last = starts[blockIdx.x + 1];
    for (int base = first; base < last; base += blockDim.x) {
        int at = base + threadIdx.x;
        if (%s < last) part[at - first] = x[at];%s
    }
    __syncthreads();
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
"""


def test_a_test_that_the_loop_has_made_is_none_of_the_index():
    assert_marked(RULE, STREAM % ("base", "  // bad"))
    assert_marked(RULE, STREAM % ("at", ""))


EDGES = """\
__global__ void inner(const float *in, float *out, int edge, int w, int h, int stride) {
    int x = blockIdx.x * blockDim.x + threadIdx.x + edge, y = blockIdx.y * blockDim.y + threadIdx.y + edge;
    if (x >= %s - edge || y >= %s - edge) return;
    out[y * stride + x] = in[y * stride + x];%s
}
void run(const float *in, float *out, int edge, int w, int h, int stride) {
    dim3 block(32, 8), grid((w - 2 * edge + 31) / 32, (h - 2 * edge + 7) / 8);
    inner<<<grid, block>>>(in, out, edge, w, h, stride);
}
"""


def test_axes_of_a_launch_that_leaves_out_an_edge():
    assert_marked(RULE, EDGES % ("h", "w", "  // bad"))
    assert_marked(RULE, EDGES % ("w", "h", ""))


VOLUME = """\
__global__ void probe(const float *vol, const float3 *at, float *out, int nx, int ny, int nz, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = (int)floorf(at[i].x), y = (int)floorf(at[i].y), z = (int)floorf(at[i].z);
    float sum = 0.0f;
    if (x >= 0 && y >= 0 && z >= 0 && x < nx%s && y < ny%s && z < nz%s)
        sum = vol[(z * ny + y) * nx + x] + vol[(z * ny + y) * nx + x + 1]
            + vol[(z * ny + y + 1) * nx + x]%s
            + vol[((z + 1) * ny + y) * nx + x];%s
    out[i] = sum;
}
"""


@pytest.mark.parametrize(
    ("tests", "marks"),
    [
        ((" - 1", " - 1", " - 1"), ("", "")),
        ((" - 1", " - 1", ""), ("", "  // bad")),
        ((" - 1", "", " - 1"), ("  // bad", "")),
    ],
)
def test_neighbours_along_each_axis(tests, marks):
    assert_marked(RULE, VOLUME % (*tests, *marks))


CLAMPED = """\
__kernel void soften(__global const float *img, __global const float2 *at, __global float *out, int w, int h, int n) {
    int i = get_global_id(0);
    if (i >= n) return;
    int x = clamp((int)at[i].x, 0, w - %d), y = clamp((int)at[i].y, 0, h - %d);
    float sum = img[y * w + x] + img[y * w + x + 1]%s;
    out[i] = sum + img[(y + 1) * w + x];%s
}
"""


@pytest.mark.parametrize(("x", "y", "mark"), [(2, 2, ""), (2, 1, "  // bad"), (4, 1, "")])
def test_clamps_that_keep_a_neighbour_inside_along_one_axis(x, y, mark):
    assert_marked(RULE, CLAMPED % (x, y, "", mark), "opencl")


FLAGS = """\
__device__ int cell(float2 p, int w, int h) {
    int x = (int)p.x, y = (int)p.y;
    if (x < 0 || y < 0 || x >= w || y %s h) return -1;
    return y * w + x;
}

__global__ void deposit(const float2 *at, float *grid, int w, int h, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int c = cell(at[i], w, h);
    if (c %s) atomicAdd(&grid[c], 1.0f);%s
}

__global__ void clear(float *grid, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) grid[y * w + x] = 0.0f;
}
"""


@pytest.mark.parametrize("asked", [">= 0", "!= -1", "> -1"])
@pytest.mark.parametrize(("end", "mark"), [(">=", ""), (">", "  // bad")])
def test_a_helper_that_answers_a_negative_number_outside(asked, end, mark):
    assert_marked(RULE, FLAGS % (end, asked, mark))


def test_a_flag_that_says_what_is_outside():
    flag = """\
__global__ void mark(const float2 *at, unsigned *seen, int w, int h, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = (int)at[i].x, y = (int)at[i].y, keep = 1;
    if (x < 0 || y < 0 || x >= w || y >= %s) keep = 0;
    if (keep) atomicAdd(&seen[y * w + x], 1u);%s
}
"""
    assert_marked(RULE, flag % ("h", ""))
    assert_marked(RULE, flag % ("w", "  // bad"))
