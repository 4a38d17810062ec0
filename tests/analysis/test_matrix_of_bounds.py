"""Faults of bounds, each in the ways that real code has of getting to an index and a size, with their twins.

A fault is told for what it is, not for how an index, a pointer, a size or a launch reaches it.  Each cell of the matrix
is a fault in a context: the kernel with the fault is told of by one of the rules of bounds, its mended twin by none.
:data:`LOST` are the cells that are not told, by reason.
"""

from __future__ import annotations

import functools
import re

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange
from kernlint_rules.bounds.late_bounds_guard import LateBoundsGuard
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard
from kernlint_rules.bounds.negative_index import NegativeIndex
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard
from kernlint_rules.indexing.swapped_axes import SwappedAxes

from kernlint.finding import Severity
from kernlint.rule import RuleClass
from tests.rules.marked import findings

RULES = (MissingBoundsGuard, WrongBoundsGuard, LateBoundsGuard, ArrayIndexOutOfRange, NegativeIndex, SwappedAxes)

FAULTS: dict[str, tuple[RuleClass, str, str]] = {
    "inclusive": (WrongBoundsGuard, "if (I <= N) OUT[I] = 2 * A[I];", "if (I < N) OUT[I] = 2 * A[I];"),
    "late": (
        LateBoundsGuard,
        "float v = A[I]; if (I < N) OUT[I] = v * 2;",
        "if (I < N) { float v = A[I]; OUT[I] = v * 2; }",
    ),
    "store left out": (
        MissingBoundsGuard,
        "float v = 0; if (I < N) v = A[I]; v = v * 3 + 1; OUT[I] = v;",
        "float v = 0; if (I < N) v = A[I]; v = v * 3 + 1; if (I < N) OUT[I] = v;",
    ),
    "one before": (
        NegativeIndex,
        "if (I < N) OUT[I] = A[I] + A[I - 1];",
        "if (I < N) OUT[I] = A[I] + (I > 0 ? A[I - 1] : 0.0f);",
    ),
    "one behind": (
        WrongBoundsGuard,
        "if (I < N) { float s = A[I]; if (I > 0) s += A[I - 1]; s += A[I + 1]; OUT[I] = s; }",
        "if (I < N) { float s = A[I]; if (I > 0) s += A[I - 1]; if (I + 1 < N) s += A[I + 1]; OUT[I] = s; }",
    ),
    "first of four": (
        WrongBoundsGuard,
        "if (I * 4 < N) { for (int q = 0; q < 4; ++q) OUT[I * 4 + q] = A[I * 4 + q]; }",
        "for (int q = 0; q < 4; ++q) if (I * 4 + q < N) OUT[I * 4 + q] = A[I * 4 + q];",
    ),
}
HERE = "blockIdx.x * blockDim.x + threadIdx.x"
TAKEN = "const float *a, float *out, int n"
LAUNCH = f"void go({TAKEN}) {{ k<<<(n + 255) / 256, 256>>>(a, out, n); }}"
OBJECT = "const float *a; float *out; int n;"
Context = tuple[str, dict[str, str]]
CONTEXTS: dict[str, Context] = {
    "alone": (f"__global__ void k({TAKEN}) {{ int i = {HERE}; BODY }}", {}),
    "launched": (f"__global__ void k({TAKEN}) {{ int i = {HERE}; BODY }} {LAUNCH}", {}),
    "by anybody": (
        f"__global__ void k({TAKEN}) {{ int i = {HERE}; BODY }}"
        f" void go(dim3 g, dim3 b, {TAKEN}) {{ k<<<g, b>>>(a, out, n); }}",
        {},
    ),
    "method": (
        f"struct R {{ int n; __device__ int at() const {{ return {HERE}; }}"
        " __device__ int count() const { return n; } };"
        " __global__ void k(const float *a, float *out, R r) { int i = r.at(); BODY }",
        {"N": "r.count()"},
    ),
    "lambda": (
        f"__global__ void k({TAKEN}) {{ auto run = [=](int i) {{ BODY }}; run({HERE}); }} {LAUNCH}",
        {},
    ),
    "object": (
        f"struct P {{ {OBJECT} }}; __global__ void k(P p) {{ int i = {HERE}; BODY }}"
        " void go(P p) { k<<<(p.n + 255) / 256, 256>>>(p); }",
        {"A": "p.a", "OUT": "p.out", "N": "p.n"},
    ),
    "object by address": (
        f"struct P {{ {OBJECT} }}; __global__ void k(const P *p) {{ int i = {HERE}; BODY }}",
        {"A": "p->a", "OUT": "p->out", "N": "p->n"},
    ),
    "count in memory": (
        f"__global__ void k(const float *a, float *out, const int *n) {{ int i = {HERE}; BODY }}",
        {"N": "n[0]"},
    ),
    "batch": (
        f"__global__ void k({TAKEN}) {{ int i = {HERE}; a += blockIdx.z * n; out += blockIdx.z * n; BODY }}"
        f" void go({TAKEN}, int b) {{ k<<<dim3((n + 255) / 256, 1, b), 256>>>(a, out, n); }}",
        {},
    ),
    "rounds": (
        f"__global__ void k({TAKEN}) {{ for (int f = blockIdx.x * blockDim.x; f < n; f += blockDim.x * gridDim.x)"
        " { int i = f + threadIdx.x; BODY } }",
        {},
    ),
    "accessor": (
        "#include <torch/extension.h>\n"
        "__global__ void k(torch::PackedTensorAccessor32<float, 1> a, torch::PackedTensorAccessor32<float, 1> out)"
        f" {{ int i = {HERE}; BODY }}"
        " void go(torch::Tensor a, torch::Tensor out) { int n = a.size(0);"
        " k<<<(n + 255) / 256, 256>>>(a.packed_accessor32<float, 1>(), out.packed_accessor32<float, 1>()); }",
        {"N": "a.size(0)"},
    ),
    "OpenCL": (
        "kernel void k(global const float *a, global float *out, int n) { int i = get_global_id(0); BODY }",
        {},
    ),
}

