"""Coordinates that a stride multiplies: ``y * stride - pad + k`` is one number, and stride no distance of rows."""

import pytest

from kernlint import registry
from tests.rules.marked import assert_marked

SWAPPED, WRONG = registry.load().get("KL403"), registry.load().get("KL102")

COLUMNS = """\
__global__ void columns(const float *image, int height, int width, int k, int pad, int stride, int rows, int cols,
                        int n, float *out) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        const int x = i %% cols, y = i / cols %% rows, plane = i / cols / rows;
        float sum = 0;
        for (int dy = 0; dy < k; ++dy)
            for (int dx = 0; dx < k; ++dx) {
                const int iy = y * stride - pad + dy, ix = x * stride - pad + dx;
                if (%s)
                    sum += image[(plane * height + iy) * width + ix]; %s
            }
        out[i] = sum;
    }
}
"""


def test_each_coordinate_has_the_other_ones_size():
    assert_marked(SWAPPED, COLUMNS % ("iy >= 0 && ix >= 0 && iy < width && ix < height", "// bad"))


def test_the_size_itself_is_in_the_next_row():
    assert_marked(WRONG, COLUMNS % ("iy >= 0 && ix >= 0 && iy < height && ix <= width", "// bad"))


@pytest.mark.parametrize("rule", [SWAPPED, WRONG])
@pytest.mark.parametrize(
    "test",
    [
        "iy >= 0 && ix >= 0 && iy < height && ix < width",
        "(unsigned)iy < (unsigned)height && (unsigned)ix < (unsigned)width",
        "iy >= 0 && ix >= 0 && iy <= height - 1 && ix <= width - 1",
    ],
)
def test_each_has_its_own(rule, test):
    assert_marked(rule, COLUMNS % (test, ""))
