"""Shared memory that some threads or blocks leave unset: work counted by a product, tables that data look up, tables
that the first block alone fills."""

from __future__ import annotations

import pytest
from kernlint_rules.memory.uninitialised_shared_memory import UninitialisedSharedMemory
from kernlint_rules.synchronisation.barrier_divergence import BarrierDivergence

from kernlint.finding import Severity
from tests.rules.marked import assert_marked, findings

VOXELS = """
struct Box { int nx, ny, nz; };
__device__ float fold(float v) {
    __shared__ float part[128];
    part[threadIdx.x] = v;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    return part[0];
}
__global__ void mass(const float *rho, Box box, float *sum) {
    int i = blockIdx.x * 128 + threadIdx.x;
    float v = 0.0f;
    LEAVE
    float all = fold(v);
    if (threadIdx.x == 0) atomicAdd(sum, all);
}
void run(const float *rho, Box box, float *sum) {
    mass<<<(box.nx * box.ny * box.nz + 127) / 128, 128>>>(rho, box, sum);
}
"""


@pytest.mark.parametrize(
    ("leave", "bad"),
    [
        ("if (i >= box.nx * box.ny * box.nz) return; v = rho[i];", True),
        ("if (i < box.nx * box.ny * box.nz) v = rho[i];", False),
        ("if (i >= box.nx * box.ny * box.nz && blockIdx.x > gridDim.x) return; v = rho[i];", False),
    ],
)
def test_work_counted_by_a_product(leave: str, bad: bool) -> None:
    told = [f for f in findings(BarrierDivergence, VOXELS.replace("LEAVE", leave)) if f.severity is not Severity.NOTE]
    assert bool(told) is bad


HASHES = """
__kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void crc(__constant const uint *steps, __global const uchar *text, __global uint *out, const int lines) {
    __local uint table[256];
    const int line = get_global_id(0);
    FILL
        for (int i = get_local_id(0); i < 256; i += 32) table[i] = steps[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (line >= lines) return;
    uint sum = 0xffffffffu;
    for (int k = 0; k < 64; ++k) sum = (sum >> 8) ^ table[(sum ^ text[line * 64 + k]) & 255];MARK
    out[line] = sum;
}
"""


@pytest.mark.parametrize(
    ("fill", "mark"), [("if (line < lines)", " // bad"), ("", ""), ("if (get_group_id(0) < lines)", "")]
)
def test_a_table_that_a_running_value_looks_up(fill: str, mark: str) -> None:
    assert_marked(UninitialisedSharedMemory, HASHES.replace("FILL", fill).replace("MARK", mark), "opencl")


TYPES = """
#define TYPES 24
__global__ void __launch_bounds__(64) energies(const float2 *types, const int *type, float *energy, int atoms) {
    __shared__ float2 table[TYPES];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (AT < TYPES) table[AT] = types[AT];
    __syncthreads();
    if (LIMIT) energy[i] = table[type[i]].x;MARK
}
LAUNCH
"""

LAUNCH = "void run(float2 *t, int *y, float *e, int n) { energies<<<GRID, 64>>>(t, y, e, n); }"


@pytest.mark.parametrize(
    ("at", "limit", "launch", "bad"),
    [
        ("i", "i < atoms", "", True),
        ("i", "i < atoms", LAUNCH.replace("GRID", "(n + 63) / 64"), True),
        ("threadIdx.x", "i < atoms", "", False),
        ("i", "i < atoms", LAUNCH.replace("GRID", "1"), False),
        ("i", "i < TYPES", "", False),  # nobody but them reads
    ],
)
def test_a_table_that_the_first_block_fills(at: str, limit: str, launch: str, bad: bool) -> None:
    text = TYPES.replace("AT", at).replace("LIMIT", limit).replace("LAUNCH", launch)
    assert_marked(UninitialisedSharedMemory, text.replace("MARK", " // bad" if bad else ""))


FLAG = """
__global__ void scale(const float *factor, float *x, int n) {
    __shared__ float f;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (WHO == 0) f = factor[0];
    __syncthreads();
    if (i < n) x[i] *= f;MARK
}
"""


@pytest.mark.parametrize(("who", "mark"), [("i", " // bad"), ("threadIdx.x", ""), ("i - blockIdx.x * blockDim.x", "")])
def test_a_variable_that_the_first_thread_of_the_grid_sets(who: str, mark: str) -> None:
    assert_marked(UninitialisedSharedMemory, FLAG.replace("WHO", who).replace("MARK", mark))


CONSTANT = """
#define N 1000
__global__ void sums(const float *x, float *sum) {
    __shared__ float part[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    part[threadIdx.x] = 0.0f;
    if (i < N) part[threadIdx.x] = x[i];
    __syncthreads();
    if (threadIdx.x == 0) for (int k = 0; k < 256; ++k) sum[blockIdx.x] += part[k];
}
"""


def test_a_constant_amount_of_work() -> None:
    assert_marked(UninitialisedSharedMemory, CONSTANT)


SHORT = """
float largest(__local float *cell, int t) {
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 32; step > 0; step /= 2) {
        if (t < step) cell[t] = fmax(cell[t], cell[t + step]);  MARK
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return cell[0];
}
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void peaks(__global const float *x, __global float *y, int n, int pitch) {
    __local float cell[64];
    int t = get_local_id(0);
    if (LEAVE) return;
    FILL
    y[get_group_id(0)] = largest(cell, t);
}
"""

SHORTS = {
    "all leave": ("n < 1 || n > 64", "if (t < n) cell[t] = x[get_group_id(0) * pitch + t];", True),
    "all leave, and the rest is filled": (
        "n < 1 || n > 64",
        "cell[t] = t < n ? x[get_group_id(0) * pitch + t] : -1e30f;",
        False,
    ),
    "there is a whole row": ("n != 64", "if (t < n) cell[t] = x[get_group_id(0) * pitch + t];", False),
}


@pytest.mark.parametrize("name", SHORTS)
def test_groups_that_leave_as_a_whole(name: str) -> None:
    leave, fill, bad = SHORTS[name]
    text = SHORT.replace("LEAVE", leave).replace("FILL", fill)
    assert_marked(UninitialisedSharedMemory, text.replace("MARK", "// bad" * bad), language="opencl")