AT, LEFT, NEXT = "[Y * W + X]", "[Y * W + X - 1]", "[Y * W + X + 1]"
ABOVE, BELOW = "[(Y - 1) * W + X]", "[(Y + 1) * W + X]"
FLAT: dict[str, tuple[RuleClass, str, str]] = {
    "exchanged": (
        SwappedAxes,
        f"if (Y < W && X < H) OUT{AT} = 2 * A{AT};",
        f"if (X < W && Y < H) OUT{AT} = 2 * A{AT};",
    ),
    "one of two is enough": (
        WrongBoundsGuard,
        f"if (X < W || Y < H) OUT{AT} = 2 * A{AT};",
        f"if (X >= W || Y >= H) return; OUT{AT} = 2 * A{AT};",
    ),
    "row above": (
        NegativeIndex,
        f"if (X < W && Y < H) {{ float s = 0; if (X > 0) s += A{LEFT}; s += A{ABOVE}; OUT{AT} = s; }}",
        f"if (X < W && Y < H) {{ float s = 0; if (X > 0) s += A{LEFT}; if (Y > 0) s += A{ABOVE}; OUT{AT} = s; }}",
    ),
    "row below": (
        WrongBoundsGuard,
        f"if (X < W && Y < H) {{ float s = A{AT}; if (X < W - 1) s += A{NEXT}; s += A{BELOW}; OUT{AT} = s; }}",
        f"if (X < W && Y < H) {{ float s = A{AT}; if (X < W - 1) s += A{NEXT}; if (Y < H - 1) s += A{BELOW};"
        f" OUT{AT} = s; }}",
    ),
}
DOWN = "blockIdx.y * blockDim.y + threadIdx.y"
IMAGE = "const float *a, float *out, int w, int h"
PLACE = f"int x = {HERE}, y = {DOWN};"
IMAGES: dict[str, Context] = {
    "alone": (f"__global__ void k({IMAGE}) {{ {PLACE} BODY }}", {}),
    "launched": (
        f"__global__ void k({IMAGE}) {{ {PLACE} BODY }} void go({IMAGE}) {{ dim3 t(16, 16),"
        " g((w + 15) / 16, (h + 15) / 16); k<<<g, t>>>(a, out, w, h); }",
        {},
    ),
    "macro": (
        f"#define IDX(x, y) ((y) * w + (x))\n__global__ void k({IMAGE}) {{ {PLACE} BODY }}",
        {
            AT: "[IDX(x, y)]",
            LEFT: "[IDX(x - 1, y)]",
            NEXT: "[IDX(x + 1, y)]",
            ABOVE: "[IDX(x, y - 1)]",
            BELOW: "[IDX(x, y + 1)]",
        },
    ),
    "object": (
        "struct I { float *p; int w, h; __device__ float &at(int x, int y) { return p[y * w + x]; } };"
        f" __global__ void k(I a, I out) {{ {PLACE} BODY }}",
        {
            AT: ".at(x, y)",
            LEFT: ".at(x - 1, y)",
            NEXT: ".at(x + 1, y)",
            ABOVE: ".at(x, y - 1)",
            BELOW: ".at(x, y + 1)",
            "W": "a.w",
            "H": "a.h",
        },
    ),
    "plane": (
        f"__global__ void k({IMAGE}) {{ {PLACE} a += blockIdx.z * w * h; out += blockIdx.z * w * h; BODY }}",
        {},
    ),
    "planes": (
        f"__global__ void k({IMAGE}, int d) {{ {PLACE} for (int z = 0; z < d; ++z) {{ BODY }} }}",
        {"A[": "a[z * w * h + ", "OUT[": "out[z * w * h + "},
    ),
    "sizes together": (
        f"__global__ void k(const float *a, float *out, int2 d) {{ {PLACE} BODY }}",
        {"W": "d.x", "H": "d.y"},
    ),
    "accessor": (
        "#include <torch/extension.h>\n"
        "__global__ void k(torch::PackedTensorAccessor32<float, 2> a, torch::PackedTensorAccessor32<float, 2> out)"
        f" {{ {PLACE} BODY }}",
        {
            AT: "[y][x]",
            LEFT: "[y][x - 1]",
            NEXT: "[y][x + 1]",
            ABOVE: "[y - 1][x]",
            BELOW: "[y + 1][x]",
            "W": "a.size(1)",
            "H": "a.size(0)",
        },
    ),
    "OpenCL": (
        "kernel void k(global const float *a, global float *out, int w, int h)"
        " { int x = get_global_id(0), y = get_global_id(1); BODY }",
        {},
    ),
}
LOST: dict[tuple[str, str], str] = {}
"""Cells that are not told, with the reason."""


