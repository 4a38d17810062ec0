"""Races between threads of one warp: of blocks that are small, or of lanes that are meant as such."""

import pytest
from kernlint_rules.synchronisation.missing_warp_sync import MissingWarpSync
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import findings

CELL = """
template <int N>
__device__ void faces(double *values, const double *weights, bool hanging) {
    const int i = threadIdx.x;
    double sum = 0;
    if (hanging && threadIdx.y == 0)
        for (int k = 0; k < N; ++k) sum += weights[i * N + k] * values[k];
    __syncthreads();
    if (hanging && threadIdx.y == 0) values[i] = sum;
    __syncthreads();
}
template <int N>
__global__ void cells(const double *in, double *out, const unsigned *mask, const double *weights) {
    __shared__ double values[N * N];
    const int q = threadIdx.y * N + threadIdx.x;
    values[q] = in[blockIdx.x * N * N + q];
    BETWEEN
    faces<N>(values, weights, mask[blockIdx.x] & 1u);
    out[blockIdx.x * N * N + q] = values[q];
}
void run(const double *in, double *out, const unsigned *mask, const double *weights, unsigned count) {
    cells<SIDE><<<count, dim3(SIDE, SIDE)>>>(in, out, mask, weights);
}
"""

PAIRS = """
__global__ void pairs(int *data) {
    __shared__ SPACE int s[128];
    const int t = threadIdx.x;
    s[t] = data[blockIdx.x * 128 + t];
    if (TEST) data[blockIdx.x * 128 + t] = s[PARTNER];
}
"""


@pytest.mark.parametrize("side", [3, 5])
def test_a_block_that_happens_to_be_small_lacks_a_barrier_of_the_block(side: int) -> None:
    text = CELL.replace("SIDE", str(side))
    bad, good = text.replace("BETWEEN", ""), text.replace("BETWEEN", "__syncthreads();")
    (found,) = findings(SharedMemoryRace, bad)
    assert "no barrier between" in found.message
    assert not findings(MissingWarpSync, bad)
    assert not findings(SharedMemoryRace, good) and not findings(MissingWarpSync, good)


def test_a_row_that_lies_in_one_warp_lacks_a_barrier_of_the_block() -> None:
    text = CELL.replace("SIDE", "8").replace("BETWEEN", "")
    assert findings(SharedMemoryRace, text) and not findings(MissingWarpSync, text)


@pytest.mark.parametrize(
    ("space", "test", "partner"),
    [
        ("", "t >= 0", "t ^ 1"),
        ("", "t < 16", "t + 8"),
        ("volatile", "t >= 0", "t / 4 * 4"),
        ("", "t % 32 < 31 && t < 127", "t / 32 * 32 + t % 32 + 1"),
    ],
)
def test_lanes_that_are_spoken_of_lack_a_barrier_of_the_warp(space: str, test: str, partner: str) -> None:
    text = PAIRS.replace("SPACE", space).replace("TEST", test).replace("PARTNER", partner)
    assert findings(MissingWarpSync, text) and not findings(SharedMemoryRace, text)


def test_groups_of_four_threads_are_no_lanes() -> None:
    text = PAIRS.replace("SPACE", "").replace("TEST", "t >= 0").replace("PARTNER", "t / 4 * 4")
    assert findings(SharedMemoryRace, text) and not findings(MissingWarpSync, text)


NEVER = """
__global__ void turn(int *x) {
    __shared__ int s[32];
    const int t = threadIdx.x;
    s[t] = x[t];
    x[t] = s[31 - t];
    LATER
}
"""


@pytest.mark.parametrize(("later", "habit"), [("", "lanes in step"), ("__syncwarp(); x[t]++;", "")])
def test_lanes_that_never_wait_are_one_habit(later: str, habit: str) -> None:
    assert [one.habit for one in findings(MissingWarpSync, NEVER.replace("LATER", later))] == [habit]
