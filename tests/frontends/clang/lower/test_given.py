"""Texts that are built with names which nothing in sight defines."""

from __future__ import annotations

import pytest

from kernlint.analysis.base import Facts, ModuleFacts
from kernlint.analysis.verdict.proofs import verdicts
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


def test_what_a_missing_header_declares_is_data_of_which_nothing_is_known() -> None:
    found = module(f'#include "absent.h"\n{CUDA}')
    assert {loss.kind for loss in found.kernels[0].function.losses} == {"given"}
    said = Facts(ModuleFacts(found), found.kernels[0])[verdicts]
    assert said.races.status == said.bounds.status == "unknown"


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


def test_types_of_exact_width_have_one_meaning() -> None:
    text = """__kernel void k(__global uint32_t *p, __global const u16 *q, int n) {
        uint64_t wide = (uint64_t) p[0] << 32;
        if (get_global_id(0) < n) p[get_global_id(0)] = q[wide >> 32 & 3];
    }"""
    found = kernel(text, "opencl").function
    assert [type_text(param.type).split("*")[0] for param in found.params] == ["u32", "const u16", "i32"]
    assert {loss.kind for loss in found.losses if "uint" in loss.reason} <= {"given"}
    held = kernel('#include "away.h"\n' + text, "opencl").function
    assert {loss.reason.rpartition(" ")[2] for loss in held.losses if "declared" in loss.reason} == {"u16"}
