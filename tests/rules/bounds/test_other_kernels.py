"""What another kernel of the file tests of the same rows, and of the same index array."""

import pytest

from kernlint import registry
from tests.rules.marked import assert_marked

RULE = registry.load().get("KL101")

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
