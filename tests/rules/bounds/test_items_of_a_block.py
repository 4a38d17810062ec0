"""Blocks that take a few items each, launched for a count that is rounded up to whole blocks."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import assert_marked, findings

DOT = """
#include <cuda_runtime.h>
template <int per>
__global__ void dots(const float *m, const float *v, float *out, int columns, int rows) {
    const int first = per * blockIdx.x;
    float sum[per] = {0.0f};
    for (int c = threadIdx.x; c < columns; c += 32)
        for (int k = 0; k < per; ++k) sum[k] += READ;
    for (int k = 0; k < per; ++k)
        for (int d = 16; d > 0; d >>= 1) sum[k] += __shfl_xor_sync(0xffffffffu, sum[k], d);
    if (threadIdx.x < per WRITTEN) out[first + threadIdx.x] = sum[threadIdx.x];
}
void run(const float *m, const float *v, float *out, int columns, int rows) {
    dots<2><<<(rows + 1) / 2, 32>>>(m, v, out, columns, rows);
}
"""

OPEN = "m[(first + k) * columns + c] * v[c]"
KEPT = "first + k < rows ? m[(first + k) * columns + c] * v[c] : 0.0f"


@pytest.mark.parametrize("read, written, bad", [(OPEN, "", True), (KEPT, "&& first + threadIdx.x < rows", False)])
def test_rows_that_the_last_block_has_no_more(read: str, written: str, bad: bool) -> None:
    found = findings(MissingBoundsGuard, DOT.replace("READ", read).replace("WRITTEN", written))
    assert any(one.severity.name == "WARNING" for one in found) is bad


def test_a_row_for_each_block_is_none_of_them() -> None:
    code = """
    #include <cuda_runtime.h>
    __global__ void counts(const unsigned char *x, int n, unsigned *rows) {
        __shared__ unsigned mine[256];
        mine[threadIdx.x] = 0;
        __syncthreads();
        int i = blockIdx.x * 256 + threadIdx.x;
        if (i < n) atomicAdd(&mine[x[i]], 1u);
        __syncthreads();
        for (int k = threadIdx.x; k < 256; k += blockDim.x) rows[blockIdx.x * 256 + k] = mine[k];
    }
    void run(const unsigned char *x, int n, unsigned *rows) { counts<<<(n + 255) / 256, 256>>>(x, n, rows); }
    """
    assert not [one for one in findings(MissingBoundsGuard, code) if one.severity.name != "NOTE"]


HEADS = """
#include <cuda_runtime.h>
__global__ void scaled(float *q, const float *scale, int tokens, int heads, int dim) {
    int token = blockIdx.x, head = blockIdx.y * blockDim.y + threadIdx.y;
    if (head >= LIMIT) return;
    for (int d = threadIdx.x; d < dim; d += blockDim.x) q[(token * heads + head) * dim + d] *= scale[head];
}
void run(float *q, const float *scale, int tokens, int heads, int dim) {
    scaled<<<dim3(tokens, (heads + 7) / 8), dim3(32, 8)>>>(q, scale, tokens, heads, dim);
}
"""


@pytest.mark.parametrize("limit, bad", [("heads", False), ("dim", True)])
def test_a_head_that_is_tested_against_the_length_of_one(limit: str, bad: bool) -> None:
    assert bool(findings(WrongBoundsGuard, HEADS.replace("LIMIT", limit))) is bad


def test_as_many_of_a_row_as_somebody_knows_to_be_in_it() -> None:
    code = """
    #include <cuda_runtime.h>
    __global__ void padded(float *x, int used, int row, int batch) {
        int t = blockIdx.x * blockDim.x + threadIdx.x;
        if (t < used) x[blockIdx.y * row + t] *= 2.0f;
    }
    void run(float *x, int used, int row, int batch) {
        padded<<<dim3((row + 63) / 64, batch), 64>>>(x, used, row, batch);
    }
    """
    assert not findings(WrongBoundsGuard, code)


RANKED = """
constexpr int PART = 256;
struct Entry { float score; int item; };
__global__ void rank(const float *scores, int n, Entry *best) {
    __shared__ Entry part[PART];
    const int from = blockIdx.x * PART;
    for (int i = threadIdx.x; i < PART; i += 64) {
        %s
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        Entry top = part[0];
        for (int i = 1; i < PART; ++i) if (part[i].item >= 0 && part[i].score > top.score) top = part[i];
        best[blockIdx.x] = top;
    }
}
void run(const float *scores, int n, Entry *best) { rank<<<%s, 64>>>(scores, n, best); }
"""
UP = "(n + PART - 1) / PART"


@pytest.mark.parametrize(
    ("fill", "grid", "bad"),
    [
        ("part[i].score = scores[from + i]; part[i].item = from + i < n ? from + i : -1;", UP, True),
        ("part[i].item = -1; if (from + i < n) part[i].item = from + i; part[i].score = scores[from + i];", UP, True),
        ("part[i].score = from + i < n ? scores[from + i] : 0; part[i].item = from + i < n ? i : -1;", UP, False),
        ("part[i].score = scores[min(from + i, n - 1)]; part[i].item = from + i < n ? i : -1;", UP, False),
        ("part[i].score = scores[from + i]; part[i].item = from + i < n ? from + i : -1;", "n / PART", False),
    ],
)
def test_items_that_a_value_asks_for(fill: str, grid: str, bad: bool) -> None:
    assert bool(findings(MissingBoundsGuard, RANKED % (fill, grid))) is bad


PAIRS = """
#include <cuda_runtime.h>
__global__ void halve(const float *from, float *to, int many) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= LIMIT) return;
    to[i] = from[PER * i] + from[PER * i + PER - 1];
}
void pyramid(float *level, int n) {
    CHECK
    for (int left = n; left > 1; left /= 2) {
        int blocks = (left / 2 + 255) / 256;
        halve<<<blocks, 256>>>(level, level + left, left);
        level += left;
    }
}
"""


@pytest.mark.parametrize("check", ["", "if (n & (n - 1)) return;"])
@pytest.mark.parametrize(
    ("limit", "per", "bad"),
    [("many", "2", True), ("many / 2", "2", False), ("(many + 1) / 2", "2", False), ("many", "1", False)],
)
def test_groups_that_are_tested_against_all_that_is_grouped(limit: str, per: str, bad: bool, check: str) -> None:
    found = findings(WrongBoundsGuard, PAIRS.replace("LIMIT", limit).replace("PER", per).replace("CHECK", check))
    assert any("rounds" in one.message for one in found) is bad, [one.message for one in found]


GROUPS = """
__global__ void results(const int *sums, int *out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = 2 * i + 1 < n ? sums[i] : 0;
    if (TEST) out[i] = x;MARK
}
void run(const int *sums, int *out, unsigned n, unsigned each) {
    unsigned count = COUNT;
    results<<<(count + 127) / 128, 128>>>(sums, out, n);
}
"""


@pytest.mark.parametrize(
    ("count", "test", "bad"),
    [
        ("(n + each - 1) / each", "i < n", False),  # how many groups memory has nobody says
        ("(n + 15) / 16", "i < n", False),
        ("n", "i <= n", True),
    ],
)
def test_the_number_of_groups_is_rounded_up(count: str, test: str, bad: bool) -> None:
    code = GROUPS.replace("COUNT", count).replace("TEST", test).replace("MARK", "  // bad" * bad)
    assert_marked(WrongBoundsGuard, code)
