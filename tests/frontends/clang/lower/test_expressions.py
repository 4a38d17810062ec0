"""Expressions: conversions, literals, members, vectors."""

from __future__ import annotations

import pytest

from kernlint.frontends.clang.cursor import Cursor
from kernlint.tree.nodes import Assign, Binary, Cast, IntLit, LaunchValue, Member, Opaque, Quantity, Ref, StringLit
from kernlint.tree.types import F16, F32, I16, I32, U8, U32, U64, IntType, PointerType, VectorType

from .trees import body, expr, find, kernel, lines, only, variable


def test_launch_values_and_their_conversion() -> None:
    tree = kernel("__global__ void k(int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; }").function
    cast = variable(tree, "i").init
    assert isinstance(cast, Cast) and cast.type == I32 and not cast.explicit
    assert cast.operand.type == U32
    values = find(cast, LaunchValue)
    assert [(v.quantity, v.axis) for v in values] == [
        (Quantity.BLOCK_ID, 0),
        (Quantity.BLOCK_DIM, 0),
        (Quantity.THREAD_ID, 0),
    ]


def test_a_builtin_vector_as_a_whole_is_its_three_values() -> None:
    assert (
        body("uint3 t = threadIdx; u = t.y;")[0]
        == "let private u32x3 t = u32x3{@thread_id.x, @thread_id.y, @thread_id.z}"
    )
    assert expr("u = warpSize;") == "u = {u32}@warp_size"


@pytest.mark.parametrize(
    ("source", "lowered"),
    [
        ("u = n * u;", "u = ({u32}n * u)"),
        ("p[n] = n / 2 + 1.5f;", "p[n] = ({f32}(n / 2) + 1.5)"),
        ("long long L = n * 2ull;", "let private i64 L = {i64}({u64}n * 2)"),
        ("bool b = n && u;", "let private bool b = ({bool}n && {bool}u)"),
        ("n = -u >> 1;", "n = {i32}(-u >> 1)"),
        ("n = !n;", "n = {i32}!{bool}n"),
        ("n = ~u;", "n = {i32}~u"),
        ("n = n > 0 ? n : u;", "n = {i32}((n > 0) ? {u32}n : u)"),
        ("n = (n, u);", "n = {i32}(n , u)"),
        ("p = p + n;", "p = (p + n)"),
        ("n = &p[3] - p;", "n = {i32}(&p[3] - p)"),
        ("n = 3[q];", "n = q[3]"),
        ("*(p + n) = 1;", "*(p + n) = {f32}1"),
        ("*&p[n] = *p;", "p[n] = *p"),
        ("n = (int)(unsigned char)n;", "n = (i32)(u8)n"),
        ("n = static_cast<short>(u);", "n = {i32}(i16)u"),
        ("n = sizeof(double) + alignof(short);", "n = {i32}(8 + 2)"),
        ("n = 'a' + true + 0x10 + 010;", "n = (((97 + 1) + 16) + 8)"),
        ("p = nullptr;", "p = {f32*}0"),
        ("p[0] = 1e3;", "p[0] = {f32}1000.0"),
    ],
)
def test_operators_and_conversions(source: str, lowered: str) -> None:
    assert expr(source) == lowered


def test_unsigned_literal_of_full_width() -> None:
    tree = kernel("__global__ void k() { unsigned long long x = 0xFFFFFFFFFFFFFFFFull; }").function
    init = variable(tree, "x").init
    assert isinstance(init, IntLit) and init.value == 2**64 - 1 and init.type == U64


def test_literal_out_of_a_macro() -> None:
    text = "#define N 16\n#define M (N * 2u)\n__global__ void k(unsigned u) { u = M + N; }"
    assert lines(kernel(text)) == ["u = ((16 * 2) + 16)"]


