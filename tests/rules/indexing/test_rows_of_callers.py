"""Rows that a caller counts, of an array whose rows another kernel finds in 64 bits."""

from __future__ import annotations

import pytest
from kernlint_rules.indexing.index_overflow import IndexOverflow

from tests.rules.marked import assert_marked

CODE = """
__global__ void shrink(float *matrix, const float *scale, int row, int width) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column < width) matrix[%s + column] *= scale[column];%s
}
__global__ void fold(float *matrix, const float *error, int row, int rows, int width) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= width) return;
    for (int r = row + 1 + blockIdx.y; r < rows; r += gridDim.y)
        matrix[(size_t)r * width + column] -= error[column];
}
cudaError_t run(float *a, float *b, const float *scale, const float *error, int rows, int width) {
    for (int row = 0; row < rows; ++row) {
        shrink<<<(width + 255) / 256, 256>>>(%s, scale, row, width);
        fold<<<dim3((width + 255) / 256, 8), 256>>>(a, error, row, rows, %s);
    }
    return cudaGetLastError();
}
"""


@pytest.mark.parametrize(
    ("product", "array", "width", "wrong"),
    [
        ("row * width", "a", "width", True),
        ("(size_t)row * width", "a", "width", False),
        ("row * width", "b", "width", False),
        ("row * width", "a", "2 * width", False),
    ],
)
def test_one_array_is_as_large_for_both(product: str, array: str, width: str, wrong: bool) -> None:
    assert_marked(IndexOverflow, CODE % (product, "  // bad" if wrong else "", array, width))


KINDS = """
__global__ void look(const TYPE *kind, long long width, const float *table, float *out) {
    int i = blockIdx.x * 256 + threadIdx.x;
    int row = kind[i] * width;
    out[i] = table[row + threadIdx.x];%s
}
"""


@pytest.mark.parametrize(("kind", "wrong"), [("unsigned char", False), ("unsigned int", True)])
def test_a_number_of_one_byte_is_no_factor_of_weight(kind: str, wrong: bool) -> None:
    assert_marked(IndexOverflow, KINDS.replace("TYPE", kind) % ("  // bad" if wrong else ""))
