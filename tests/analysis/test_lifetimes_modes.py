"""Functions out of sight that are asked which way a program works, and returns whose values no header explains."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.device_memory_leak import DeviceMemoryLeak
from kernlint_rules.launch.device_use_after_free import DeviceUseAfterFree

from tests.rules.marked import findings

POOLED = """
#include <cuda_runtime.h>
struct Piece { char *data; };
bool pooled();
int mode(int which);
bool failed();
void take(size_t bytes, Piece &piece);
void put(Piece &piece);
__global__ void fill(float *x) { x[threadIdx.x] = 1; }
int run(int n, int k) {
    float *d = nullptr;
    Piece piece;
    if (FIRST) { take(n * 4, piece); d = (float *)piece.data; }
    else if (cudaMalloc(&d, n * 4) != cudaSuccess) return 3;
    fill<<<1, 32>>>(d);
    BETWEEN
    if (SECOND) put(piece);
    else cudaFree(d);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("first", "between", "second", "told"),
    [
        ("pooled()", "", "pooled()", False),
        ("pooled()", "if (cudaGetLastError() != cudaSuccess) return 1;", "pooled()", True),
        ("pooled()", "if (!pooled()) { n = 4; cudaFree(d); return 2; }", "pooled()", False),
        ("pooled()", "", "!pooled()", True),
        ("mode(1)", "", "mode(1)", False),
        ("mode(1)", "", "mode(2)", True),
        ("mode(k)", "", "mode(k)", False),
        ("mode(k)", "k++;", "mode(k)", True),
        ("pooled()", "", "failed()", True),
    ],
)
def test_what_says_which_way_memory_is_made_says_the_same_where_it_ends(
    first: str, between: str, second: str, told: bool
) -> None:
    code = POOLED.replace("FIRST", first).replace("BETWEEN", between).replace("SECOND", second)
    assert bool(findings(DeviceMemoryLeak, code)) is told


ASKED = """
#include <cuda_runtime.h>
bool failed();
int run(int n, const float *from) {
    float *d = nullptr;
    if (cudaMalloc(&d, n * 4) != cudaSuccess) return 1;
    cudaMemcpy(d, from, n * 4, cudaMemcpyHostToDevice);
    if (failed()) { cudaFree(d); return 1; }
    cudaMemset(d, 0, n * 4);
    if (failed()) { @last return 2; }
    cudaFree(d);
    return 0;
}
"""


@pytest.mark.parametrize(("last", "told"), [("cudaFree(d);", False), ("", True)])
def test_what_has_failed_may_be_asked_again(last: str, told: bool) -> None:
    assert bool(findings(DeviceMemoryLeak, ASKED.replace("@last", last))) is told


LOST = """
#include "not_there.h"
#include <cuda_runtime.h>
int run(int n, const float *from, float *to) {
    float *d = nullptr;
    if (cudaMalloc(&d, n * 4) != cudaSuccess) {
        LOG(ERROR) << "no memory: return";
        return NO_MEMORY;
    }
    cudaMemcpy(d, from, n * 4, cudaMemcpyHostToDevice);
    if (cudaGetLastError() != cudaSuccess) {
        LOG(ERROR) << "not copied";
        @first
        @out
    }
    cudaMemcpy(to, d, n * 4, cudaMemcpyDeviceToHost);
    cudaFree(d);
    switch (n) {
        case 1: return ONE;
        case 2: n = 3; cudaFree(@what); break;
    }
    return FINE;
}
"""


@pytest.mark.parametrize(
    ("first", "out", "what", "leaks", "used"),
    [
        ("cudaFree(d);", "return NOT_RUN;", "nullptr", 0, 0),
        ("", "return NOT_RUN;", "nullptr", 1, 0),
        ("cudaFree(d);", "n = NOT_RUN;", "nullptr", 0, 1),
        ("cudaFree(d);", "if (BAD) return NOT_RUN;", "nullptr", 0, 1),
        ("cudaFree(d);", "return NOT_RUN;", "d", 0, 1),
    ],
)
def test_a_return_of_what_no_header_explains_is_a_way_out(
    first: str, out: str, what: str, leaks: int, used: int
) -> None:
    code = LOST.replace("@first", first).replace("@out", out).replace("@what", what)
    assert len(findings(DeviceMemoryLeak, code)) == leaks
    assert len(findings(DeviceUseAfterFree, code)) == used


POOL = """
#include <cuda_runtime.h>
class Pool {
public:
    cudaError_t take(void **p, size_t bytes) {
        if (!on) return cudaMalloc(p, bytes);
        *p = base + used;
        used += bytes;
        return cudaSuccess;
    }
    cudaError_t give(void *p) const { return CONDITION ? cudaFree(p) : cudaSuccess; }
private:
    char *base;
    size_t used;
    int on;
};
Pool RESULTpool();
__global__ void fill(float *x) { x[threadIdx.x] = 1; }
void run() {
    float *d = nullptr;
    if (pool()AT take((void **)&d, 4096) != cudaSuccess) exit(1);
    fill<<<1, 32>>>(d);
    if (pool()AT give(d) != cudaSuccess) exit(1);
}
"""


@pytest.mark.parametrize(("result", "at"), [("*", "->"), ("&", ".")])
@pytest.mark.parametrize(("condition", "told"), [("!on", False), ("on", True)])
def test_what_a_function_gives_each_time_it_is_asked_is_one_object(
    result: str, at: str, condition: str, told: bool
) -> None:
    code = POOL.replace("RESULT", result).replace("AT ", at).replace("CONDITION", condition)
    assert bool(findings(DeviceMemoryLeak, code)) is told
