"""Numbers of which nothing says how large they are, and products that are no places in rows."""

from __future__ import annotations

import pytest
from kernlint_rules.indexing.index_overflow import IndexOverflow

from kernlint.finding import Severity
from tests.rules.marked import findings


def warned(text: str, language: str = "cuda") -> bool:
    return any(one.severity is not Severity.NOTE for one in findings(IndexOverflow, text, language))


CUBE = """
__global__ void nearest(unsigned char *image, const float *cube, int edge, int across, int down) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= across || y >= down) return;
    const float scale = (edge - 1) / 255.0f;
    const int b = INDEX;
    image[y * across + x] = cube[(b * edge + b) * edge + b];
}
void run(unsigned char *image, const float *cube, int edge, int across, int down) {
    if (edge < 2 || edge > LARGEST || across > 4096 || down > 4096) return;
    nearest<<<dim3((across + 15) / 16, (down + 15) / 16), dim3(16, 16)>>>(image, cube, edge, across, down);
}
"""


@pytest.mark.parametrize(
    ("index", "largest", "bad"),
    [
        ("(int)rintf(image[y * across + x] * scale)", "256", False),
        ("__float2int_rn(image[y * across + x] * scale)", "256", False),
        ("min(y, edge - 1)", "256", False),
        ("min(y, edge - 1)", "2048", True),
    ],
)
def test_a_rounded_number_has_no_bound_by_what_it_is_made_of(index: str, largest: str, bad: bool) -> None:
    assert warned(CUBE.replace("INDEX", index).replace("LARGEST", largest)) is bad


STRIPS = """
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void columns(__global const float *in, __global float *out, const int width, const int radius, const int strip) {
    const int lid = get_local_id(0);
    const int x = (int)get_group_id(0) * ((int)get_local_size(0) - 2 * radius) + lid;
    const int y = (int)get_group_id(1) * strip;
    const int pitch = width + 2 * radius;
    if (x >= width) return;
    float sum = 0.0f;
    for (int i = 0; i < strip; ++i) sum += in[(size_t)(y + i) * pitch + x];
    out[PLACE] = sum;
}
"""


@pytest.mark.parametrize(
    ("place", "bad"), [("(size_t)y * width + x", False), ("(int)get_group_id(1) * pitch + x", True)]
)
def test_a_coordinate_of_a_block_is_no_row(place: str, bad: bool) -> None:
    assert warned(STRIPS.replace("PLACE", place), "opencl") is bad


PLANES = """
__kernel void planes(__global const float *in, __global float *out, const int height, const int width, const int n) {
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x >= width || y >= height || z >= n) return;
    const int plane = height * width;
    out[(size_t)z * plane + y * width + x] = in[PLACE];
}
"""


@pytest.mark.parametrize(
    ("place", "bad"),
    [("(size_t)(z / 4 * n + z) * plane + y * width + x", False), ("(size_t)(z * plane + y * width + x)", True)],
)
def test_a_sum_that_is_widened_to_be_multiplied_has_not_wrapped(place: str, bad: bool) -> None:
    assert warned(PLANES.replace("PLACE", place), "opencl") is bad


REMAINDERS = """
__global__ void places(int c, int n, const int *at, float *out) {
    for (int i = threadIdx.x; i < c * n; i += blockDim.x) out[i] += at[i % n * 3];
}
void run(int blocks, int c, int n, const int *at, float *out) {
    if ((long long)c * n > 0x3fffffff || n > LARGEST) return;
    places<<<blocks, 256>>>(c, n, at, out);
}
"""


@pytest.mark.parametrize(("largest", "bad"), [("0x0fffffff", False), ("0x3fffffff", True)])
def test_a_remainder_is_below_what_is_divided_by(largest: str, bad: bool) -> None:
    assert warned(REMAINDERS.replace("LARGEST", largest)) is bad


GROUPS = """
__global__ void groups(float *x, int m, int n) {
    const int group = blockIdx.x * blockDim.x + threadIdx.x;
    if (group >= TEST) return;
    for (int k = 0; k < m; ++k) x[group * m + k] *= 2.0f;
}
// n = 1 << stages, stages in 1..24
void run(float *x, int stages) {
    const int n = 1 << stages;
    for (int i = 1; i <= stages; ++i) groups<<<(n + 255) / 256, 256>>>(x, 1 << i, n);
}
"""


@pytest.mark.parametrize(("test", "bad"), [("n / m", False), ("n", True)])
def test_groups_of_a_size_end_with_it(test: str, bad: bool) -> None:
    assert warned(GROUPS.replace("TEST", test)) is bad
