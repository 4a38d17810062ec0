"""Vectors behind one of two headers of different lengths."""

from __future__ import annotations

import pytest
from kernlint_rules.memory.misaligned_vector_access import MisalignedVectorAccess

from tests.rules.marked import findings

RECORDS = """
__device__ const char *body(const char *record) { return record + ((record[0] & 1) ? SHORT : LONG); }
__device__ int4 item(const char *items, int k) { return reinterpret_cast<const int4 *>(items)[k]; }
__global__ void sums(const char *heap, const unsigned *at, int *out, int n) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    const char *items = body(heap + at[row]);
    int sum = 0;
    for (int k = 0; k < 4; ++k) { const int4 v = item(items, k); sum += v.x + v.y + v.z + v.w; }
    out[row] = sum;
}
"""
FIELDS = """
__kernel void fields(__global const uchar *tags, __global const float *pool, __global float4 *out) {
    const int i = get_global_id(0);
    const int ahead = tags[i] > 3 ? SHORT : LONG;
    out[i] = *(__global const float4 *)(pool + 64 * i + ahead);
}
"""
WORDS = """
__global__ void keys(const unsigned char *packed, const int *begin, unsigned long long *out, int wide) {
    const unsigned char *at = packed + begin[blockIdx.x];
    at += packed[blockIdx.x] == 7 ? SHORT : LONG;
    out[blockIdx.x] = *reinterpret_cast<const unsigned long long *>(at);
}
"""


def _of(code: str, one: int, other: int) -> str:
    return code.replace("SHORT", str(one)).replace("LONG", str(other))


@pytest.mark.parametrize(
    ("code", "one", "other", "language"),
    [(RECORDS, 1, 4, "cuda"), (FIELDS, 1, 2, "opencl"), (WORDS, 1, 3, "cuda")],
    ids=["records", "fields", "words"],
)
def test_neither_header_is_a_multiple(code: str, one: int, other: int, language: str) -> None:
    assert findings(MisalignedVectorAccess, _of(code, one, other), language)


@pytest.mark.parametrize(
    ("code", "one", "other", "language"),
    [(RECORDS, 16, 32, "cuda"), (FIELDS, 4, 8, "opencl"), (WORDS, 8, 16, "cuda")],
    ids=["records", "fields", "words"],
)
def test_headers_of_whole_vectors(code: str, one: int, other: int, language: str) -> None:
    assert not findings(MisalignedVectorAccess, _of(code, one, other), language)


def test_what_chooses_may_make_up_for_it() -> None:
    code = (
        _of(RECORDS, 1, 4)
        .replace("(record[0] & 1)", "odd")
        .replace("(const char *record)", "(const char *record, int odd)")
    )
    code = code.replace("body(heap + at[row])", "body(heap + at[row], at[row] & 1)")
    assert not findings(MisalignedVectorAccess, code)