def test_narrow_compound_assignment_computes_in_int() -> None:
    tree = kernel("__global__ void k(short s, unsigned char c) { s += c; }").function
    assign = only(tree, Assign)
    assert (assign.op, assign.target.type, assign.compute) == ("+", I16, I32)
    assert isinstance(assign.value, Cast) and assign.value.operand.type == U8 and assign.value.type == I32


def test_compound_shift_keeps_its_own_type() -> None:
    assign = only(kernel("__global__ void k(unsigned u, int n) { u >>= n; }").function, Assign)
    assert assign.op == ">>" and assign.compute is None


def test_operands_of_every_integer_operation_agree() -> None:
    text = """__global__ void k(unsigned char a, short b, unsigned c, long d, int e) {
        long x = a * b + c % e - d / a; bool y = a < b || c == e; }"""
    for node in find(kernel(text).function, Binary):
        if node.op not in ("&&", "||", "<<", ">>") and isinstance(node.lhs.type, IntType):
            assert node.lhs.type == node.rhs.type


def test_constants_have_values() -> None:
    text = """enum E { A = 3, B }; constexpr int W = 8 * 4;
    __global__ void k(int n) { const int T = W + B; n = T + A; }"""
    tree = kernel(text).function
    assert variable(tree, "T").value == 36
    assert lines(tree)[-1] == "n = (T + 3)"


def test_members_of_structs_have_offsets_and_types() -> None:
    text = """struct S { char c; int a[4]; float4 v; }; __global__ void k(S s, S *t) { s.a[1] = t->v.y; }"""
    tree = kernel(text)
    assert lines(tree) == ["s.a[1] = {i32}t->v.y"]
    record = tree.function.params[0].type
    assert [(f.name, f.offset) for f in record.fields] == [("c", 0), ("a", 4), ("v", 32)]  # type: ignore[attr-defined]
    assert record.size == 48
    lane = next(m for m in find(tree.function, Member) if m.field == "y")
    assert lane.lanes == (1,) and lane.type == F32


def test_unnamed_unions_are_part_of_their_record() -> None:
    text = "struct S { int a; union { float f; int i; }; }; __global__ void k(S s, int n) { n = s.i; }"
    tree = kernel(text)
    assert lines(tree) == ["n = s.i"]
    record = tree.function.params[0].type
    assert [(f.name, f.offset) for f in record.fields] == [("a", 0), ("f", 4), ("i", 4)]  # type: ignore[attr-defined]


def test_reinterpreted_objects_and_pointers() -> None:
    assert expr("reinterpret_cast<float4 *>(p)[n].x = 1;") == "(f32x4*)p[n].x = {f32}1"
    assert expr("reinterpret_cast<int &>(p[n]) = 1;") == "*(i32*)&p[n] = 1"
    assert expr("n = __float_as_int(p[0]);") == "n = (i32:bits)p[0]"


def test_half_arithmetic_is_float_arithmetic() -> None:
    text = (
        "#include <cuda_fp16.h>\n"
        "__global__ void k(__half *h, float f) { h[0] = h[1] * h[2] + __float2half(f); h[0] += h[1]; }"
    )
    tree = kernel(text)
    assert lines(tree) == ["h[0] = ((h[1] * h[2]) + (f16)f)", "h[0] += h[1]"]
    assert all(b.type == F16 for b in find(tree.function, Binary))


def test_vectors_are_vectors() -> None:
    tree = kernel("__global__ void k(float4 *p, uchar3 c, dim3 d) { p[0] = make_float4(1.f, 2.f, 3.f, c.z); d.x = 2; }")
    assert tree.function.params[0].type == PointerType(VectorType(F32, 4))
    assert tree.function.params[1].type.size == 3
    assert tree.function.params[2].type.size == 12
    assert lines(tree)[0] == "p[0] = f32x4{1.0, 2.0, 3.0, {f32}c.z}"


