"""Vectors and numbers at addresses that are no multiple: by numbers of a launch, by threads, by data."""

from __future__ import annotations

import pytest
from kernlint_rules.memory.misaligned_vector_access import MisalignedVectorAccess

from tests.rules.marked import assert_marked

ROWS = """
__global__ void scale(float *m, int cols) {
    float4 *row = (float4 *)(m + (size_t)blockIdx.x * cols);
    for (int c = threadIdx.x; c < cols / 4; c += 256) {
        float4 v = row[c];MARK
        v.x *= 2.0f;
        row[c] = v;MARK
    }
}
void run(float *m, int rows) { scale<<<rows, 256>>>(m, COLS); }
"""

STRINGS = """
__global__ void hash(const char *chars, const int *begin, const int *bytes, unsigned *out, int n) {
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= n) return;
    const char *p = chars + begin[s];
    int length = LENGTH, k = 0;
    unsigned h = 0;
    for (; k + 4 <= length; k += 4) h = h * 33 ^ *(const unsigned *)(p + k);MARK
    for (; k < length; ++k) h = h * 33 ^ p[k];
    out[s] = h;
}
"""

CASES = {
    "a row of an odd length": ROWS.replace("COLS", "1030").replace("MARK", " // bad"),
    "a row of whole vectors": ROWS.replace("COLS", "1032").replace("MARK", ""),
    "runs back to back": STRINGS.replace("LENGTH", "begin[s + 1] - begin[s]").replace("MARK", " // bad"),
    "runs that may be padded": STRINGS.replace("LENGTH", "bytes[s]").replace("MARK", ""),
    "a word at every byte": """
__device__ unsigned word(const unsigned char *p) {
    return *(const unsigned *)p; // bad
}
__global__ void find(const unsigned char *file, int *at, int n, unsigned magic) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 4 <= n && word(file + i) == magic) atomicMin(at, i);
}
""",
    "a field of a pitched image": """
__global__ void twice(char *base, size_t pitch, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < w && y < h) ((float *)(base + y * pitch))[x] *= 2.0f;
}
""",
}


@pytest.mark.parametrize("name", CASES)
def test_case(name: str) -> None:
    assert_marked(MisalignedVectorAccess, CASES[name])
