"""Vectors that a host launches only for sizes which are whole numbers of them."""

import pytest

from kernlint import registry
from tests.rules.marked import assert_marked

RULE = registry.load().get("KL102")

VECTORS = """\
__global__ void add(float *x, const float *y, int n) {
    int at = blockIdx.x * 1024 + threadIdx.x * 4;
    if (at >= n) return;
    float4 v = *(const float4 *)(y + at);%s
    float4 *p = (float4 *)(x + at);
    p->x += v.x;
    p->y += v.y;%s
}
void run(float *x, const float *y, int n) {
    %s {
        add<<<(n + 1023) / 1024, 256>>>(x, y, n);
    }
}
"""


@pytest.mark.parametrize("test", ["if (n % 4 == 0)", "if (n > 9 && n % 8 == 0)"])
def test_a_size_that_the_host_tests_to_be_a_multiple_has_no_last_part(test):
    assert_marked(RULE, VECTORS % ("", "", test))


@pytest.mark.parametrize("test", ["if (n > 9)", "if (n % 2 == 0)"])
def test_another_size_has(test):
    assert_marked(RULE, VECTORS % (" // bad", " // bad", test))


SAID = """\
struct View { float *data; int rows, cols; };  // %s
__global__ void scale(View v, const float *w) {
    int col = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (col < v.cols) {
        float4 x = *(const float4 *)(w + col);%s
        v.data[col] = x.x + x.y + x.z + x.w;
    }
}
"""


@pytest.mark.parametrize("said", ["cols is a multiple of 4", "used only if rows % 2 == 0 and cols % 8 == 0"])
def test_a_size_that_a_comment_calls_a_multiple_is_one(said):
    assert_marked(RULE, SAID % (said, ""))


@pytest.mark.parametrize("said", ["cols need not be a multiple of 4", "cols is a multiple of 2", "if cols % 4 == 0"])
def test_what_a_comment_leaves_open_is_open(said):
    assert_marked(RULE, SAID % (said, "  // bad"))


ROWS = """\
__global__ void scale(const float *in, const float *w, float *out, int width) {
    int col = 4 * (blockIdx.x * blockDim.x + threadIdx.x), row = blockIdx.y;
    if (col < width) {
        float4 y = *(const float4 *)(w + col);%s
        %s
    }
}
"""


def test_rows_that_vectors_begin_are_whole_numbers_of_them():
    row = "*(float4 *)(out + row * width + col) = y;"
    assert_marked(RULE, ROWS % ("", row))
    assert_marked(RULE, ROWS % ("  // bad", "out[row * width + col] = y.x + y.w;"))
