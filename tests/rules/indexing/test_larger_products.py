"""Products in 32 bits that are larger than one that was widened on purpose, and places that are tested a step ahead."""

from __future__ import annotations

import pytest
from kernlint_rules.indexing.index_overflow import IndexOverflow

from tests.rules.marked import findings

TAPS = """
__global__ void fold(const float *cols, float *image, int channels, int taps, int rows, int width) {
    const long long pixel = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    const int channel = blockIdx.y;
    if (pixel >= (long long)rows * width) return;
    const WIDE first = (WIDE)channel * taps * rows * width;
    float sum = 0.0f;
    for (int tap = 0; tap < taps; ++tap) {
        const long long at = CAREtap * rows * width;
        sum += cols[first + at + pixel];
    }
    image[(long long)channel * rows * width + pixel] = sum;
}
"""


@pytest.mark.parametrize(
    ("wide", "care", "lines"),
    [("int", "(long long)", 1), ("long long", "(long long)", 0), ("long long", "", 1)],
)
def test_the_larger_product_is_the_one_that_needs_it(wide: str, care: str, lines: int) -> None:
    assert len(findings(IndexOverflow, TAPS.replace("WIDE", wide).replace("CARE", care))) >= lines
    if not lines:
        assert not findings(IndexOverflow, TAPS.replace("WIDE", wide).replace("CARE", care))


WEIGHTS = """
__global__ void blur(const float *in, const float *weights, float *out, int rows, int width, int size) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= width) return;
    float sum = 0.0f;
    for (int j = 0; j < size; ++j)
        for (int i = 0; i < size; ++i) sum += weights[j * size + i] * in[(long long)y * width + x];
    out[(long long)y * width + x] = sum;
}
"""


def test_a_small_product_beside_a_careful_one_is_fine() -> None:
    assert not findings(IndexOverflow, WEIGHTS)


STEP = """
__global__ void copy(float *out, const float *in, COUNT n) {
    const int at = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (at + 4 <= n) *(float4 *)(out + at) = *(const float4 *)(in + at);
}
"""


@pytest.mark.parametrize(("count", "bad"), [("long long", True), ("int", False)])
def test_a_place_that_is_tested_a_step_ahead(count: str, bad: bool) -> None:
    assert bool(findings(IndexOverflow, STEP.replace("COUNT", count))) is bad


PITCHED = """
__global__ void unpack(const KIND *in, float *out, int pitch, int wide) {
    const float *row = (const float *)(in + WIDEblockIdx.x * pitch);
    for (int c = threadIdx.x; c < wide; c += blockDim.x) out[(size_t)blockIdx.x * wide + c] = row[c];
}
"""


@pytest.mark.parametrize(
    ("kind", "wide", "bad"),
    [
        ("char", "", True),
        ("float", "", True),
        ("char", "(size_t)", False),
        ("float", "(size_t)", False),
        ("double", "", False),  # a pitch in longer elements than are gone through may be smaller
    ],
)
def test_rows_lie_as_far_apart_as_they_are_long(kind: str, wide: str, bad: bool) -> None:
    text = PITCHED.replace("KIND", kind).replace("WIDE", wide)
    assert bool(findings(IndexOverflow, text)) is bad
