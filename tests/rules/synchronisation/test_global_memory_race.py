"""Races in global memory: indices that lack an axis, neighbours, counters; and what only looks like them."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace

from kernlint.finding import Severity
from tests.rules.marked import assert_marked, findings

CUDA = {
    "places drawn from a counter of the block, from the start": """
__global__ void keep(const int *in, const int *first, int *out) {
    __shared__ int end;
    if (threadIdx.x == 0) end = 0;
    __syncthreads();
    for (int i = first[blockIdx.x] + threadIdx.x; i < first[blockIdx.x + 1]; i += blockDim.x)
        if (in[i] > 0) out[atomicAdd(&end, 1)] = in[i];  // bad
}
""",
    "places drawn from a counter of the block, from where its own part begins": """
__global__ void keep(const int *in, const int *first, int *out) {
    __shared__ int end;
    if (threadIdx.x == 0) end = first[blockIdx.x];
    __syncthreads();
    for (int i = first[blockIdx.x] + threadIdx.x; i < first[blockIdx.x + 1]; i += blockDim.x)
        if (in[i] > 0) out[atomicAdd(&end, 1)] = in[i];
}
""",
    "every block writes the same cells": """
__global__ void k(float *sums, const float *a) {
    float s = 0;
    for (int i = 0; i < 100; ++i) s += a[blockIdx.x * 100 + i];
    sums[threadIdx.x] = s; // bad
}
""",
    "a cell changes by a draw of its own, beside others that do": """
__device__ float draw(unsigned long long seed, unsigned long long cell) {
    unsigned long long z = seed + 0xd1b54a32d192ed03ull * cell;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    return (float)(z >> 40) * (1.0f / 16777216.0f);
}
__global__ void flip(float *spin, int n, float beta, unsigned long long seed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float gain = spin[i] * (spin[i == 0 ? n - 1 : i - 1] + spin[i == n - 1 ? 0 : i + 1]);
    if (gain <= 0.0f || draw(seed, i) < expf(-beta * gain)) spin[i] = -spin[i];  // bad
}
""",
    "every second cell changes by a draw of its own": """
__device__ float draw(unsigned long long seed, unsigned long long cell) {
    unsigned long long z = seed + 0xd1b54a32d192ed03ull * cell;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    return (float)(z >> 40) * (1.0f / 16777216.0f);
}
__global__ void flip(float *spin, int n, float beta, unsigned long long seed, int odd) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1 || i >= n - 1 || (i & 1) != odd) return;
    float gain = spin[i] * (spin[i - 1] + spin[i + 1]);
    if (gain <= 0.0f || draw(seed, i) < expf(-beta * gain)) spin[i] = -spin[i];
}
""",
    "cells within a circle that data give take what lies beyond it": """
__global__ void mirror(float *x, const float *radius, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n / 2) return;
    float far = i * 0.5f;
    if (far * far < radius[0]) x[i] = x[i + n / 2];
}
""",
    "an array that a structure on the device leads to": """
struct Tally { int n; float *sum; };
__global__ void total(Tally *t, const float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < t->n) t->sum[0] += x[i];  // bad
}
""",
    "each thread has a structure, or an element, of its own": """
struct Tally { int n; float *sum; };
__global__ void totals(Tally *t, const float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) t[i].sum[0] += x[i];
}
__global__ void parts(Tally *t, const float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < t->n) t->sum[i] += x[i];
}
""",
    "one block only": """
__global__ void k(float *sums, const float *a) {
    sums[threadIdx.x] = a[threadIdx.x] * 2;
}
""",
    "an axis of the block is missing": """
__global__ void k(float *m, int pitch) {
    __shared__ float s[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    s[y][x] = m[y * pitch + x];
    __syncthreads();
    m[blockIdx.y * pitch + x] = s[y][x] + s[15 - y][x]; // bad
}
""",
    "rows and columns": """
__global__ void k(float *m, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) m[y * width + x] = x + y;
}
""",
    "a pitch that nothing guards": """
__global__ void k(float *m, size_t pitch) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    m[y * pitch + x] = x + y;
}
""",
    "a sum in one cell": """
__global__ void k(float *sum, const float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) *sum += a[i]; // bad
}
""",
    "neighbours in place": """
__global__ void k(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1) a[i] = a[i + 1]; // bad
}
""",
    "red and black": """
__global__ void k(float *a, int n, int odd) {
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1;
    if (i < n - 1) a[i] = 0.5f * (a[i - 1] + a[i + 1]);
}
""",
    "grid-stride loop": """
__global__ void k(float *a, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) a[i] *= 2;
}
""",
    "the same flag": """
__global__ void k(const int *a, int *changed, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && a[i]) *changed = 1;
}
""",
    "an element for each warp": """
__global__ void k(float *o, const float *a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = a[i];
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
    if (threadIdx.x % 32 == 0) o[i / 32] = v;
}
""",
    "slots counted in shared memory": """
