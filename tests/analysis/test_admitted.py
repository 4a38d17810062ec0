"""What is stated before a launch holds for the witnesses of every rule."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange
from kernlint_rules.indexing.grid_stride_mismatch import GridStrideMismatch
from kernlint_rules.memory.misaligned_vector_access import MisalignedVectorAccess
from kernlint_rules.memory.uninitialised_shared_memory import UninitialisedSharedMemory
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace

from tests.rules.marked import findings

WARPS = """
#include <algorithm>
static int width_for(int n) { return std::min(std::max((n + 31) / 32 * 32, 32), LIMIT); }
__global__ void __launch_bounds__(1024) totals(const float *x, float *y, int n) {
    __shared__ float part[CELLS];
    float s = threadIdx.x < n ? x[blockIdx.x * n + threadIdx.x] : 0.0f;
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0)
        y[blockIdx.x] = part[0];
}
void run(const float *x, float *y, int rows, int n) { totals<<<rows, width_for(n)>>>(x, y, n); }
"""


@pytest.mark.parametrize(("cells", "limit", "bad"), [(8, 256, False), (4, 256, True), (16, 512, False), (8, 512, True)])
def test_a_computed_block_is_no_larger_than_its_limit(cells: int, limit: int, bad: bool) -> None:
    found = findings(ArrayIndexOutOfRange, WARPS.replace("CELLS", str(cells)).replace("LIMIT", str(limit)))
    assert bool(found) is bad
    for finding in found:
        assert finding.witness is not None and finding.witness.block == (limit, 1, 1)


ROWS = """
__global__ void largest(const float *x, float *y, int cols) {
    const float *row = x + (long long)blockIdx.x * cols;
    float m = 0.0f;
    int c = threadIdx.x * 4;
    for (; c + 4 <= cols; c += 32 * 4) {
        const float4 v = *reinterpret_cast<const float4 *>(row + c);
        m = fmaxf(fmaxf(m, v.x), fmaxf(v.y, fmaxf(v.z, v.w)));
    }
    for (int rest = cols / 4 * 4 + threadIdx.x; rest < cols; rest += 32)
        m = fmaxf(m, row[rest]);
    y[blockIdx.x * 32 + threadIdx.x] = m;
}
void run(const float *x, float *y, int rows, int cols) {
    CHECK
    largest<<<rows, 32>>>(x, y, cols);
}
"""


@pytest.mark.parametrize(
    ("check", "bad"),
    [
        ("if (cols % 4 != 0) return;", False),
        ("if (rows <= 0 || (cols & 7) || cols > 4096) return;", False),
        ("if (cols % 4) throw cols;", False),
        ("if (rows <= 0 || cols <= 0) return;", True),
        ("if (cols % 2 != 0) return;", True),
        ("if (rows % 4 != 0) return;", True),
    ],
)
def test_rows_that_the_host_wants_to_be_whole_vectors(check: str, bad: bool) -> None:
    assert bool(findings(MisalignedVectorAccess, ROWS.replace("CHECK", check))) is bad


TEAMS = """
__global__ void halve(float *x, int rows, int cols, int team) {
    const int row = blockIdx.x * ((blockDim.x >> 5) / (team >> 5)) + (threadIdx.x >> 5) / (team >> 5);
    const int col = threadIdx.x % team;
    if (row < rows && col < cols) {
        x += (size_t)row * cols;
        x[col] = x[col] * 0.5f;
    }
}
void run(float *x, int rows, int cols) {
    if (cols < 1 || cols > TEAM) return;
    halve<<<(rows + 1) / 2, 256>>>(x, rows, cols, TEAM);
}
"""


def test_a_number_that_every_launch_passes() -> None:
    assert not findings(GlobalMemoryRace, TEAMS.replace("TEAM", "128"))
    assert findings(GlobalMemoryRace, TEAMS.replace("TEAM", "512"))  # no row of its own for a block


FILLED = """
__global__ void edges(const float *w, float *low, int bins) {
    __shared__ float edge[256];
    if (threadIdx.x == 0)
        for (int b = 0; b < bins; ++b)
            edge[b] = w[b];
    __syncthreads();
    low[threadIdx.x] = edge[threadIdx.x];
}
void run(const float *w, float *low) { edges<<<1, 256>>>(w, low, BINS); }
"""


def test_how_much_is_filled_is_what_the_launch_says() -> None:
    assert not findings(UninitialisedSharedMemory, FILLED.replace("BINS", "256"))
    assert findings(UninitialisedSharedMemory, FILLED.replace("BINS", "200"))


STRIDE = """
__global__ void scale(float *x, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += STEP)
        x[i] *= 2.0f;
}
void run(float *x, int n) { scale<<<64, 128>>>(x, n); }
"""


@pytest.mark.parametrize(
    ("step", "bad"),
    [("gridDim.x * 128", False), ("64 * blockDim.x", False), ("gridDim.x * 256", True), ("32 * blockDim.x", True)],
)
def test_a_step_with_the_size_that_the_launch_has(step: str, bad: bool) -> None:
    assert bool(findings(GridStrideMismatch, STRIDE.replace("STEP", step))) is bad


FLOATING = """
__global__ void twice(const unsigned n, float *x, unsigned step) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i * step] *= 2.0f;
}
void run(const unsigned n, float *x) { twice<<<ceil(n / 256.0f), 256.0f>>>(n, x, 2.0f); }
"""


def test_launches_may_be_written_with_floating_point_numbers() -> None:
    assert findings(ArrayIndexOutOfRange, FLOATING) == []  # (nothing crashes: see ``findings``)


DOUBLED = """
__global__ void turned(const float *x, float *y, int wide) {
    __shared__ float part[CELLS];
    part[threadIdx.x] = threadIdx.x < wide ? x[threadIdx.x] : 0.0f;
    __syncthreads();
    if (threadIdx.x < wide) y[threadIdx.x] = part[blockDim.x - 1 - threadIdx.x];
}
static unsigned power(unsigned n) {
    unsigned p = 1;
    while (p < n) p <<= 1;
    return p;
}
bool run(const float *x, float *y, unsigned wide) {
    if (wide == 0 || wide > MOST) return false;
    turned<<<1, power(wide)>>>(x, y, wide);
    return true;
}
"""


@pytest.mark.parametrize(
    ("cells", "most", "bad"), [(256, 256, False), (256, 200, False), (256, 257, True), (512, 300, False)]
)
def test_a_block_that_is_doubled_stops_at_the_power_of_two_above_what_is_checked(
    cells: int, most: int, bad: bool
) -> None:
    found = findings(ArrayIndexOutOfRange, DOUBLED.replace("CELLS", str(cells)).replace("MOST", str(most)))
    assert bool(found) is bad
