"""Tiles whose pitch a missing header gives, and blocks that have as many axes as the mode of the kernel uses."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import assert_marked, findings

SHARED = {
    "rows of a pitch that nobody here knows": """
#include "sizes.h"
__kernel void sum(__global const float *in, __global float *out) {
    __local float tile[CELLS];
    int x = get_local_id(0), y = get_local_id(1), z = get_local_id(2);
    tile[x + y * EDGE + z * EDGE * EDGE] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    float s = 0.0f;
    for (int i = 0; i < EDGE; i++) s += tile[i + y * EDGE + z * EDGE * EDGE];
    out[get_global_id(0)] = s;
}
""",
    "two threads of a row in one place of it": """
#include "sizes.h"
__kernel void sum(__global const float *in, __global float *out) {
    __local float tile[CELLS];
    int x = get_local_id(0), y = get_local_id(1), z = get_local_id(2);
    tile[x / 2 + y * EDGE + z * EDGE * EDGE] = in[get_global_id(0)]; // bad
    barrier(CLK_LOCAL_MEM_FENCE);
    float s = 0.0f;
    for (int i = 0; i < EDGE; i++) s += tile[i + y * EDGE + z * EDGE * EDGE];
    out[get_global_id(0)] = s;
}
""",
    "two tables side by side": """
#include "sizes.h"
__global__ void load(const float *a, const float *b, float *out) {
    __shared__ float mem[2 * ROWS * COLUMNS];
    float *second = mem + ROWS * COLUMNS;
    for (int k = threadIdx.x; k < ROWS * COLUMNS; k += blockDim.x) {
        mem[k] = a[k];
        second[k] = b[k];
    }
    __syncthreads();
    out[threadIdx.x] = mem[threadIdx.x] * second[0];
}
""",
    "two tables that overlap": """
#include "sizes.h"
__global__ void load(const float *a, const float *b, float *out) {
    __shared__ float mem[2 * ROWS * COLUMNS];
    float *second = mem + 64;
    for (int k = threadIdx.x; k < ROWS * COLUMNS; k += blockDim.x) {
        mem[k] = a[k];
        second[k] = b[k]; // bad
    }
    __syncthreads();
    out[threadIdx.x] = mem[threadIdx.x] * second[0];
}
""",
    "one axis in one mode, two in the other": """
__kernel void reverse(__global const float *in, __global float *out, int dims, int pitch) {
    __local float tile[1024];
    int x = get_local_id(0), y = get_local_id(1);
    if (dims == 1) {
        tile[x] = in[get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = tile[get_local_size(0) - 1 - x];
    } else {
        tile[x + y * get_local_size(0)] = in[get_global_id(0) + get_global_id(1) * pitch];
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0) + get_global_id(1) * pitch] = tile[x + (get_local_size(1) - 1 - y) * get_local_size(0)];
    }
}
""",
    "two threads in one place in the mode of one axis": """
__kernel void reverse(__global const float *in, __global float *out, int dims, int pitch) {
    __local float tile[1024];
    int x = get_local_id(0), y = get_local_id(1);
    if (dims == 1) {
        tile[x / 2] = in[get_global_id(0)]; // bad
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = tile[get_local_size(0) - 1 - x];
    } else {
        tile[x + y * get_local_size(0)] = in[get_global_id(0) + get_global_id(1) * pitch];
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0) + get_global_id(1) * pitch] = tile[x + (get_local_size(1) - 1 - y) * get_local_size(0)];
    }
}
""",
}

GLOBAL = {
    "one axis in one mode, two in the other": """
