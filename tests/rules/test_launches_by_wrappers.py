"""Launches by a wrapper of a library, of which only the name is there, and in templates of the host."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import findings

COLUMNS = """
namespace lib {
template <class T> class Table;
template <class F, class... A> void enqueue(F kernel, dim3 grid, dim3 block, size_t bytes, cudaStream_t stream, A... a);
}
template <int N, typename T>
__global__ void column_sums(int rows, int columns, const T *x, int pitch, T *sums) {
    const int me = threadIdx.x;
    for (int c = blockIdx.y; c < columns; c += gridDim.y) {
        T mine = 0;
        for (int r = me + blockIdx.x * blockDim.x; r < rows; r += blockDim.x * gridDim.x) mine += x[r + c * pitch];
        __shared__ T part[N];
        part[me] = mine;
        for (int step = N / 2; step > 0; step /= 2) {
            __syncthreads();
            if (me < step) part[me] += part[me + step];
        }
        if (me == 0) atomicAdd(&sums[c], part[0]);
    }
}
template <typename T> void run(const lib::Table<T> &x, lib::Table<T> &sums, cudaStream_t stream) {
    const auto &rows = x.height();
    const auto &columns = x.width();
    const int lanes = 256;
    dim3 block, grid;
    block.x = lanes;
    grid.x = (rows + lanes - 1) / lanes;
    grid.y = GROUPS;
    LAUNCH rows, columns, x.data(), x.pitch(), sums.data());
}
"""


@pytest.mark.parametrize(
    "launch",
    [
        "lib::enqueue(column_sums<lanes, T>, grid, block, 0, stream,",
        "column_sums<lanes, T><<<grid, block, 0, stream>>>(",
    ],
)
@pytest.mark.parametrize(("groups", "bad"), [("columns", False), ("(columns + 3) / 4", True)])
def test_a_loop_over_the_columns_of_the_grid_is_one_round(launch: str, groups: str, bad: bool) -> None:
    code = COLUMNS.replace("LAUNCH", launch).replace("GROUPS", groups)
    assert bool(findings(SharedMemoryRace, code)) is bad


def test_what_is_given_to_anything_else_is_no_launch() -> None:
    code = COLUMNS.replace("LAUNCH", "lib::enqueue(column_sums<lanes, T>, block.x, 0, stream, 0, 0,")
    assert findings(SharedMemoryRace, code.replace("GROUPS", "columns"))
