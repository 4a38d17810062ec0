"""Lists in shared memory that a counter fills, and that are read as far as it has counted."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange
from kernlint_rules.memory.misaligned_vector_access import MisalignedVectorAccess

from tests.rules.marked import findings

LIST = """
struct Hit { int id; float at; };
template <int ROOM> __global__ void gather(const float *x, Hit *out, int *total, int n) {
    __shared__ Hit hits[ROOM];
    __shared__ int count, base;
    for (int round = blockIdx.x; round * 256 < n; round += gridDim.x) {
        if (threadIdx.x == 0) count = 0;
        __syncthreads();
        const int i = round * 256 + threadIdx.x;
        if (i < n && x[i] > 0.5f) {
            const int slot = atomicAdd(&count, 1);
            if (TEST) { hits[slot].id = i; hits[slot].at = x[i]; }
        }
        __syncthreads();
        HELD
        if (threadIdx.x == 0) base = atomicAdd(total, SEEN);
        __syncthreads();
        for (int k = threadIdx.x; k < SEEN; k += blockDim.x) out[base + k] = hits[k];
        __syncthreads();
    }
}
void run(const float *x, Hit *out, int *total, int n) { gather<128><<<64, BLOCK>>>(x, out, total, n); }
"""

CLAMP = "if (threadIdx.x == 0 && count > ROOM) count = ROOM; __syncthreads();"


@pytest.mark.parametrize(
    ("test", "held", "seen", "block", "bad"),
    [
        ("slot < ROOM", "", "count", "256", True),
        ("!(slot >= ROOM)", "const int all = count;", "all", "256", True),
        ("slot < ROOM", "", "min(count, ROOM)", "256", False),
        ("slot < ROOM", CLAMP, "count", "256", False),
        ("slot < ROOM", "", "count", "128", False),
    ],
)
def test_the_count_goes_on(test: str, held: str, seen: str, block: str, bad: bool) -> None:
    code = LIST.replace("TEST", test).replace("HELD", held).replace("SEEN", seen).replace("BLOCK", block)
    assert bool(findings(ArrayIndexOutOfRange, code)) is bad


HALVES = """
__global__ void unpack(const unsigned char *packed, int *out, int rows, int k) {
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    const unsigned char *mine = packed + (size_t)row * (k / 2);
    for (int v = threadIdx.x; v < k / 32; v += blockDim.x) {
        const uint4 p = *reinterpret_cast<const uint4 *>(mine + v * 16);
        atomicAdd(&out[row], p.x & 15);
    }
}
void run(const unsigned char *packed, int *out, int rows, int k) {
    if (k % CHECKED != 0) return;
    unpack<<<(rows + 3) / 4, dim3(32, 4)>>>(packed, out, rows, k);
}
"""


@pytest.mark.parametrize(("checked", "bad"), [("16", True), ("32", False), ("2", False)])
def test_a_part_of_what_is_checked(checked: str, bad: bool) -> None:
    assert bool(findings(MisalignedVectorAccess, HALVES.replace("CHECKED", checked))) is bad