#include "sizes.h"
__kernel void scale(__global const float *in, __global float *out, int n) {
    int x = get_global_id(0), y = get_global_id(1);
    if (DIMS == 1) {
        if (x < n) out[x] = 2.0f * in[x];
    } else {
        if (x < n && y < n) out[x + y * n] = 2.0f * in[x + y * n];
    }
}
""",
}


@pytest.mark.parametrize("name", SHARED)
def test_shared(name: str) -> None:
    assert_marked(SharedMemoryRace, SHARED[name], "cuda" if "__global__" in SHARED[name] else "opencl")


@pytest.mark.parametrize("name", GLOBAL)
def test_global(name: str) -> None:
    assert_marked(GlobalMemoryRace, GLOBAL[name], "opencl")


PADDED = """
static int power(int n) { int p = 1; while (p < n) p <<= 1; return p; }
__global__ void pad(const unsigned char *image, int w, int h, int pitch, float *padded) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < w * h; i += gridDim.x * blockDim.x)
        padded[i / w * pitch + i % w] = image[i]; @mark
}
void run(const unsigned char *image, int w, int h, float *padded) {
    const int pitch = @pitch;
    pad<<<256, 256>>>(image, w, h, pitch, padded);
}
"""


@pytest.mark.parametrize(("pitch", "mark"), [("power(w)", ""), ("power(h)", "// bad")])
def test_what_a_loop_in_a_helper_of_the_host_has_made_of_a_size(pitch: str, mark: str) -> None:
    assert_marked(GlobalMemoryRace, PADDED.replace("@pitch", pitch).replace("@mark", mark))


DOWN = """
__global__ void sink(float *x, int width, int pitch, int rows) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < width) {
        float *column = x + i;
        for (int at = pitch; at < rows * pitch; at += pitch)
            if (column[at] < column[at - pitch]) {
                const float v = column[at];
                column[at] = column[at - pitch];
                column[TO] = v;
            }
    }
    LAST
}
"""


@pytest.mark.parametrize(
    ("to", "last", "told"),
    [
        ("at - pitch", "", False),
        ("at - pitch + 1", "", True),
        ("at - pitch", "if (i < pitch) x[i] = 0.0f;", False),
        ("at - pitch", "if (i < rows) x[i * pitch + 1] = 0.0f;", True),
    ],
)
def test_a_loop_down_a_column_stays_in_it(to: str, last: str, told: bool) -> None:
    assert bool(findings(GlobalMemoryRace, DOWN.replace("TO", to).replace("LAST", last))) is told


PARTS = """
struct List { long *first; size_t many; };
__global__ void fill(List parts, long rows, long length, int *out) {
    long id = threadIdx.x + (long)blockIdx.x * blockDim.x;
    if (id >= rows * parts.many) return;
    long part = id / rows, row = id % rows;
    int *mine = out + ROW * length;
    int count = COUNT;
    if (part == parts.many - 1) count = length % 10;
    for (int i = 0; i < count; i++) mine[part * 10 + i] = id;
}
List made(long n);
void run(int *out, long n, int bits) {
    long length = 1 << bits, rows = (n + 255) / 256;
    long blocks = (rows * (length / 10 + 1) + 255) / 256;
    fill<<<blocks, 256>>>(made(length), rows, length, out);
}
"""


@pytest.mark.parametrize(
    ("row", "count", "bad"),
    [("row", "10", False), ("0", "10", True), ("row", "min(10l, length)", False)],
)
def test_rows_of_a_length_in_sight_that_parts_out_of_sight_fill(row: str, count: str, bad: bool) -> None:
    assert bool(findings(GlobalMemoryRace, PARTS.replace("ROW", row).replace("COUNT", count))) is bad


DIGITS = """
__global__ void hand_on(float *in, float *out, int nodes, int pitch, int step, int ports) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= nodes * ports) return;
    float *own = in + PLACE;
    out[t] = *own;
    *own = 0.0f;
}
void run(float *in, float *out, int nodes, int pitch, int step, int ports) {
    hand_on<<<(nodes * ports + 1023) / 1024, 1024>>>(in, out, nodes, PASSED, ports);
}
"""


@pytest.mark.parametrize(
    ("place", "passed", "told"),
    [
        ("t / ports * pitch + step * (t % ports)", "pitch, step", False),
        ("t / ports * pitch + step * (t % ports)", "ports * step, step", False),
        ("t / ports * pitch + step * (t % ports / 2)", "pitch, step", True),
        ("t / ports * pitch + step * (t % (ports + 1))", "ports, 1", True),
    ],
)
def test_rows_told_apart_by_a_quotient_hold_what_the_remainder_makes(place: str, passed: str, told: bool) -> None:
    code = DIGITS.replace("PLACE", place).replace("PASSED", passed)
    assert bool(findings(GlobalMemoryRace, code)) is told
