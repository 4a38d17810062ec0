"""Calls that stand in the text once, and that a macro evaluates several times."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.device_memory_leak import DeviceMemoryLeak
from kernlint_rules.launch.device_use_after_free import DeviceUseAfterFree

from tests.rules.marked import findings

CODE = """
#include <cstdio>
#include <stdexcept>
#define TELL(call) fprintf(stderr, "%s", cudaGetErrorString(call))
#define CHECK(call) if ((call) != cudaSuccess) { TELL(call); throw std::runtime_error("x"); }
#define RETURN(call) if ((call) != cudaSuccess) { TELL(call); return 1; }
#define BOTH(p, q) cudaFree(p); cudaFree(q)
#define PASS(call) do { cudaError_t e = (call); if (e != cudaSuccess) return e; } while (0)
cudaError_t both(float *&p, float *&q) {
    PASS(cudaFree(p));
    p = nullptr;
    PASS(cudaFree(q));
    q = nullptr;
    return cudaSuccess;
}
cudaError_t cleared(float *p, float *q, int n) {
    PASS(cudaMemset(p, 0, n));
    PASS(cudaFree(p));
    PASS(cudaFree(q));
    return cudaSuccess;
}
int run(int n, const float *in, float *out) {
    float *a = nullptr, *b = nullptr;
    BODY
    return 0;
}
"""


@pytest.mark.parametrize(
    ("body", "leaks"),
    [
        ("RETURN(cudaMalloc(&a, n)); cudaMemset(a, 0, n); RETURN(cudaFree(a));", 0),
        ("CHECK(cudaMalloc(&a, n)); cudaMemset(a, 0, n); CHECK(cudaFree(a));", 0),
        ("RETURN(cudaMalloc(&a, n)); cudaMemset(a, 0, n); if (n > 3) return 2; RETURN(cudaFree(a));", 1),
        ("CHECK(cudaMalloc(&a, n)); if (cudaMemset(a, 0, n)) throw 1; CHECK(cudaFree(a));", 1),
        ("for (int k = 0; k < 8; k++) { CHECK(cudaMalloc(&a, n)); CHECK(cudaFree(a)); }", 0),
        ("for (int k = 0; k < 8; k++) { CHECK(cudaMalloc(&a, n)); if (k == 7) CHECK(cudaFree(a)); }", 1),
        ("cudaMalloc(&a, n); cudaMalloc(&b, n); BOTH(a, b);", 0),
        ("cudaMalloc(&a, n); cudaMalloc(&b, n); BOTH(a, in);", 1),
    ],
)
def test_what_a_macro_asks_twice_is_made_once(body: str, leaks: int) -> None:
    found = findings(DeviceMemoryLeak, CODE.replace("BODY", body))
    assert len(found) == leaks, found


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("CHECK(cudaMalloc(&a, n)); CHECK(cudaFree(a));", False),
        ("CHECK(cudaMalloc(&a, n)); CHECK(cudaFree(a)); CHECK(cudaFree(a));", True),
        ("CHECK(cudaMalloc(&a, n)); BOTH(a, b); CHECK(cudaFree(a));", True),
    ],
)
def test_what_a_macro_gives_back_twice_is_given_back_once(body: str, told: bool) -> None:
    assert bool(findings(DeviceUseAfterFree, CODE.replace("BODY", body))) is told


@pytest.mark.parametrize(
    ("body", "leaks"),
    [
        ("RETURN(cudaFree(a)); RETURN(cudaFree(b));", 0),
        ("if (cudaFree(a) != cudaSuccess) return 1; RETURN(cudaFree(b));", 0),
        ("RETURN(cudaMemset(b, 0, n)); RETURN(cudaFree(a)); RETURN(cudaFree(b));", 1),
        ("cudaError_t e = both(a, b); return e != cudaSuccess;", 0),
        ("cudaError_t e = both(a, b); if (e != cudaSuccess) return 1; return 0;", 0),
        ("cudaError_t e = cleared(a, b, n); return e != cudaSuccess;", 1),
        ("if (cudaFree(a) != cudaSuccess) { n = 0; } if (n == 2) return 1; RETURN(cudaFree(b));", 1),
    ],
)
def test_what_is_left_where_giving_back_has_failed(body: str, leaks: int) -> None:
    made = "RETURN(cudaMalloc(&a, n)); if (cudaMalloc(&b, n) != cudaSuccess) { cudaFree(a); return 1; } "
    found = findings(DeviceMemoryLeak, CODE.replace("BODY", made + body))
    assert len(found) == leaks, found


DEFINED = """
#include <cstdlib>
#include <cuda_runtime.h>
#define DEFINE(Name) \\
    int Name(int n) { \\
        float *in = (float *)malloc(n * 4); \\
        float *out = (float *)malloc(n * 4); \\
        float *d = nullptr; \\
        cudaMalloc(&d, n * 4); \\
        cudaMemset(d, 0, n * 4); \\
        cudaMemcpy(in, d, n * 4, cudaMemcpyDeviceToHost); \\
        cudaMemcpy(out, d, n * 4, cudaMemcpyDeviceToHost); \\
        int same = in[0] == out[0]; \\
        free(in); \\
        free(@what); \\
        cudaFree(d); \\
        return same; \\
    }
DEFINE(first)
DEFINE(second)
"""


@pytest.mark.parametrize(("what", "told"), [("out", False), ("in", True)])
def test_calls_alike_in_the_body_of_a_macro_are_several(what: str, told: bool) -> None:
    assert bool(findings(DeviceUseAfterFree, DEFINED.replace("@what", what))) is told
