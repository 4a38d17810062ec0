"""Elements of a type that no header gives: threads that meet in one meet whatever its size, and nothing is proved."""

from __future__ import annotations

from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import assert_marked

TURN = """
#include "number.h"
__global__ void k(number *x) {
    __shared__ number row[128];
    row[threadIdx.x] = x[blockIdx.x * 128 + threadIdx.x];
    %s
    x[blockIdx.x * 128 + threadIdx.x] = row[127 - threadIdx.x]; %s
}
"""


def test_elements_of_an_unknown_type() -> None:
    assert_marked(SharedMemoryRace, TURN % ("", "// bad"))
    assert_marked(SharedMemoryRace, TURN % ("__syncthreads();", ""))


TOTALS = """
#include "../ops.h"
struct Starts {
    template <typename T> __device__ static void Map(T *first, const T *sizes, const int n) {
        using ops::cuda::kThreads;
        using ops::count_t;
        __shared__ volatile count_t total;
        count_t start = 0;
        for (int j = threadIdx.x; j < n + threadIdx.x; j += kThreads) {
            count_t own = j < n && sizes[j] != T(0) ? 1 : 0;
            %s
            if (threadIdx.x == kThreads - 1) total = own; %s
            __syncthreads();
            if (j < n) first[j] = start + own;
            %s
            if (threadIdx.x == kThreads - 1) total += own; %s
            __syncthreads();
            start += total;
        }
    }
};
"""


def test_a_variable_of_an_unknown_type_is_read_and_one_thread_has_a_constant_s_number() -> None:
    wait = "__syncthreads();"
    assert_marked(SharedMemoryRace, TOTALS % (wait, "", "", ""))
    assert_marked(SharedMemoryRace, TOTALS % ("", "// bad", "", ""))
