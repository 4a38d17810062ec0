"""Memory of which a part is filled, and of which kernels take up what lies behind."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.kernel_argument_mismatch import KernelArgumentMismatch

from tests.rules.marked import assert_marked

ROUNDS = """
constexpr unsigned ROOMS = 1u << 10;
__device__ unsigned *room_of(unsigned *used, int round, unsigned room) { return used + (round & 1) * ROOMS + room; }
__global__ void first(const unsigned *keys, unsigned *used, unsigned *items, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned room = keys[i] % ROOMS, at = atomicAdd(room_of(used, 0, room), 1u);
    if (at < 32) items[room * 32 + at] = keys[i];
}
__global__ void second(unsigned *used, const unsigned *items, unsigned *out) {
    const unsigned room = blockIdx.x * blockDim.x + threadIdx.x;
    if (room >= ROOMS) return;
    const unsigned to = items[room * 32] % ROOMS;
    BEFORE
    const unsigned at = atomicAdd(room_of(used, 1, to), 1u);
    if (at < 32) out[to * 32 + at] = room;
}
void run(const unsigned *keys, int n, unsigned *items, unsigned *out) {
    unsigned *used = nullptr;
    cudaMalloc(&used, 2 * ROOMS * sizeof(unsigned));
    cudaMemset(used, 0, FILLED);MARK
    MORE
    first<<<(n + 127) / 128, 128>>>(keys, used, items, n);
    second<<<ROOMS / 128, 128>>>(used, items, out);
    cudaFree(used);
}
"""

SUMS = """
__global__ void sums(const float *x, const int *group, float *sum, float *square, int n, int groups) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicAdd(sum + group[i], x[i]);
    atomicAdd(square + group[i], x[i] * x[i]);
}
__global__ void means(const float *all, float *out, int groups) {
    const int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g < GROUPS) out[g] = all[g];
}
void run(float *out, int groups) {
    float *all = nullptr;
    cudaMalloc(&all, 2 * groups * sizeof(float));
    cudaMemset(all, 0, FILLED * sizeof(float));MARK
    means<<<(2 * groups + 127) / 128, 128>>>(all, out, groups);
    cudaFree(all);
}
"""


@pytest.mark.parametrize(
    ("filled", "more", "before", "bad"),
    [
        ("ROOMS * sizeof(unsigned)", "", "", True),
        ("2 * ROOMS * sizeof(unsigned)", "", "", False),
        ("ROOMS * sizeof(unsigned)", "cudaMemset(used + ROOMS, 0, ROOMS * sizeof(unsigned));", "", False),
        ("ROOMS * sizeof(unsigned)", "prepare(used);", "", False),
        ("ROOMS * sizeof(unsigned)", "", "used[ROOMS + room] = 0; __syncthreads();", False),
    ],
)
def test_counters_of_two_rounds(filled: str, more: str, before: str, bad: bool) -> None:
    text = "void prepare(unsigned *);" + ROUNDS.replace("FILLED", filled).replace("MORE", more).replace(
        "BEFORE", before
    )
    assert_marked(KernelArgumentMismatch, text.replace("MARK", " // bad" if bad else ""), "cuda")


@pytest.mark.parametrize(
    ("filled", "groups", "bad"),
    [("groups", "2 * groups", True), ("2 * groups", "2 * groups", False), ("groups", "groups", False)],
)
def test_reads_up_to_a_size(filled: str, groups: str, bad: bool) -> None:
    text = SUMS.replace("FILLED", filled).replace("GROUPS", groups)
    assert_marked(KernelArgumentMismatch, text.replace("MARK", " // bad" if bad else ""), "cuda")
