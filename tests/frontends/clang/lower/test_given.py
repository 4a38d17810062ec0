"""Texts that are built with names which nothing in sight defines."""

from __future__ import annotations

import pytest

from kernlint.policy.config import Config
from kernlint.policy.selection import Selection
from kernlint.registry import load
from kernlint.run.engine import Engine
from kernlint.source import SourceFile
from kernlint.tree.dump import type_text
from tests.frontends.clang.lower.trees import kernel, module

OPENCL = """__kernel void k(__global REAL *p, __global REAL4 *q) {
    __local REAL t[TILE];
    int i = get_global_id(0);
    if (i < COUNT) t[get_local_id(0)] = p[i] * SCALE + SQRT(q[i].y);
}"""
CUDA = """__global__ void k(REAL *p, REAL4 *q) {
    __shared__ REAL t[TILE];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    REAL4 v = q[i] + make_REAL4(1, 2, 3, 4);
    if (i < COUNT) t[threadIdx.x] = p[i] * SCALE + SQRT(v.y);
}"""


@pytest.mark.parametrize(("text", "language"), [(OPENCL, "opencl"), (CUDA, "cuda")])
def test_numbers_and_types_of_numbers_that_the_build_gives_are_no_gap(text: str, language: str) -> None:
    found = kernel(text, language).function
    assert {loss.kind for loss in found.losses} == {"given"}
    assert type_text(found.params[0].type).startswith("f32*")


def test_a_kernel_with_such_names_is_whole() -> None:
    registry = load()
    selection = Selection(registry, Config())
    outcome = Engine(registry, selection).check_source(SourceFile("a.cl", OPENCL.encode()), selection)
    assert (outcome.kernels, outcome.partial, outcome.raceless) == (1, 0, 0)


def test_where_a_header_is_missing_nothing_is_known_of_a_name() -> None:
    found = module(f'#include "absent.h"\n{CUDA}').kernels[0].function
    assert {loss.kind for loss in found.losses} == {"type", "name", "call"}


@pytest.mark.parametrize("call", ["PREPARE(x);", "fill(&x);", "float y = fill(p); p[1] = y;"])
def test_calls_for_their_effect_and_with_pointers_are_gaps(call: str) -> None:
    text = f"__kernel void k(__global float *p) {{ float x = p[0]; {call} p[2] = x; }}"
    assert "call" in {loss.kind for loss in kernel(text, "opencl").function.losses}


def test_a_variable_that_nothing_declares_is_a_gap() -> None:
    text = "__global__ void k(float *p, int n) { int i = threadIdx.x; if (i < n) y[i] = p[i]; }"
    assert "given" not in {loss.kind for loss in kernel(text).function.losses}


def test_a_program_in_the_marks_of_a_raw_string() -> None:
    text = '// to be included as a string\nR"(\n__kernel void k(__global int *p) { p[0] = 1; }\n)"\n'
    (found,) = module(text, "opencl").kernels
    assert text[found.function.span.start :].startswith("__kernel")
    assert not found.function.losses
