"""Memory that is given back by a pointer into its middle."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.device_memory_leak import DeviceMemoryLeak
from kernlint_rules.launch.device_use_after_free import DeviceUseAfterFree

from tests.rules.marked import findings


def _told(code: str, language: str = "cuda") -> bool:
    return any("inside of what was allocated" in one.message for one in findings(DeviceUseAfterFree, code, language))


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("x += 4; cudaFree(x);", True),
        ("float *y = x + 1; cudaFree(y);", True),
        ("x++; cudaMemset(x, 0, 4); cudaFree(x);", True),
        ("x += 4; cudaMemset(x, 0, 4); x -= 4; cudaFree(x);", False),
        ("x += 4; cudaFree(x - 4);", False),
        ("x += n; cudaFree(x - n);", False),
        ("float *y = x + 1; cudaMemset(y, 0, 4); cudaFree(x);", False),
        ("float **all = (float **)malloc(16); all[1] = x; cudaFree(all[1]); free(all);", False),
        ("x = align_up(x); cudaFree(x);", False),
    ],
)
def test_a_pointer_that_was_moved_on(lines: str, told: bool) -> None:
    code = "float *align_up(float *x);\nvoid run(int n) { float *x; cudaMalloc(&x, n * sizeof(float)); LINES }"
    assert _told(code.replace("LINES", lines)) is told


POOL = """
#include <hip/hip_runtime.h>
struct Piece { Piece *next; char room[56]; };
struct Pool { Piece *free; char *all; int count; };
void make(Pool &p, int count) {
    char *all = nullptr;
    hipHostMalloc((void **)&all, count * sizeof(Piece), 0);
    p.free = nullptr;
    KEEP
    p.count = count;
    for (int i = count - 1; i >= 0; i--) {
        Piece *one = reinterpret_cast<Piece *>(all + i * sizeof(Piece));
        one->next = p.free;
        p.free = one;
    }
}
void *take(Pool &p) { Piece *one = p.free; TAKE return one; }
void drop(Pool &p) { hipHostFree(p.GIVEN); }
"""


@pytest.mark.parametrize(
    ("keep", "take", "given", "told"),
    [
        ("", "p.free = one->next;", "free", True),
        ("p.all = all;", "p.free = one->next;", "all", False),
        ("", "", "free", False),  # the first piece, for good
    ],
)
def test_the_head_of_a_list_in_one_piece_of_memory(keep: str, take: str, given: str, told: bool) -> None:
    code = POOL.replace("KEEP", keep).replace("TAKE", take).replace("GIVEN", given)
    assert _told(code, "hip") is told


SHIFTED = """
#include <cuda_runtime.h>
enum Kind { NONE, WHOLE, REAL };
static void *shifted(Kind kind, void *x, long long by) {
    void *at = nullptr;
    if (kind == WHOLE) at = &((int *)x)[by];
    else if (kind == REAL) at = &((double *)x)[by];
    return at;
}
static float *checked(float *x, bool good) { return good ? x : nullptr; }
void *made(Kind kind, const void *from, size_t bytes, long long by, bool good) {
    void *x = nullptr, *y = nullptr;
    cudaMalloc(&x, bytes);
    cudaMemcpy(x, from, bytes, cudaMemcpyHostToDevice);
    LINES
}
"""


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("return shifted(kind, x, -by);", False),
        ("cudaMalloc(&y, bytes); return shifted(kind, x, -by);", True),
        ("return shifted(kind, y, -by);", True),
        ("if (by > 9) return nullptr; return shifted(kind, x, -by);", True),
        ("return checked((float *)x, good);", True),
        ("return good ? (float *)x + by : nullptr;", True),
    ],
)
def test_memory_goes_along_with_a_pointer_into_it(lines: str, told: bool) -> None:
    assert bool(findings(DeviceMemoryLeak, SHIFTED.replace("LINES", lines))) is told
