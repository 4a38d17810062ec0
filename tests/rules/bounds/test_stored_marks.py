"""Marks that one kernel stores and another one makes a place of, sizes that are passed and not asked for."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard

from tests.rules.marked import assert_marked

NEAREST = """
__global__ void assign(const float *x, const float *reach, int *home, int n, int centres) {
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n) return;
    int c = (int)x[i];
    home[i] = STORE;
}
__global__ void sum(const int *home, const float *mass, float *total, int n, int width) {
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n) return;
    const int c = home[i];
    TEST atomicAdd(&total[c * width + 1], mass[i]); MARK
}
"""


@pytest.mark.parametrize(
    ("store", "test", "bad"),
    [
        ("x[i] > reach[c] ? -1 : c", "", True),
        ("x[i] > reach[c] ? -1 : c", "if (c >= 0)", False),
        ("x[i] > reach[c] ? -1 : c", "if (mass[i] > 0)", False),  # of which the mark may be the reason
        ("x[i] > reach[c] ? 0 : c", "", False),
        ("centres > 4 ? -1 : c", "", False),  # no datum decides
        ("x[i] > reach[c] ? -1 : 1", "", False),  # two marks and no place
    ],
)
def test_marks_that_another_kernel_stores(store: str, test: str, bad: bool) -> None:
    text = NEAREST.replace("STORE", store).replace("TEST", test).replace("MARK", "// bad" * bad)
    assert_marked(MissingBoundsGuard, text)


def test_marks_that_a_third_kernel_may_take_out() -> None:
    clean = "__global__ void tidy(int *home, int n) { int i = threadIdx.x; if (i < n && home[i] < 0) home[i] = 0; }"
    text = NEAREST.replace("STORE", "x[i] > reach[c] ? -1 : c").replace("TEST", "").replace("MARK", "")
    assert_marked(MissingBoundsGuard, text + clean)


ROWS = """
__global__ void pick(const unsigned *which, const float *from, float *to, int n, unsigned rows, int wide) {
    for (int i = blockIdx.x * 64 + threadIdx.x; i < n * wide; i += gridDim.x * 64) {
        unsigned r = which[i / wide];
        to[i] = r < rows ? from[r * wide + i % wide] : 0.0f;
    }
}
__global__ void give(const unsigned *WHICH, const float *from, float *to, int n, unsigned rows, int wide) {
    for (int i = blockIdx.x * 64 + threadIdx.x; i < n * wide; i += gridDim.x * 64) {
        unsigned r = WHICH[i / wide];
        TEST atomicAdd(&to[r * wide + i % wide], from[i]); MARK
    }
}
"""


@pytest.mark.parametrize(
    ("which", "test", "bad"),
    [
        ("which", "", True),
        ("which", "if (r < rows)", False),
        ("which", "if (r != rows)", False),
        ("where", "", False),
        ("which", "if (from[i] > rows)", False),  # a use of the size
    ],
)
def test_rows_that_another_kernel_tests(which: str, test: str, bad: bool) -> None:
    text = ROWS.replace("WHICH", which).replace("TEST", test).replace("MARK", "// bad" * bad)
    assert_marked(MissingBoundsGuard, text)


LIST = """
#include <cuda_runtime.h>
struct List { float *value; unsigned *used; unsigned room; };
__global__ void keep(const float *x, unsigned n, float least, List list) {
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n || x[i] < least) return;
    unsigned at = atomicAdd(list.used, 1u);
    TEST list.value[at] = x[i]; MARK
}
void run(const float *x, unsigned n, float least, unsigned some) {
    List list;
    list.room = ROOM;
    cudaMalloc(&list.value, list.room * sizeof(float));
    cudaMalloc(&list.used, sizeof(unsigned));
    cudaMemset(list.used, 0, sizeof(unsigned));
    keep<<<(n + 255) / 256, 256>>>(x, n, least, list);
}
"""


@pytest.mark.parametrize(
    ("test", "room", "bad"),
    [
        ("", "n / 16 + 8", True),
        ("", "some", True),
        ("if (at < list.room)", "n / 16 + 8", False),
        ("", "n", False),
        ("", "n + 64", False),
    ],
)
def test_room_in_a_member(test: str, room: str, bad: bool) -> None:
    text = LIST.replace("TEST", test).replace("ROOM", room).replace("MARK", "// bad" * bad)
    assert_marked(MissingBoundsGuard, text)
