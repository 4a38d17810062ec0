"""Names of missing headers: which are values that go into a kernel, and which may do something that nobody sees."""

from __future__ import annotations

import pytest

from kernlint.analysis.base import Facts, ModuleFacts
from kernlint.analysis.trace import trace
from kernlint.analysis.verdict.proofs import verdicts
from tests.frontends.clang.lower.trees import module

HEAD = """#include <elsewhere/vectors.h>
struct Ray { V3 from, along; __device__ V3 at(float t) const { return from + along * t; } };
__global__ void k(V3* x, const M3* m, V3* y, View<float> view, Rng rng, Ray* rays, float* out, int n) {
    __shared__ float tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
"""


def lost(body: str) -> set[str]:
    """Kinds of what a kernel with this body has lost, values left out."""
    found = module(f"{HEAD}{body}\n}}").kernels[0]
    return {loss.kind for loss in found.function.losses} - {"given"}


@pytest.mark.parametrize(
    "body",
    [
        "V3 a = x[i] + m[0][2] * 2.f; y[i] = normalize(a);",
        "V3 a(1.f, 2.f, 3.f); a.x = out[i]; a[1] = 0.f; y[i] = a;",
        "x[i].y = 1.f; x[i].z += out[i]; ++x[i].w;",
        "rng.advance(i * 8); out[i] = rng.next_float();",
        "V3 a = x[i]; V3 b = y[i]; exchange(a, b); y[i] = dot(a, b) > 0.f ? a : b;",
        "y[i] = rays[i].at(dot(x[i], x[i])); out[i] = (float)length(y[i]);",
        "if (!contains(x[i], y[i])) return; out[i] = view(i) + view[i + 1];",
        "M3 r = transpose(m[0]); r(0, 1) = 2.f; r.row(0) = x[i]; y[i] = r * x[i];",
        "out[i] = angle(tile[threadIdx.x], x[i].xy());",
        "float s, c; turn(x[i], &s, &c); out[i] = s + c;",
        "float* raw = view.data(); raw[i] = 1.f;",
        "V3 a = x[i] * 2.f; for (int j = 0; j < 3; ++j) a[j] = out[j]; y[i] = a;",
        "atomicAdd(&x[i].y, 1.f); out[i] = std::max(x[i].x, 0.f) + std::min(x[i].x, x[i].y);",
        "Ray r = rays[i]; float t[4] = {}; refine(t, &r.from.x); out[i] = t[0] + r.from.x;",
        "for (int j = 0; j < count(x[i]); ++j) out[i] += weight(j, WIDTH);",
    ],
)
def test_values_are_data(body: str) -> None:
    assert not lost(body)


@pytest.mark.parametrize(
    ("body", "kinds"),
    [
        ("view(i) = 1.f;", {"call"}),
        ("view[i] = 1.f;", {"type"}),
        ("auto w = View<float>(out); for (int j = 0; j < 3; ++j) w[j] = 1.f;", {"type"}),
        ("view.rows()[i] = 1.f;", {"call", "type"}),
        ("*view.at(i) += 1.f;", {"call"}),
        ("atomicAdd(&view(i), 1.f);", {"call"}),
        ("x[i].row(0) = 1.f;", {"call"}),
        ("put(view, i, 1.f);", {"call"}),
        ("view.put(i, 1.f);", {"call"}),
        ("fill(out, i);", {"call"}),
        ("out[i] = total(out + i, 4);", {"call"}),
        ("out[i] = BlockSum(tile).all(out[i]);", {"call"}),
        ("Scratch s(tile); out[i] = s.all(out[i]);", {"type"}),
        ("out[i] = wait_for(x[i]);", {"call"}),
        ("x[i].reset();", {"call"}),
        ("PREPARE(i); out[i] = 1.f;", {"call"}),
        ("each(n, [&](int j) { out[j] = 1.f; });", {"call"}),
    ],
)
def test_what_may_reach_memory_or_hold_a_barrier_is_lost(body: str, kinds: set[str]) -> None:
    assert kinds <= lost(body)


def test_arithmetic_anywhere_in_the_file_tells_a_vector_from_a_view() -> None:
    text = """#include <elsewhere/vectors.h>
    __device__ V3 doubled(const V3& a) { return a * 2.f; }
    __device__ V3 filled(V3 a, float v) { for (int j = 0; j < 3; ++j) a[j] = v; return a; }
    __device__ void filled(View a, float v) { for (int j = 0; j < 3; ++j) a[j] = v; }
    __global__ void k(V3* x, View view) { x[0] = doubled(filled(x[1], 1.f)); filled(view, 1.f); }"""
    found = {loss.reason for each in module(text).functions for loss in each.losses if loss.kind != "given"}
    assert found == {"type that is not declared: View"}


def test_members_of_unknown_types_are_accesses_of_the_object() -> None:
    found = module(f"{HEAD} x[i].y = 1.f; V3 a = x[i]; a.x = 2.f; y[i] = a; }}")
    facts = Facts(ModuleFacts(found), found.kernels[0])
    assert [(each.root.name, each.kind.value) for each in facts[trace].accesses] == [
        ("x", "write"), ("x", "read"), ("y", "write")
    ]  # fmt: skip
    assert not facts[trace].gaps
    assert facts[verdicts].races.status == "unknown"


def test_a_kernel_with_a_word_of_a_device_function_too_is_a_kernel() -> None:
    found = module("#define BOUNDS __device__\n__global__ BOUNDS void k(int* x) { x[threadIdx.x] = 1; }").kernels[0]
    assert not found.function.losses


@pytest.mark.parametrize(
    ("macro", "kinds"),
    [
        ("LIB_UNROLL", set()),
        ("LIB_PRAGMA_UNROLL(4)", set()),
        ("REPEATED", {"macro"}),
        ("LIB_UNROLL(4) if (n)", {"macro"}),
    ],
)
def test_a_macro_that_tells_how_a_loop_is_unrolled_hides_nothing(macro: str, kinds: set[str]) -> None:
    assert lost(f"{macro} for (int j = 0; j < 4; ++j) out[4 * i + j] = 0.f;") == kinds
