"""Numbers in floating point that are clamped, scaled and made an index: the end of the clamp is one of them."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import assert_marked, findings

TEXT = """
__device__ int place(float x, float low, float high) {
    BODY
}
__global__ void count(const float *x, unsigned *out, int n, float low, float high) {
    __shared__ unsigned bins[48];
    for (int b = threadIdx.x; b < 48; b += blockDim.x) bins[b] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[place(x[i], low, high)], 1u);MARK
    __syncthreads();
    for (int b = threadIdx.x; b < 48; b += blockDim.x) atomicAdd(out + b, bins[b]);
}
"""

BAD = (
    "return (int)(fminf(fmaxf(x, 0.0f), 1.0f) * 48);",
    "return (int)(48.0f * __saturatef(x));",
    "return static_cast<int>((fminf(fmaxf(x, low), high) - low) / (high - low) * 48);",
    "float v = fmaxf(fminf(x, high), low); float part = (v - low) / (high - low); return (int)(part * 48.0f);",
    "return (int)(fminf(fabsf(x), high) / high * 48.0f);",
    "float v = fminf(fmaxf(x, -1.0f), 1.0f); return (int)((v + 1.0f) * 24.0f);",
    "float v = fminf(fmaxf(x, -1.0f), 1.0f); return (int)((v + 1.0f) / 2.0f * 48.0f);",
)

GOOD = (
    "return (int)(fminf(fmaxf(x, 0.0f), 1.0f) * 47);",
    "return (int)(fminf(fmaxf(x, 0.0f), 1.0f) * 47 + 0.5f);",
    "return (int)(fminf(fmaxf(x, 0.0f), 0.9999f) * 48);",
    "return min((int)(48.0f * __saturatef(x)), 47);",
    "int b = (int)(48.0f * __saturatef(x)); return b < 48 ? b : 47;",
    "int b = (int)(48.0f * __saturatef(x)); if (b == 48) b = 47; return b;",
    "float v = x < 1.0f ? x : 0.99f; return (int)(fmaxf(v, 0.0f) * 48.0f);",
    "return static_cast<int>((fminf(fmaxf(x, low), high) - low) / (high - low) * 47);",
    "return static_cast<int>((fminf(fmaxf(x, low), high) - low) / (high - low + 1.0f) * 48);",
    "return (int)((fminf(x, high) - low) / (1.0f - low) * 48.0f);",
)


@pytest.mark.parametrize("body", BAD)
def test_the_end_of_the_clamp(body: str) -> None:
    assert_marked(ArrayIndexOutOfRange, TEXT.replace("BODY", body).replace("MARK", " // bad"))


@pytest.mark.parametrize("body", GOOD)
def test_what_keeps_below(body: str) -> None:
    assert_marked(ArrayIndexOutOfRange, TEXT.replace("BODY", body).replace("MARK", ""))


def test_the_end_is_left_out() -> None:
    text = TEXT.replace("BODY", "return (int)(__saturatef(x) * 48);").replace("MARK", "")
    assert_marked(ArrayIndexOutOfRange, text.replace("if (i < n)", "if (i < n && x[i] < 1.0f)"))


LATER = """
__global__ void count(const float *x, unsigned *out, int n, float width) {
    __shared__ unsigned bins[48];
    for (int b = threadIdx.x; b < 48; b += blockDim.x) bins[b] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] > 0.0f) {
        int b = (int)(x[i] / width);
        if (b > LAST) b = LAST;
        atomicAdd(&bins[b], 1u);MARK
    }
    __syncthreads();
    for (int b = threadIdx.x; b < 48; b += blockDim.x) atomicAdd(out + b, bins[b]);
}
"""


@pytest.mark.parametrize(("last", "mark"), [("48", " // bad"), ("47", "")])
def test_a_whole_number_that_is_held_down_whatever_was_said_before(last: str, mark: str) -> None:
    assert_marked(ArrayIndexOutOfRange, LATER.replace("LAST", last).replace("MARK", mark))


FLOATS = """
__global__ void smooth(const float *x, float *lut, float *out, int bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < bins) lut[i] = 0.0f;
    if (i < n) out[i] = lut[(int)fminf(fmaxf(x[i], 0.0f), TOP)];
}
"""


@pytest.mark.parametrize(("top", "bad"), [("(float)bins", True), ("bins - 1.0f", False), ("(float)(bins - 1)", False)])
def test_clamps_in_floating_point_to_a_size(top: str, bad: bool) -> None:
    found = findings(WrongBoundsGuard, FLOATS.replace("TOP", top))
    assert any("clamped to bins" in one.message for one in found) is bad, [one.message for one in found]
