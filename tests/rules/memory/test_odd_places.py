"""Vectors, and numbers of 8 bytes, at odd places: in a mode, behind an element per block, in a row nobody asks of."""

from __future__ import annotations

import pytest
from kernlint_rules.memory.misaligned_vector_access import MisalignedVectorAccess

from tests.rules.marked import assert_pair

PAIRS = {
    "in a mode that a caller asks for": """
__global__ void sums(const float *x, float *y, int mode, const int *done) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (*done) return;
    if (mode == 1) {
        const float4 *p = (const float4 *)(x + i + 1);  // only bad
        const float4 *p = (const float4 *)(x + 4 * i);  // only good
        float4 v = p[0];  // bad
        y[i] = v.x + v.w;
    }
}
""",
    "behind as many smaller elements as there are blocks": """
__global__ void scale(const char *both, int n, double *to) {
    const int *row = reinterpret_cast<const int *>(both);  // only bad
    const double *by = reinterpret_cast<const double *>(both + n * sizeof(int));  // only bad
    const double *by = reinterpret_cast<const double *>(both);  // only good
    const int *row = reinterpret_cast<const int *>(both + n * sizeof(double));  // only good
    to[row[blockIdx.x] * 128 + threadIdx.x] *= by[blockIdx.x];  // bad
}
void run(const char *both, int n, double *to) { scale<<<n, 128>>>(both, n, to); }
""",
    "rows of another array than the one that was asked about": """
__device__ void row(const unsigned short *from, unsigned short *to, int n) {
    const bool wide = ((unsigned long long)from & 15) == 0;  // only bad
    const bool wide = (((unsigned long long)from | (unsigned long long)to) & 15) == 0;  // only good
    if (!wide) {
        for (int i = threadIdx.x; i < n; i += blockDim.x) to[i] = from[i];
        return;
    }
    for (int i = threadIdx.x; i < n / 8; i += blockDim.x) ((uint4 *)to)[i] = ((const uint4 *)from)[i];  // bad
    for (int i = n / 8 * 8 + threadIdx.x; i < n; i += blockDim.x) to[i] = from[i];
}
__global__ void store(const unsigned short *from, unsigned short *to, const long long *slot, long long step, int heads,
                      int size) {
    const int n = heads * size;
    row(from + blockIdx.x * step, to + slot[blockIdx.x] * n, n);
}
""",
}


@pytest.mark.parametrize("text", PAIRS.values(), ids=PAIRS.keys())
def test_odd_places(text: str) -> None:
    assert_pair(MisalignedVectorAccess, text)
