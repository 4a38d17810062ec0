"""Loops that go as far as data say over arrays of a length that another kernel clamps the same data to."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange

from tests.rules.marked import findings

READS = """
constexpr int kLongest = 150;
__global__ void by_quality(const char *base, const int *length, float *score, int pitch, int reads) {
    __shared__ char row[kLongest];
    const int n = FIRST;
    for (int k = threadIdx.x; k < n; k += blockDim.x) row[k] = base[blockIdx.x * pitch + k];
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < n; ++k) sum += row[k];
    if (threadIdx.x == 0) score[blockIdx.x] = sum;
}
__global__ void by_letter(const char *base, const int *length, int *count, int pitch, int reads) {
    __shared__ char row[ROOM];
    const int n = SECOND;
    TEST
    for (int k = threadIdx.x; k < n; k += blockDim.x) row[k] = base[blockIdx.x * pitch + k];
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < n; ++k) sum += row[k] == 'N';
    if (threadIdx.x == 0) count[blockIdx.x] = sum;
}
"""

OWN = "length[blockIdx.x]"


@pytest.mark.parametrize(
    ("first", "room", "second", "test", "bad"),
    [
        (f"min({OWN}, kLongest)", "kLongest", OWN, "", True),
        (f"{OWN} < kLongest ? {OWN} : kLongest", "kLongest", OWN, "", True),
        (f"min({OWN}, kLongest)", "kLongest", f"min({OWN}, kLongest)", "", False),
        (f"min({OWN}, kLongest)", "kLongest", OWN, "if (n > kLongest) return;", False),
        (f"min({OWN}, kLongest)", "2 * kLongest", OWN, "", False),
        (f"min({OWN}, 100)", "kLongest", OWN, "", False),
        (OWN, "kLongest", OWN, "", False),
    ],
)
def test_lengths_of_reads(first: str, room: str, second: str, test: str, bad: bool) -> None:
    code = READS.replace("FIRST", first).replace("ROOM", room).replace("SECOND", second).replace("TEST", test)
    found = findings(ArrayIndexOutOfRange, code)
    assert bool(found) is bad, [one.message for one in found]


LISTS = """
#define ROOM 64
__global__ void gather(const int *first, const int *many, const int *from, int *row, int n) {
    const int i = blockIdx.x;
    if (i >= n) return;
    const int end = END;
    for (int k = threadIdx.x; k < end; k += blockDim.x) row[PITCH + k] = from[first[i] + k];
}
__global__ void degree(const int *row, const int *many, float *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int k = 0; k < min(many[i], ROOM); ++k) sum += row[i * ROOM + k];
    out[i] = sum;
}
"""


@pytest.mark.parametrize(
    ("end", "pitch", "bad"),
    [
        ("many[i]", "i * ROOM", True),
        ("min(many[i], ROOM)", "i * ROOM", False),
        ("many[i]", "i * 100", False),
        ("many[i] % ROOM", "i * ROOM", False),
        ("many[i]", "first[i]", False),
    ],
)
def test_rows_in_memory_that_another_kernel_clamps_the_length_of(end: str, pitch: str, bad: bool) -> None:
    found = findings(ArrayIndexOutOfRange, LISTS.replace("END", end).replace("PITCH", pitch))
    assert any("clamps it to that" in one.message for one in found) is bad, [one.message for one in found]
