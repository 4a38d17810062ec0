"""Names that no header gave are on record wherever code rests on them, directly or not."""

from __future__ import annotations

import pytest

from kernlint.analysis.base import Facts, ModuleFacts
from kernlint.analysis.verdict.proofs import verdicts
from kernlint.tree.types import ArrayType

from .trees import kernel, module, variable

GUARDED = "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n)"


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        (f"__global__ void k(float *x, int n) {{ {GUARDED} x[i] = y[i]; }}", "name that is not declared: y"),
        (f"__global__ void k(odd *x, int n) {{ {GUARDED} x[i] = x[i]; }}", "type that is not declared: odd"),
        (
            f"using mine = odd; __global__ void k(mine *x, int n) {{ {GUARDED} x[i] = x[i]; }}",
            "type that is not declared: odd",
        ),
        (
            f"const int w = WIDTH; const int v = w * 2; __global__ void k(int *x, int n) {{ {GUARDED} x[i] = v; }}",
            "name that is not known: w",
        ),
    ],
)
def test_kernels_that_rest_on_unknown_names(text: str, lost: str) -> None:
    found = module('#include "away.h"\n' + text)
    assert [loss.reason for loss in found.kernels[0].function.losses] == [lost]
    said = Facts(ModuleFacts(found), found.kernels[0])[verdicts]
    assert said.races.status == said.bounds.status == "unknown"


def test_helpers_that_rest_on_unknown_names() -> None:
    text = (
        f"__device__ int f(int a) {{ return a + WIDTH; }} __global__ void k(int *x, int n) {{ {GUARDED} x[i] = f(i); }}"
    )
    found = module(text)
    facts = Facts(ModuleFacts(found), found.kernels[0])
    assert not facts.function.losses and facts.losses
    assert facts[verdicts].races.status == "unknown"


def test_values_that_stand_in_are_no_values() -> None:
    text = """const int w = WIDTH; const int v = w * 2; constexpr int u(int a) { return a * v; }
    template <int N> struct S { static constexpr int size = N * v; };
    __global__ void k(float *p) {
        __shared__ float a[WIDTH], b[v + HEIGHT], c[S<3>::size], d[u(2)];
        p[0] = a[0] + b[0] + c[0] + d[0];
    }"""
    found = kernel(text).function
    for name in "abcd":
        type_ = variable(found, name).type
        assert isinstance(type_, ArrayType) and type_.extent is None
