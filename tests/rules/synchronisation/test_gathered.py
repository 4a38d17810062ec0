"""Sums of all blocks that are read behind a barrier of the block."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace

from kernlint.finding import Severity
from tests.rules.marked import assert_marked, findings

SHARES = """
__global__ void shares(const float *mass, const int *halo, float *total, float *share, int n, int halos) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&total[halo[i]], mass[i]);
    __syncthreads();
    if (i < halos) share[i] = 1.0f / total[i]; // bad
}
"""
GOOD = {
    "the sums of the block's own part": SHARES.replace("total[halo[i]]", "total[blockIdx.x * 256 + halo[i]]").replace(
        "/ total[i]; // bad", "/ total[i];"
    ),
    "the whole grid waits": "#include <cooperative_groups.h>\n"
    + SHARES.replace("__syncthreads()", "cooperative_groups::this_grid().sync()").replace(" // bad", ""),
    "one block": SHARES.replace(" // bad", "")
    + "void run(float *m, int *h, float *t, float *s) { shares<<<1, 256>>>(m, h, t, s, 200, 9); }",
    "the largest so far, again and again": """
__global__ void spread(const int *link, int *label, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < rounds; r++) {
        if (i < n) atomicMax(&label[link[i]], i);
        __syncthreads();
    }
}
""",
    "the last block": """
__global__ void shares(const float *mass, const int *halo, float *total, float *share, unsigned *done, int n) {
    __shared__ bool last;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&total[halo[i]], mass[i]);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(done, 1u) == gridDim.x - 1;
    __syncthreads();
    if (last) share[threadIdx.x] = 1.0f / total[threadIdx.x];
}
""",
    "other sums": SHARES.replace("/ total[i]; // bad", "/ mass[i];"),
}


def test_sums_read_too_early() -> None:
    assert_marked(GlobalMemoryRace, SHARES)
    launch = "void run(float *m, int *h, float *t, float *s) { shares<<<8, 256>>>(m, h, t, s, 2000, 9); }"
    assert_marked(GlobalMemoryRace, SHARES + launch)


def test_sums_read_too_early_in_opencl() -> None:
    code = """
__kernel void shares(__global const int *mass, __global const int *halo, __global int *total, __global int *share) {
    int i = get_global_id(0);
    atomic_add(&total[halo[i]], mass[i]);
    barrier(CLK_GLOBAL_MEM_FENCE);
    share[i] = mass[i] - total[i]; // bad
}
"""
    assert_marked(GlobalMemoryRace, code, "opencl")


@pytest.mark.parametrize("name", GOOD)
def test_sums_that_are_complete(name: str) -> None:
    assert_marked(GlobalMemoryRace, GOOD[name])


SPREAD = """
__global__ void spread(const float *at, float *field, float width, float charge, int n, int cells) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int cell = (int)(at[i] / width);
    float inside = at[i] / width - cell;
    if (cell >= 0 && cell < cells) UPDATE;
}
"""


@pytest.mark.parametrize(
    ("update", "marked"),
    [
        ("field[cell] += charge * (1 - inside); // bad", True),
        ("field[cell] += charge * cell", False),  # hangs on the element alone
        ("atomicAdd(&field[cell], charge * (1 - inside))", False),
    ],
)
def test_what_a_point_leaves_in_its_cell(update: str, marked: bool) -> None:
    told = findings(GlobalMemoryRace, SPREAD.replace("UPDATE", update))
    assert any(one.severity is not Severity.NOTE for one in told) is marked
