"""Rows that are filled from a counter which the code itself caps: as long as the cap fits, no row reaches the next."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace

from tests.rules.marked import assert_marked

PLAIN = """
template <int MOST>
__global__ void candidates(const int *lengths, float *rows, int n) {
    int row = blockDim.x * blockIdx.x + threadIdx.x;
    if (row >= n) return;
    int held = 0;
    for (int j = 0; j < lengths[blockIdx.x]; ++j)
        if (held < MOST) held++;
    for (int k = 0; k < held; ++k)
        rows[row + k] = 1.0f * k;%s
}
template __global__ void candidates<%d>(const int *, float *, int);
"""

CLASS = """
template <typename T>
class Pool {
 public:
    __device__ explicit Pool(unsigned room) : room(room), used(0) {}
    __device__ void offer(T key) {
        if (used < room) {
            used++;
        } else if (key < worst) {
            worst = key;
        }
    }
    __device__ unsigned size() const { return used; }

 private:
    unsigned room, used;
    T worst;
};

template <unsigned MOST>
__global__ void candidates(const int *lengths, float *rows, int n) {
    int row = blockDim.x * blockIdx.x + threadIdx.x;
    if (row >= n) return;
    Pool<int> pool(MOST);
    for (int j = 0; j < lengths[blockIdx.x]; ++j) pool.offer(j);
    for (unsigned k = 0; k < pool.size(); ++k)
        rows[row + k] = 1.0f * k;%s
}
template __global__ void candidates<%d>(const int *, float *, int);
"""

NESTED = """
__global__ void candidates(const int *lengths, float *rows, int n) {
    int row = blockDim.x * blockIdx.x + threadIdx.x;
    if (row >= n) return;
    int held = 0;
    for (int j = 0; j < lengths[blockIdx.x]; ++j)
        for (int i = 0; i < lengths[blockIdx.x + 1]; ++i)
            held = held < %d ? held + 1 : held;
    for (int k = 0; k < held; ++k)
        rows[row + k] = 1.0f * k;%s
}
"""


@pytest.mark.parametrize("code", [PLAIN, CLASS], ids=["plain", "class"])
def test_a_cap_that_fits_keeps_rows_apart_and_one_that_does_not_is_still_seen(code: str) -> None:
    assert_marked(GlobalMemoryRace, code % ("", 1))
    assert_marked(GlobalMemoryRace, code % ("  // bad", 2))


def test_what_a_loop_within_counts_is_capped_too() -> None:
    assert_marked(GlobalMemoryRace, NESTED % (1, ""))
    assert_marked(GlobalMemoryRace, NESTED % (2, "  // bad"))


def test_a_counter_that_is_set_back_or_only_tested_elsewhere_has_no_cap() -> None:
    grown = PLAIN.replace("if (held < MOST) held++;", "if (held < MOST) held += 2;")
    assert_marked(GlobalMemoryRace, grown % ("  // bad", 1))
    tested = PLAIN.replace("if (held < MOST) held++;", "if (j < MOST) held++;")
    assert_marked(GlobalMemoryRace, tested % ("  // bad", 1))