__global__ void k(const int *a, int *o, int n) {
    __shared__ int used;
    if (threadIdx.x == 0) used = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && a[i]) o[atomicAdd(&used, 1)] = i; // bad
}
""",
    "slots counted in global memory": """
__global__ void k(const int *a, int *o, int *used, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && a[i]) o[atomicAdd(used, 1)] = i;
}
""",
}


@pytest.mark.parametrize("name", CUDA)
def test_cuda(name: str) -> None:
    assert_marked(GlobalMemoryRace, CUDA[name])


def test_a_plain_store_through_an_index_is_a_note() -> None:
    code = """
__global__ void k(const int *where, const float *v, float *o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[where[i]] = v[i];
}
"""
    (found,) = findings(GlobalMemoryRace, code)
    assert found.severity is Severity.NOTE
    (lost,) = findings(GlobalMemoryRace, code.replace("] = v", "] += v"))
    assert lost.severity is Severity.NOTE  # whoever has filled the array may have seen to it


REPEATED = {
    "counted": "o[where[i]] += 1.0f;",
    "the entry has to be in range": "if (where[i] < m) o[where[i]] += v[i];",
    "many entries make one place": "o[where[i] / 8] += v[i];",
    "several entries of an item": "for (int k = 0; k < 4; k++) o[where[4 * i + k]] += v[i];",
    "the two ends of an edge": "o[where[i]] += v[other[i]];",
    "counted elsewhere": "atomicAdd(&times[where[i]], 1); o[where[i]] += v[i];",
}


@pytest.mark.parametrize("name", REPEATED)
def test_what_says_that_an_index_occurs_twice(name: str) -> None:
    code = f"""
__global__ void k(const int *where, const int *other, const float *v, float *o, int *times, int n, int m) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    {REPEATED[name]}
}}
"""
    assert Severity.WARNING in {found.severity for found in findings(GlobalMemoryRace, code)}


def test_threads_that_take_one_entry() -> None:
    code = """
__global__ void k(const int *where, const float *v, float *o) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[where[i]] += v[i * 4 + threadIdx.y];
}
void run(const int *where, const float *v, float *o) { k<<<8, dim3(32, 4)>>>(where, v, o); }
"""
    (found,) = findings(GlobalMemoryRace, code)
    assert found.severity is Severity.WARNING


@pytest.mark.parametrize(
    ("between", "level"),
    [
        ("cudaMemset(o, 0, m * sizeof(float));", Severity.WARNING),
        ("cudaMemset(o, 0, m * sizeof(float)); other<<<4, 64>>>(o);", Severity.NOTE),
        ("cudaMemset(v, 0, n * sizeof(float));", Severity.NOTE),
    ],
)
def test_a_sum_onto_zeros_is_made_of_several(between: str, level: Severity) -> None:
    code = f"""
__global__ void other(float *o) {{ o[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f; }}
__global__ void k(const int *where, const float *v, float *o, int n) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[where[i]] += v[i];
}}
void run(const int *where, float *v, float *o, int n, int m) {{
    {between}
    k<<<(n + 63) / 64, 64>>>(where, v, o, n);
}}
"""
    (found,) = (f for f in findings(GlobalMemoryRace, code) if f.kernel in (None, "k"))
    assert found.severity is level


COORDINATES = """
struct Place { int row, column; float weight; };
__global__ void k(const Place *places, float *o, int pitch, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[places[i].row * pitch + places[i].column] += places[i].weight;
}
"""


def test_a_list_of_places_is_believed() -> None:
    assert {found.severity for found in findings(GlobalMemoryRace, COORDINATES)} == {Severity.NOTE}


def test_a_list_of_active_elements_is_no_scatter() -> None:
    code = """
__global__ void k(const int *active, float *x, const float *v, int n) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n) return;
    int i = active[k];
    x[i] += v[i];
}
"""
    assert all(found.severity is Severity.NOTE for found in findings(GlobalMemoryRace, code))


def test_the_grid_decides() -> None:
    code = CUDA["every block writes the same cells"].replace(" // bad", "")
    assert_marked(GlobalMemoryRace, code, block="64,1,1", grid="1,1,1")
    (found,) = findings(GlobalMemoryRace, code, block="64,1,1", grid="4,1,1")
    assert found.severity is Severity.ERROR


def test_a_condition_that_is_known_in_part() -> None:
    code = """
__global__ void k(const float *a, int *flag, int rounds) {
    int fine = 1;
    for (int r = 0; r < rounds && fine; ++r)
        if (a[r] == 0.0f) {
            fine = 0;
            if (threadIdx.x == 0) *flag = -r;
        }
    if (threadIdx.x == 0 && fine) atomicMin(flag, 0);
}
"""
    assert_marked(GlobalMemoryRace, code, block="32,1,1", grid="1,1,1")
    assert findings(GlobalMemoryRace, code.replace("threadIdx.x == 0 && fine", "threadIdx.x < 2 && fine"))
