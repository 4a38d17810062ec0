"""Places from memory in arrays of a constant number of elements, which another kernel keeps below that number."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange

from tests.rules.marked import findings

CLUSTERS = """
#include <cuda_runtime.h>
constexpr int kClusters = 4096;
struct Clusters { float *energy; int *seed; double *time; };
int reserve(Clusters &c) {
    if (cudaMalloc(&c.energy, kClusters * sizeof(float)) != cudaSuccess) return 1;
    if (cudaMalloc((void **)&c.seed, ROOM * sizeof(int)) != cudaSuccess) return 1;
    return cudaMalloc(&c.time, sizeof(double) * kClusters) != cudaSuccess;
}
__global__ void sum(const float *adc, const int *label, int hits, Clusters c) {
    const int h = blockIdx.x * blockDim.x + threadIdx.x;
    if (h >= hits) return;
    const int k = label[h];
    FIRST
    atomicAdd(&c.energy[k], adc[h]);
}
__global__ void seed(const int *label, int hits, int kept, Clusters c) {
    const int h = blockIdx.x * blockDim.x + threadIdx.x;
    if (h >= COUNT) return;
    const int k = label[h];
    SECOND
    c.seed[k] = h;
}
"""


@pytest.mark.parametrize(
    ("room", "first", "count", "second", "bad"),
    [
        ("kClusters", "if (k >= kClusters) return;", "hits", "", True),
        ("kClusters", "if (k < 0 || k >= kClusters) return;", "hits", "if (k < 0) return;", True),
        ("kClusters", "if (k >= kClusters) return;", "hits", "if (k >= kClusters) return;", False),
        ("kClusters", "if (k >= kClusters) return;", "hits", "if (k == 7) return;", False),
        ("2 * kClusters", "if (k >= kClusters) return;", "hits", "", False),
        ("kClusters", "if (k >= kClusters) return;", "kept", "", False),
        ("kClusters", "", "hits", "", False),
    ],
)
def test_members_of_one_struct(room: str, first: str, count: str, second: str, bad: bool) -> None:
    code = CLUSTERS.replace("ROOM", room).replace("FIRST", first).replace("COUNT", count).replace("SECOND", second)
    found = findings(ArrayIndexOutOfRange, code)
    assert bool(found) is bad, [one.message for one in found]


TRACKS = """
#include <cuda_runtime.h>
__global__ void follow(const int *slot, const float *z, float *track, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n TEST) track[slot[i]] = z[i];
}
__global__ void clear(const int *slot, float *length, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) length[slot[i]] = 0.0f;
}
int run(const int *slot, const float *z, int n) {
    float *track, *length;
    if (cudaMalloc(&track, 600 * sizeof(float)) != cudaSuccess) return 1;
    if (cudaMalloc(&length, 600 * sizeof(float)) != cudaSuccess) return 1;
    follow<<<(n + 127) / 128, 128>>>(slot, z, track, n);
    clear<<<(n + 127) / 128, 128>>>(slot, length, n);
    cudaFree(track);
    cudaFree(length);
    return cudaGetLastError() != cudaSuccess;
}
"""


@pytest.mark.parametrize(("test", "bad"), [("&& slot[i] < 600", True), ("", False), ("&& slot[i] < 500", False)])
def test_arrays_of_one_launching_function(test: str, bad: bool) -> None:
    found = findings(ArrayIndexOutOfRange, TRACKS.replace("TEST", test))
    assert bool(found) is bad, [one.message for one in found]


LETTERS = """
TABLE
inline uint letter(__global const uint *text, uint at) { return (text[at >> 3] >> ((at & 7) * 4)) & 15; }
__kernel void first(__global const uint *text, uint n, PARAM __global uint *rows) {
    const uint i = get_global_id(0);
    if (i >= n) return;
    const uint c = letter(text, i);
    if (c > LAST) return;
    rows[i] = starts[c + 1] - starts[c];
}
__kernel void search(__global const uint *text, uint n, PARAM __global uint *rows) {
    const uint i = get_global_id(0);
    if (i >= n) return;
    const uint c = letter(text, n - 1 - i);
    TEST
    rows[i] = starts[c + 1];
}
"""


@pytest.mark.parametrize("declared", ["table", "parameter"])
@pytest.mark.parametrize(
    ("last", "test", "bad"),
    [("5", "", True), ("5", "if (c > 5) return;", False), ("6", "", False), ("5", "if (c == 6) return;", False)],
)
def test_parts_of_words(declared: str, last: str, test: str, bad: bool) -> None:
    table = "__constant uint starts[7] = {0, 1, 2, 3, 4, 5, 6};" if declared == "table" else ""
    code = LETTERS.replace("TABLE", table).replace("LAST", last).replace("TEST", test)
    code = code.replace("PARAM", "" if table else "__constant uint starts[7],")
    found = findings(ArrayIndexOutOfRange, code, "opencl")
    assert bool(found) is bad, [one.message for one in found]


READINGS = """
#include <cuda_runtime.h>
#include <cstdint>
constexpr int kGrades = 24;
struct Survey { const uint8_t *grade; const float *weight; int readings; };
struct Worst { __device__ int operator()(uint8_t g) const { return g < kGrades - 1 ? g : kGrades - 1; } };
PRODUCER
__global__ void count(Survey s, unsigned *counts) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < s.readings) atomicAdd(&counts[FIRST], 1u);
}
__global__ void blend(Survey s, int columns, const float *table, float *out) {
    __shared__ float rows[ROWS][32];
    for (int k = threadIdx.x; k < ROWS * 32; k += blockDim.x) rows[k / 32][k % 32] = table[k];
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= s.readings) return;
    float sum = 0.f;
    for (int c = 0; c < min(columns, 32); ++c) sum += rows[SECOND][c];
    out[i] = sum * s.weight[i];
}
"""


@pytest.mark.parametrize(
    ("rows", "first", "second", "producer", "bad"),
    [
        ("kGrades", "Worst()(s.grade[i])", "s.grade[i]", "", True),
        ("kGrades", "min((int)s.grade[i], kGrades - 1)", "s.grade[i]", "", True),
        ("kGrades", "Worst()(s.grade[i])", "Worst()(s.grade[i])", "", False),
        ("kGrades", "s.grade[i]", "s.grade[i]", "", False),
        ("32", "Worst()(s.grade[i])", "s.grade[i]", "", False),  # rows to spare
        ("kGrades", "s.grade[i] % kGrades", "s.grade[i]", "", False),  # what a digit is of is no place
        (
            "kGrades",
            "Worst()(s.grade[i])",
            "s.grade[i]",
            "struct Out { uint8_t *grade; }; __global__ void mark(Out s, int n) {"
            " if (threadIdx.x < n) s.grade[threadIdx.x] = threadIdx.x % kGrades; }",
            False,
        ),
        (
            "kGrades",
            "Worst()(s.grade[i])",
            "s.grade[i]",
            "struct Out { uint8_t *grade; }; __global__ void mark(Out s, int n) {"
            " if (threadIdx.x < n) s.grade[threadIdx.x] += 32; }",
            True,
        ),
    ],
)
def test_rows_that_another_kernel_clamps_to(rows: str, first: str, second: str, producer: str, bad: bool) -> None:
    code = READINGS.replace("PRODUCER", producer).replace("ROWS", rows).replace("FIRST", first)
    found = findings(ArrayIndexOutOfRange, code.replace("SECOND", second))
    assert bool(found) is bad, [one.message for one in found]
