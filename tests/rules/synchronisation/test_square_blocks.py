"""Blocks that are guessed: places of the threads' own are told apart in the block that a kernel is made for."""

from __future__ import annotations

from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import assert_marked

SUM = """
__device__ float row_sum(float val) {
    __shared__ float data[256];
    const unsigned mine = threadIdx.x * blockDim.x + threadIdx.y;
    BEFORE
    data[mine] = val; MARK
    __syncthreads();
    for (unsigned i = blockDim.y / 2; i > 0; i >>= 1) {
        if (threadIdx.y < i) data[mine] += data[mine + i];
        __syncthreads();
    }
    return data[threadIdx.x * blockDim.x];
}
__global__ void rows(float *out, const float *in) {
    const int f = blockDim.x * blockIdx.x + threadIdx.x;
    float v = in[f * 16 + threadIdx.y];
    v = row_sum(v) + CALL;
    if (threadIdx.y == 0) out[f] = v;
}
"""


def test_rows_of_a_square_block() -> None:
    assert_marked(SharedMemoryRace, SUM.replace("BEFORE", "").replace("MARK", "").replace("CALL", "1.0f"))


def test_the_sum_is_read_before_the_next_one_begins() -> None:
    again = SUM.replace("CALL", "row_sum(v)")
    assert_marked(SharedMemoryRace, again.replace("BEFORE", "").replace("MARK", "// bad"))
    assert_marked(SharedMemoryRace, again.replace("BEFORE", "__syncthreads();").replace("MARK", ""))
