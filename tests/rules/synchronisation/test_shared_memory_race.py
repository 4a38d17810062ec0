"""Races in shared memory: kinds of faults, and the synchronised code that looks like them."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.late_barrier import LateBarrier
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from kernlint.finding import Severity
from tests.rules.marked import assert_marked, findings

CUDA = {
    "reduction without a barrier in the loop": """
__global__ void k(float *o) {
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    for (int h = 128; h > 0; h >>= 1)
        if (t < h) s[t] += s[t + h]; // bad
    if (t == 0) o[blockIdx.x] = s[0];
}
""",
    "reduction": """
__global__ void k(float *o) {
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = t;
    for (int h = 128; h > 0; h >>= 1) {
        __syncthreads();
        if (t < h) s[t] += s[t + h];
    }
    if (t == 0) o[blockIdx.x] = s[0];
}
""",
    "scan in place": """
__global__ void k(float *o) {
    __shared__ float s[128];
    int t = threadIdx.x;
    s[t] = o[t];
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
        if (t >= d) s[t] += s[t - d]; // bad
        __syncthreads();
    }
    o[t] = s[t];
}
""",
    "scan that reads first": """
__global__ void k(float *o) {
    __shared__ float s[128];
    int t = threadIdx.x;
    s[t] = o[t];
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
        float left = t >= d ? s[t - d] : 0.0f;
        __syncthreads();
        s[t] += left;
        __syncthreads();
    }
    o[t] = s[t];
}
""",
    "one barrier per round on one buffer": """
__global__ void k(const float *a, float *o, int n) {
    __shared__ float tile[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    float sum = 0;
    for (int i = 0; i < n; i += 16) {
        tile[y][x] = a[i * n + y * n + x]; // bad
        __syncthreads();
        for (int j = 0; j < 16; ++j) sum += tile[j][x];
    }
    o[y * 16 + x] = sum;
}
""",
    "one barrier per round on two buffers": """
__global__ void k(const float *a, float *o, int n) {
    __shared__ float tile[2][16][16];
    int x = threadIdx.x, y = threadIdx.y;
    float sum = 0;
    int cur = 0;
    for (int i = 0; i < n; i += 16) {
        tile[cur][y][x] = a[i * n + y * n + x];
        __syncthreads();
        for (int j = 0; j < 16; ++j) sum += tile[cur][j][x];
        cur = 1 - cur;
    }
    o[y * 16 + x] = sum;
}
""",
    "a broadcast slot is used again": """
__global__ void k(const float *a, float *o, int n) {
    __shared__ float pivot;
    for (int r = 0; r < n; ++r) {
        if (threadIdx.x == 0) pivot = a[r * n + r]; // bad
        __syncthreads();
        o[r * n + threadIdx.x] /= pivot;
    }
}
""",
    "a helper with one barrier, called twice": """
__device__ float sum(float v, float *s) {
    s[threadIdx.x] = v; // bad
    __syncthreads();
    float r = 0;
    for (int i = 0; i < 64; ++i) r += s[i];
    return r;
}
__global__ void k(float *o) {
    __shared__ float s[64];
    float a = sum(o[threadIdx.x], s);
    o[threadIdx.x] = sum(a * 2, s);
}
""",
    "equal values, atomics, one winner": """
__global__ void k(const int *a, int *o, int n) {
    __shared__ int count, flag, where;
    if (threadIdx.x == 0) { count = 0; flag = 0; where = 0; }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && a[i] > 0) atomicAdd(&count, 1);
    if (i < n && a[i] < 0) flag = 1;
    if (i < n && a[i] == 7) where = i;
    __syncthreads();
    if (threadIdx.x == 0) { o[3 * blockIdx.x] = count; o[3 * blockIdx.x + 1] = flag; o[3 * blockIdx.x + 2] = where; }
}
""",
    "one warp": """
__global__ void __launch_bounds__(32) k(float *o) {
    __shared__ float s[32];
    s[threadIdx.x] = o[threadIdx.x];
    __syncwarp();
    o[threadIdx.x] = s[31 - threadIdx.x];
}
""",
    "an index out of memory": """