def test_opencl_vectors_and_swizzles() -> None:
    text = """float4 v = (float4)(1.0f, p[0], p[1], p[2]); float3 w = v.xyz; v.lo = v.hi; v.s3 = w.x;
        v = v * 2.0f; n = v[1];"""
    assert body(text, "opencl") == [
        "let private f32x4 v = f32x4{1.0, p[0], p[1], p[2]}",
        "let private f32x3 w = v.xyz",
        "v.lo = v.hi",
        "v.s3 = w.x",
        "v = (v * {f32x4}2.0)",
        "n = {i32}v[1]",
    ]
    tree = kernel("__kernel void k(float4 v, float2 w) { w = v.hi; w.even = v.s3; }", "opencl").function
    assert [m.lanes for m in find(tree, Member)] == [(2, 3), (0,), (3,)]


def test_opencl_reinterpretation_keeps_the_bits() -> None:
    casts = find(
        kernel("__kernel void k(int n, __global float *p) { p[0] = as_float(n); p[1] = n; }", "opencl").function, Cast
    )
    assert [(c.bits, c.type) for c in casts] == [(True, F32), (False, F32)]


def test_opencl_reinterpretation_inside_of_macros() -> None:
    text = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define ITSELF(x) (x)
#define AS_HALF(x) as_half((ushort)(x))
__kernel void k(__global half *h, __global float *f, __global int *n) {
  h[0] = AS_HALF(n[0] >> 4);
  h[1] = as_half((ushort)n[1]) + AS_HALF(n[2]);
  f[0] = ITSELF(n[0]);
  f[1] = as_float(ITSELF(n[1])) + ITSELF(n[2]);
  f[2] = as_float(as_int(f[3]));
}"""
    assert lines(kernel(text, "opencl")) == [
        "h[0] = (f16:bits)(u16)(n[0] >> 4)",
        "h[1] = ((f16:bits)(u16)n[1] + (f16:bits)(u16)n[2])",
        "f[0] = {f32}n[0]",
        "f[1] = ((f32:bits)n[1] + {f32}n[2])",
        "f[2] = (f32:bits)(i32:bits)f[3]",
    ]


def test_opencl_comparisons_are_ints() -> None:
    tree = kernel("__kernel void k(int n, uint u) { if (n < 3 && u) n = 0; }", "opencl").function
    assert all(b.type == I32 for b in find(tree, Binary))


def test_statement_expressions_are_hoisted() -> None:
    assert body("n = ({ int t = n * 2; t + 1; });") == ["let private i32 t = (n * 2)", "n = (t + 1)"]
    assert "OPAQUE<statement expression inside a condition" in body("n = u ? ({ int t = n; t; }) : 0;")[0]


def test_stolen_names_are_not_taken_for_builtin_ones() -> None:
    text = "struct V { int x; }; __global__ void k(int n) { V threadIdx; threadIdx.x = 3; n = threadIdx.x; }"
    tree = kernel(text).function
    assert not find(tree, LaunchValue)
    assert lines(tree)[-1] == "n = threadIdx.x"


def test_uses_share_their_declaration() -> None:
    tree = kernel("__global__ void k(int n) { int a = n; a = a + n; }").function
    decl = variable(tree, "a")
    assert [r.decl for r in find(tree, Ref) if r.decl.name == "a"] == [decl, decl]
    assert all(r.decl is tree.params[0] for r in find(tree, Ref) if r.decl.name == "n")


def test_unknown_code_is_opaque_and_on_record() -> None:
    tree = kernel("__global__ void k(int *p, int n) { p[0] = n.foo; if (n < p.x.y) return; p[1] = 2; }").function
    assert len(find(tree, Opaque)) == 2
    assert {loss.kind for loss in tree.losses} == {"expression"}
    assert lines(tree)[-1] == "p[1] = 2"


def test_standard_arrays_are_arrays() -> None:
    text = """#include <array>
    __global__ void k(std::array<float, 4> a, float *p) { std::array<int, 2> t{{1, 2}}; p[t.size()] = a[t[1]]; }"""
    tree = kernel(text)
    assert lines(tree) == ["let private i32[2] t = i32[2]{1, 2}", "p[2] = a[{u64}t[1]]"]


def test_lanes_that_a_macro_names() -> None:
    text = """#define LANE(v, i) ((v).s##i)
    #define PART(v) v.hi.s1 + 1.0f
    #define TURN(v) v.yxwz
    typedef struct { float4 f; int x; } S;
    __kernel void k(float8 q, float4 w, S s, __global float *p) {
      p[0] = LANE(w, 3) + PART(q); w = TURN(s.f); p[s.x] = PART(s.f); }"""
    tree = kernel(text, "opencl").function
    assert lines(tree) == ["p[0] = ((w.s3 + q.hi.s1) + 1.0)", "w = s.f.yxwz", "p[s.x] = (s.f.hi.s1 + 1.0)"]
    assert not tree.losses


def test_lanes_that_nothing_names_are_not_conversions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Cursor, "printed", lambda self: "")
    text = "#define LANE(v, i) ((v).s##i)\n__kernel void k(float4 v, __global float *p) { p[0] = LANE(v, 3); }"
    tree = kernel(text, "opencl").function
    assert only(tree, Opaque).type == F32 and tree.losses


def test_strings_are_decoded() -> None:
    text = r'__global__ void k(int n) { printf("a\n\"%d\"\t\x41\101", n); }'
    assert only(kernel(text).function, StringLit).value == 'a\n"%d"\tAA'


def test_bits_of_a_vector_out_of_a_macro() -> None:
    text = """
