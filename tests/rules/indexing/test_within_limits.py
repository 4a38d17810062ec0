"""Products in 32 bits that a check of the host, or the item that they lie in, keeps small."""

from __future__ import annotations

import pytest
from kernlint_rules.indexing.index_overflow import IndexOverflow

from tests.rules.marked import findings

BLUR = """
#include <climits>
__global__ void blur(const float *in, float *out, int w, int h, int d) {
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
    if (x >= w || y >= h) return;
    const int at = (z * h + y) * w + x;
    out[at] = 0.5f * (in[at] + in[x > 0 ? at - 1 : at]);
}
bool run(const float *in, float *out, int w, int h, int d) {
    if (w <= 0 || h <= 0 || d <= 0 || d > 65535) return false;
    if (CHECK) return false;
    blur<<<dim3((w + 31) / 32, h, d), 32>>>(in, out, w, h, d);
    return true;
}
"""


@pytest.mark.parametrize(
    ("check", "bad"),
    [
        ("(long long)w * h > INT_MAX / d", False),
        ("w > INT_MAX / h / d || (long long)w * h < 4", False),
        ("(long long)w * h > INT_MAX / 4 / d", False),
        ("w > INT_MAX / ((long long)h * d) || (long long)w * h < 4", False),
        ("(long long)w * h > INT_MAX", True),
        ("(long long)w * h > 1LL * INT_MAX * 1024 / d", True),
        ("(long long)w * h > d / INT_MAX + 900", True),
    ],
)
def test_a_limit_that_is_divided_by_a_size_keeps_the_product_with_it_small(check: str, bad: bool) -> None:
    assert bool(findings(IndexOverflow, BLUR.replace("CHECK", check))) is bad


SOLVE = """
__global__ void permuted(const double *items, double *out, const int *order, double *most, int n) {
    const size_t base = ITEM;
    for (int i = threadIdx.x; i < n * n; i += blockDim.x)
        out[(size_t)blockIdx.x * n * n + i] = items[base + order[i / n] * n + i % n];
    for (int i = threadIdx.x; i < n; i += blockDim.x) most[(size_t)blockIdx.x * n + i] = 0;
}
"""


@pytest.mark.parametrize(
    ("item", "bad"), [("(size_t)blockIdx.x * n * n", False), ("0", True), ("(size_t)blockIdx.x", True)]
)
def test_a_row_of_an_item_found_in_64_bits_is_no_further_than_its_end(item: str, bad: bool) -> None:
    assert bool(findings(IndexOverflow, SOLVE.replace("ITEM", item))) is bad


WINDOW = """
__global__ void windows(const float *in, float *out, long long n, int c, int d, int h, int w, int k) {
    const long long first = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    for (long long i = first; i < n; i += (long long)gridDim.x * blockDim.x) {
        const int z = (int)(i % d), plane = (int)(i / d % c), item = (int)(i / d / c);
        const TYPE at = (TYPE)(PLACE) * d * h * w;
        float sum = 0;
        for (int e = z; e < LIMIT; e++) sum += in[at + (long long)e * h * w];
        out[i] = sum;
    }
}
"""


@pytest.mark.parametrize(
    ("kind", "place", "limit", "bad"),
    [
        ("int", "item * c + plane", "min(z + k, d)", True),
        ("int", "item * c + plane", "d", True),
        ("long long", "item * c + plane", "min(z + k, d)", False),
        ("int", "item * c + plane", "z + 7", False),
    ],
)
def test_a_window_goes_no_further_than_the_size_that_its_end_is_cut_to(
    kind: str, place: str, limit: str, bad: bool
) -> None:
    code = WINDOW.replace("TYPE", kind).replace("PLACE", place).replace("LIMIT", limit)
    assert bool(findings(IndexOverflow, code)) is bad