__global__ void k(const int *perm, float *o) {
    __shared__ float s[128];
    s[perm[threadIdx.x]] = o[threadIdx.x];
    __syncthreads();
    o[threadIdx.x] = s[threadIdx.x];
}
""",
}


@pytest.mark.parametrize("name", CUDA)
def test_cuda(name: str) -> None:
    assert_marked(SharedMemoryRace, CUDA[name])


def test_opencl_has_no_warps() -> None:
    code = """
__kernel void k(__global float *o, __local float *s) {
    int t = get_local_id(0);
    s[t] = o[t];
    o[t] = s[t ^ 1]; // bad
}
"""
    assert_marked(SharedMemoryRace, code, "opencl")


def test_sub_groups_are_counted_on() -> None:
    code = """
__kernel void k(__global float *o, __local float *s) {
    int t = get_local_id(0);
    s[t] = o[t];
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    o[t] = s[t ^ 1];
}
"""
    assert_marked(SharedMemoryRace, code, "opencl")


def test_the_launch_decides() -> None:
    code = """
__global__ void k(float *o) {
    __shared__ float s[1024];
    int t = threadIdx.x;
    for (int i = t; i < 256; i += 256) s[i] = o[i];
    __syncthreads();
    o[t] = s[t];
}
"""
    assert_marked(SharedMemoryRace, code)
    found = findings(SharedMemoryRace, code, block="512,1,1")
    assert not found, "threads 0 and 256 never write one cell: the second half has no work"


def test_late_barrier_is_said_once() -> None:
    code = """
__global__ void k(float *o) {
    __shared__ float s[128];
    s[threadIdx.x] = o[threadIdx.x];
    float next = threadIdx.x < 127 ? s[threadIdx.x + 1] : 0;
    __syncthreads(); // bad
    o[threadIdx.x] = next;
}
"""
    assert_marked(LateBarrier, code)
    assert not findings(SharedMemoryRace, code)


def test_a_replayed_race_is_an_error() -> None:
    (found,) = findings(SharedMemoryRace, CUDA["scan in place"])
    assert found.severity is Severity.ERROR
    assert found.witness is not None and found.witness.replayed
    first, second = found.witness.steps
    assert first.thread[0] // 32 != second.thread[0] // 32, "threads of two warps leave no excuse"
    assert first.index == second.index


@pytest.mark.parametrize(("threads", "races"), [(64, False), (65, True), (100, True), (128, True)])
def test_the_one_thread_that_writes_another_value(threads: int, races: bool) -> None:
    code = """
__kernel void k(__local int *cell, const int i) {
    cell[i] = get_local_id(0) / 64;
}
"""
    found = findings(SharedMemoryRace, code, "opencl", block=f"{threads},1,1", grid="1,1,1")
    assert bool(found) is races
    if races:
        assert found[0].witness is not None
        values = {step.thread[0] // 64 for step in found[0].witness.steps}
        assert values == {0, 1}


FIRST_HIT = """
__global__ void first_hit(const int *keys, const int *start, int key, int *where) {
    __shared__ int at;
    const int end = start[blockIdx.x + 1];
    if (threadIdx.x == 0) at = end;
    __syncthreads();
    for (int from = start[blockIdx.x]; from < end; from += blockDim.x) {
        const int i = from + threadIdx.x;
        %s
        if (i < end && keys[i] == key) atomicMin(&at, i);
        __syncthreads();
        const bool done = at != end;
        %s
        if (done) break;
    }
    if (threadIdx.x == 0) where[blockIdx.x] = at;
}
"""


@pytest.mark.parametrize(
    ("before", "behind", "races"),
    [
        ("", "__syncthreads();", False),
        ("", "", True),
        ("if (key < 0) break;", "__syncthreads();", False),
    ],
)
def test_a_loop_that_is_left_behind_its_barrier(before: str, behind: str, races: bool) -> None:
    """Who is in the next iteration has not left by the break of the one before, and nobody else has."""
    assert bool(findings(SharedMemoryRace, FIRST_HIT % (before, behind), block="256,1,1")) is races