#define LOW(v) ((v.s0 & 15) + (v.s3 & 15))
__kernel void k(__global const uint4 *q, __global int *out) { out[0] = LOW(as_ushort8(q[0])); }
"""
    function = kernel(text, "opencl").function
    assert not function.losses
    types = [cast.type for cast in find(function, Cast) if cast.bits]
    assert [(t.lanes, t.element) for t in types if isinstance(t, VectorType)] == [(8, IntType(16, False))] * 2


MACRO_LANES = """
#define FOUR(p, i) ((float4)(p[i], p[(i) + 1], p[(i) + 2], p[(i) + 3]))
#define TURNED(v) (v).zwxy
#define EVEN(v) (v).even
#define LANE(v, i) (v).s##i
#define FIELD s2
"""


def test_lanes_beside_vectors_that_macros_build() -> None:
    text = """__kernel void k(__global float4 *a, __global float *f, float2 t) {
  a[0] = FOUR(f, 0);
  a[1] = TURNED(a[1]);
  t = EVEN(a[2]);
  f[9] = LANE(a[3], 3);
  f[10] = a[4].FIELD;
  a[5] = FOUR(f, 4) + TURNED(a[5]);
}"""
    assert lines(kernel(MACRO_LANES + text, "opencl")) == [
        "a[0] = f32x4{f[0], f[(0 + 1)], f[(0 + 2)], f[(0 + 3)]}",
        "a[1] = a[1].zwxy",
        "t = a[2].even",
        "f[9] = a[3].s3",
        "f[10] = a[4].s2",
        "a[5] = (f32x4{f[4], f[(4 + 1)], f[(4 + 2)], f[(4 + 3)]} + a[5].zwxy)",
    ]


def test_lanes_that_a_macro_names_beside_an_error() -> None:
    """Members of what clang could not make sense of are printed too: they must not shift the others."""
    text = """__kernel void k(__global float4 *a, __global float *f) {
  f[0] = missing.y + LANE(missing, 2);
  f[1] = LANE(a[3], 3);
  a[0].lo = EVEN(a[2]);
}"""
    assert lines(kernel(MACRO_LANES + text, "opencl"))[1:] == ["f[1] = a[3].s3", "a[0].lo = a[2].even"]
