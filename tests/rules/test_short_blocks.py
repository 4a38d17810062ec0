"""Blocks with fewer threads than the rows that they fill have elements."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.uncovered_tail import UncoveredTail

from tests.rules.marked import assert_marked, findings

ROWS = """
constexpr int kWidth = 96;
__global__ void spread(const float *in, float *out, int rows) {
    const int c = threadIdx.x, row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row < rows && c < kWidth) out[row * kWidth + c] = in[row];
}
void run(const float *in, float *out, int rows) {
    spread<<<(rows + 3) / 4, dim3(64, 4)>>>(in, out, rows);  // bad
}
"""

BLOCK = """
__global__ void scale(float *cells, const float *by, int width) {
    const int c = threadIdx.x;
    if (c < width) cells[blockIdx.x * width + c] *= by[blockIdx.x];
}
void run(float *cells, const float *by, int rows, int width) {
    if (width < 1 || width > 20000) return;
    const int threads = width < 1024 ? width : 1024;
    scale<<<rows, threads>>>(cells, by, width);  // bad
}
"""


@pytest.mark.parametrize("code", [ROWS, BLOCK], ids=["rows", "block"])
def test_rows_that_are_longer(code: str) -> None:
    good = code.replace("dim3(64, 4)", "dim3(96, 4)").replace("width > 20000", "width > 1024")
    assert_marked(UncoveredTail, code)
    assert_marked(UncoveredTail, good.replace("// bad", ""))


PARTS = """
__global__ void largest(const float *v, float *out, int count) {
    __shared__ float s[512];
    const int t = threadIdx.x, threads = blockDim.x;
    if (t >= count) return;
    float m = 0.0f;
    for (int i = 0; i < (count + threads - 1) / threads; i++) {
        const int at = PLACE;
        if (at >= count) break;
        m = max(m, v[blockIdx.x * count + at]);
    }
    s[t] = m;
    __syncthreads();
    if (t < count) out[blockIdx.x * 512 + t] = s[threads - 1 - t] + m;
}
void run(const float *v, float *out, int batch, int count) {
    const int threads = count < 512 ? count : 512;
    largest<<<batch, threads>>>(v, out, count);
}
"""


@pytest.mark.parametrize(("place", "told"), [("i * threads + t", False), ("i + t", True), ("t", True)])
def test_threads_that_go_on_by_the_size_of_their_block(place: str, told: bool) -> None:
    assert bool(findings(UncoveredTail, PARTS.replace("PLACE", place))) is told