@functools.cache
def code(context: str, body: str, image: bool) -> str:
    """A body in a context."""
    text, names = (IMAGES if image else CONTEXTS)[context]
    for old in sorted((name for name in names if len(name) > 3 or name.endswith("[")), key=len, reverse=True):
        found = r"\b" + re.escape(old) if old[0].isalpha() else re.escape(old)
        body = re.sub(found, lambda match, new=names[old]: new, body)  # type: ignore[misc]
    plain = {"I": "i", "N": "n", "A": "a", "OUT": "out", "X": "x", "Y": "y", "W": "w", "H": "h", **names}
    return text.replace("BODY", re.sub(r"\b(I|N|A|OUT|X|Y|W|H)\b", lambda match: plain[match[1]], body))


def told(rule: RuleClass, text: str, context: str) -> bool:
    language = "opencl" if context == "OpenCL" else "cuda"
    return any(one.severity is not Severity.NOTE for one in findings(rule, text, language))


CELLS = [(fault, context, False) for fault in FAULTS for context in CONTEXTS]
CELLS += [(fault, context, True) for fault in FLAT for context in IMAGES]


@pytest.mark.parametrize(("fault", "context", "image"), CELLS)
def test_a_fault_of_bounds_is_told_in_each_context_and_its_twin_in_none(fault: str, context: str, image: bool) -> None:
    rule, bad, good = (FLAT if image else FAULTS)[fault]
    assert not any(told(one, code(context, good, image), context) for one in RULES)
    wrong = code(context, bad, image)
    found = told(rule, wrong, context) or any(told(one, wrong, context) for one in RULES)
    assert found is ((fault, context) not in LOST)
