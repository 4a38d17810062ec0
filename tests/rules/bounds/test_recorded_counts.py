"""Lists that one kernel fills as far as there is room, and another reads as far as a count that went on."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange

from tests.rules.marked import assert_marked, findings

TEXT = """
#define SLOTS 48
__global__ void gather(const float2 *p, int n, float r, int *near, int *many) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int c = 0;
    for (int j = 0; j < n; ++j) {
        const float dx = p[j].x - p[i].x, dy = p[j].y - p[i].y;
        if (dx * dx + dy * dy < r) PUSH
    }
    many[i] = COUNT;
}
__global__ void forces(const float2 *p, int n, const int *near, const int *many, float2 *f) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 sum = make_float2(0.0f, 0.0f);
    for (int k = 0; k < END; ++k) {
        const float2 q = p[near[i * SLOTS + k]];MARK
        sum.x += q.x; sum.y += q.y;
    }
    f[i] = sum;
}
"""


@pytest.mark.parametrize(
    ("push", "count", "end", "bad"),
    [
        ("{ if (c < SLOTS) near[i * SLOTS + c] = j; ++c; }", "c", "many[i]", True),
        ("{ if (c <= SLOTS - 1) near[i * SLOTS + c] = j; c++; }", "c", "many[i]", True),
        ("{ if (c < SLOTS) near[i * SLOTS + c] = j; ++c; }", "min(c, SLOTS)", "many[i]", False),
        ("{ if (c < SLOTS) near[i * SLOTS + c] = j; ++c; }", "c", "min(many[i], SLOTS)", False),
        ("if (c < SLOTS) { near[i * SLOTS + c] = j; ++c; }", "c", "many[i]", False),
        ("{ if (c == SLOTS) break; near[i * SLOTS + c] = j; ++c; }", "c", "many[i]", False),
        ("{ near[i * SLOTS + c] = j; ++c; }", "c", "many[i]", False),
    ],
)
def test_recorded_counts(push: str, count: str, end: str, bad: bool) -> None:
    text = TEXT.replace("PUSH", push).replace("COUNT", count).replace("END", end)
    assert_marked(ArrayIndexOutOfRange, text.replace("MARK", "  // bad" if bad else ""))


CLAMPED = """
__global__ void hold(int *many, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && many[i] > SLOTS) many[i] = SLOTS;
}
"""


def test_a_kernel_between_them_holds_the_counts_down() -> None:
    push = "{ if (c < SLOTS) near[i * SLOTS + c] = j; ++c; }"
    text = TEXT.replace("PUSH", push).replace("COUNT", "c").replace("END", "many[i]").replace("MARK", "")
    assert_marked(ArrayIndexOutOfRange, text + CLAMPED)


DRAWN = """
#define ROOM 256
__global__ void pick(const float *energy, int cells, int *hits, unsigned *many) {
    const int event = blockIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cells || energy[event * cells + c] < 2.5f) return;
    const unsigned s = atomicAdd(&many[event], 1u);
    if (s < ROOM) hits[event * ROOM + s] = c;
    OVER
}
__global__ void cluster(const float *energy, int cells, const int *hits, const unsigned *many, float *sum) {
    const int event = blockIdx.x;
    const unsigned n = COUNT;
    LOOP {
        sum[event * ROOM + k] = energy[event * cells + hits[event * ROOM + k]];MARK
    }
}
void run(const float *energy, int cells, int *hits, unsigned *many, float *sum, int events) {
    if (events < 1 || cells < 1 || cells > 65536) return;
    cudaMemset(many, 0, events * sizeof(unsigned));
    pick<<<dim3((cells + 127) / 128, events), 128>>>(energy, cells, hits, many);
    HOST
    cluster<<<events, 128>>>(energy, cells, hits, many, sum);
}
"""
STRIDED = "for (unsigned k = threadIdx.x; k < n; k += blockDim.x)"
CHECKED = "unsigned got; cudaMemcpy(&got, many, 4, cudaMemcpyDeviceToHost); if (got > ROOM) return;"
HELD = (
    "unsigned got; cudaMemcpy(&got, many, 4, cudaMemcpyDeviceToHost); got = min(got, (unsigned)ROOM);"
    "cudaMemcpy(many, &got, 4, cudaMemcpyHostToDevice);"
)


@pytest.mark.parametrize(
    ("count", "loop", "over", "host", "bad"),
    [
        ("many[event]", STRIDED, "", "", True),
        ("many[event]", "const unsigned k = threadIdx.x; if (k < n)", "", "", True),
        ("min(many[event], (unsigned)ROOM)", STRIDED, "", "", False),
        ("many[event]", "if (n <= ROOM) " + STRIDED, "", "", False),
        ("many[event]", STRIDED.replace("k < n", "k < n && k < ROOM"), "", "", False),
        ("many[event]", STRIDED, "else atomicSub(&many[event], 1u);", "", False),
        ("many[event]", STRIDED, "", CHECKED, False),
        ("many[event]", STRIDED, "", HELD, False),
    ],
)
def test_counters_that_go_on(count: str, loop: str, over: str, host: str, bad: bool) -> None:
    text = DRAWN.replace("COUNT", count).replace("LOOP", loop).replace("OVER", over).replace("HOST", host)
    found = [one.message for one in findings(ArrayIndexOutOfRange, text.replace("MARK", ""))]
    assert any("counts on" in message for message in found) is bad, found


ONE_LIST = """
__kernel void keep(__global const float *w, const int n, __global int *list, volatile __global int *used,
                   const int room) {
    const int i = get_global_id(0);
    if (i >= n || w[i] <= 0.0f) return;
    const int s = atomic_inc(used);
    if (s < room) list[s] = i;
}
__kernel void use(__global const float *w, __global const int *list, __global const int *used, const int room,
                  __global float *out) {
    const int i = get_global_id(0);
    if (i < COUNT) out[i] = w[list[i]];
}
"""


@pytest.mark.parametrize(("count", "bad"), [("*used", True), ("min(*used, room)", False)])
def test_one_list_of_one_counter(count: str, bad: bool) -> None:
    found = findings(ArrayIndexOutOfRange, ONE_LIST.replace("COUNT", count), "opencl")
    assert bool(found) is bad, [one.message for one in found]


BY_THE_HOST = """
#include <cuda_runtime.h>
#include <algorithm>
constexpr unsigned ROOM = 1u << 16;
__global__ void find(const unsigned *text, unsigned n, unsigned what, unsigned *hits, unsigned *n_hits) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || text[i] != what) return;
    const unsigned at = atomicAdd(n_hits, 1u);
    TEST hits[at] = i;
}
__global__ void extend(unsigned *text, const unsigned *hits, unsigned n_hits) {
    const unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < n_hits) text[hits[k]] = 0;
}
void search(unsigned *text, unsigned n, unsigned what, unsigned *hits, unsigned *n_hits) {
    unsigned found = 0;
    cudaMemset(n_hits, 0, sizeof(unsigned));
    find<<<(n + 255) / 256, 256>>>(text, n, what, hits, n_hits);
    cudaMemcpy(&found, n_hits, sizeof(unsigned), cudaMemcpyDeviceToHost);
    ASKED
    if (found > 0) extend<<<(found + 255) / 256, 256>>>(text, hits, PASSED);
}
"""


@pytest.mark.parametrize(
    ("test", "asked", "passed", "bad"),
    [
        ("if (at < ROOM)", "", "found", True),
        ("if (at < ROOM)", "if (found == 0) return;", "found", True),
        ("if (at < ROOM)", "if (found > ROOM) found = ROOM;", "found", False),
        ("if (at < ROOM)", "if (found > ROOM) return;", "found", False),
        ("if (at < ROOM)", "", "std::min(found, ROOM)", False),
        ("if (at < ROOM)", "", "n", False),
        ("", "", "found", False),
    ],
)
def test_counts_that_the_host_passes_on(test: str, asked: str, passed: str, bad: bool) -> None:
    text = BY_THE_HOST.replace("TEST", test).replace("ASKED", asked).replace("PASSED", passed)
    assert bool(findings(ArrayIndexOutOfRange, text)) is bad
