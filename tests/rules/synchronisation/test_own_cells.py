"""Cells of shared memory that each thread has for itself: alike for all threads as far as what is put there is."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import assert_marked

CODE = """
__global__ void rounds(const float *table, const float *x, float *out, int n) {
    __shared__ float c;
    __shared__ int turn[256];
    int t = threadIdx.x;
    turn[t] = FIRST;
    while (turn[t] < n) {
        c = table[turn[AT]];
        out[turn[t] * 256 + t] = c * x[t];  // bad
        __syncthreads();
        turn[t] = turn[t] + gridDim.x;
    }
}
void run(const float *table, const float *x, float *out, int n) { rounds<<<64, 256>>>(table, x, out, n); }
"""


@pytest.mark.parametrize(
    ("first", "at", "marked"),
    [
        ("blockIdx.x", "t", False),
        ("blockIdx.x + t % 2", "t", True),
    ],
)
def test_turns(first: str, at: str, marked: bool) -> None:
    code = CODE.replace("FIRST", first).replace("AT", at)
    assert_marked(SharedMemoryRace, code if marked else code.replace("  // bad", ""))


def test_what_others_read_too_is_no_variable_of_the_thread() -> None:
    code = """
__global__ void halves(const int *table, int *out) {
    __shared__ int half[256];
    int t = threadIdx.x;
    half[t] = table[blockIdx.x];
    out[t] = half[255 - t];  // bad
}
void run(const int *table, int *out) { halves<<<64, 256>>>(table, out); }
"""
    assert_marked(SharedMemoryRace, code)
