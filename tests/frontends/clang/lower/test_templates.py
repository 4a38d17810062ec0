"""Templates: the generic tree, instances in sight, forced ones, made-up names."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.frontends.base import FrontendOptions
from kernlint.frontends.clang import ClangFrontend, pch
from kernlint.source import read
from kernlint.tree.nodes import Binary, Call, IntLit, Member, Opaque, Ref
from kernlint.tree.types import F32, ArrayType, OpaqueType, PointerType, StructType
from kernlint.tree.walk import walk

from .trees import find, function, kernel, lines, module, only, variable

POINTS = """template <typename T> struct View { T *p; int n; __device__ T &at(int i) { return p[i]; } };
template <typename T, int N> __global__ void k(View<T> v, T x) {
  __shared__ T tile[N][N + 1]; tile[0][threadIdx.x] = v.at(N) + v.p[0] + x; }"""


def test_the_generic_tree_keeps_members_by_name() -> None:
    tree = kernel("template <typename V> __global__ void k(V v, V *w) { v.a.b[3] = w->c + v.x; }").function
    assert lines(tree) == ["v.a.b[3] = (w->c + v.x)"]
    assert [m.field for m in find(tree, Member)] == ["b", "a", "c", "x"]
    assert isinstance(tree.params[0].type, OpaqueType)
    assert tree.template_params == ("V",)


def test_a_template_parameter_is_a_parameter_of_unknown_value() -> None:
    tree = kernel("template <int N> __global__ void k(int *q) { q[0] = N; }").function
    decl = next(r.decl for r in find(tree, Ref) if r.decl.name == "N")
    assert decl.is_template and decl.value is None  # type: ignore[attr-defined]


def test_instances_of_launches_come_with_their_arguments() -> None:
    text = POINTS + " void h(View<float> v) { k<float, 32><<<1, 32>>>(v, 1.f); k<float, 8><<<1, 8>>>(v, 1.f); }"
    found = kernel(text)
    assert [i.template_args for i in found.instances] == [
        (("T", "float"), ("N", "32")),
        (("T", "float"), ("N", "8")),
    ]
    assert not any(i.forced for i in found.instances)
    assert all(i.generic is found.function for i in found.instances)
    assert variable(found.instances[0], "tile").type == ArrayType(ArrayType(F32, 33), 32)
    call = only(found.instances[0], Call)
    assert call.function is not None and call.function.body is not None
    assert lines(call.function) == ["return this->p[i]"]


def test_explicit_instantiations_count_as_in_sight() -> None:
    found = kernel(POINTS + " template __global__ void k<double, 4>(View<double>, double);")
    assert [(i.template_args[0], i.forced) for i in found.instances] == [(("T", "double"), False)]


def test_uses_by_address_count_as_in_sight() -> None:
    found = kernel(POINTS + " void h() { auto f = &k<int, 2>; }")
    assert [(i.template_args[0], i.forced) for i in found.instances] == [(("T", "int"), False)]


def test_a_template_nobody_uses_gets_forced_instances() -> None:
    found = kernel(POINTS)
    assert 1 <= len(found.instances) <= 4 and all(i.forced for i in found.instances)
    assert not any(i.losses for i in found.instances)
    assert found.variants == found.instances


def test_instances_can_be_left_out() -> None:
    found = module(POINTS, instances=False).kernels[0]
    assert not found.instances and found.variants == (found.function,)


def test_forced_instances_are_those_that_lose_nothing() -> None:
    text = """template <typename T> struct C {};
    template <> struct C<double> { static __device__ double f(double x) { return x; } };
    template <typename T> __global__ void k(T *p) { p[0] = C<T>::f(p[1]); p[1] = 0; }"""
    found = kernel(text)
    assert [i.template_args for i in found.instances] == [(("T", "double"),)]
    assert not found.instances[0].losses


def test_forcing_in_namespaces_with_enums_bools_and_function_arguments() -> None:
    text = """namespace a { namespace { enum class M { A, B };
    template <typename T, T (*F)(T), bool B, M m, typename U = T> __global__ void k(T *p) {
      if constexpr (m == M::B) p[0] = F(p[1]); else p[B] = F(p[2]); } } }"""
    found = kernel(text)
    assert found.instances and not any(i.losses for i in found.instances)


def test_forcing_with_classes_that_have_what_the_template_asks_for() -> None:
    text = """namespace ops { struct Plain { int a; };
    struct Add { __device__ float operator()(float a, float b) const { return a + b; } };
    struct Traits { static constexpr int kWidth = 8; static __device__ int pick(int i) { return i; } }; }
    template <typename Op, typename T> __global__ void k(float *p, Op op) {
      __shared__ float t[T::kWidth]; t[0] = op(p[0], p[1]); p[T::pick(2)] = t[0]; }"""
    found = kernel(text)
    assert [dict(i.template_args) for i in found.instances] == [{"Op": "ops::Add", "T": "ops::Traits"}]
    assert not found.instances[0].losses


def test_template_template_parameters_are_left_alone() -> None:
    found = kernel("template <template <class> class V> __global__ void k(V<int> v) { v.x = 1; }")
    assert not found.instances


def test_types_are_those_that_functions_take_which_get_the_values() -> None:
    found = kernel("""template <class T> struct Sides { T x, y; };
    template <class T> struct Side { T x; };
    template <class T> __device__ T area(const Sides<T> &of) { return of.x * of.y; }
    template <class T> __device__ T area(const Side<T> &of) { return of.x; }
    template <class T> __device__ T at(size_t i, Sides<T> of) { return i % of.y; }
    template <class T> __global__ void k(float *x, const T whole) { x[at(threadIdx.x, whole)] = area(whole); }""")
    assert found.instances and not any(each.losses for each in found.instances)
    assert dict(found.instances[0].template_args)["T"] == "Sides<int>"


@pytest.mark.parametrize(
    ("call", "taken"),
    [
        ("curand_init(7, threadIdx.x, 0, states + threadIdx.x);", "curandStateXORWOW"),
        ("S own = states[0]; curand(&own); states[0] = own;", "curandStateXORWOW"),
        ("fill(&states[threadIdx.x], 0.f);", "Cell"),
        ("fill(states, 1);", None),  # takes a number there
        ("atomicAdd(&states[0], 1);", None),
    ],
)
def test_types_are_those_that_pointers_are_taken_to(call: str, taken: str | None) -> None:
    text = """#include <curand_kernel.h>
    struct Cell { float v; };
    __device__ void fill(Cell *c, float v) { c->v = v; }
    __device__ void fill(float *c, int v) { *c = v; }
    """
    if "fill(&" in call:
        text = text.replace("void fill(float", "void put(float")
    found = kernel(text + f"template <class S> __global__ void k(S *states) {{ {call} }}")
    types = [dict(i.template_args)["S"] for i in found.instances]
    assert (taken in types) if taken is not None else not {"Cell", "curandStateXORWOW"} & set(types)


def test_types_that_pointers_are_taken_to_are_the_same_behind_a_precompiled_header() -> None:
    text = """#include <curand_kernel.h>
    template <class S> __global__ void k(S *states) { curand_init(7, threadIdx.x, 0, states + threadIdx.x); }
    """
    found = {tuple(dict(i.template_args)["S"] for i in kernel(text).instances) for _ in range(pch.PAYS_AFTER + 2)}
    assert len(found) == 1
    assert "curandStateXORWOW" in found.pop()


def test_limits_of_numbers_of_cub_are_known() -> None:
    found = kernel("""#include <cub/cub.cuh>
    template <class T> __global__ void k(T *x) { x[threadIdx.x] = cub::FpLimits<T>::Lowest(); }""")
    assert found.instances and not any(each.losses for each in found.instances)


def test_no_more_than_four_instances() -> None:
    uses = " ".join(f"k<{n}><<<1, 1>>>(p);" for n in range(1, 10))
    found = kernel(f"template <int N> __global__ void k(int *p) {{ p[N] = 1; }} void h(int *p) {{ {uses} }}")
    assert [i.template_args[0][1] for i in found.instances] == ["1", "2", "3", "9"]


def test_explicit_specialisations_are_kernels_of_their_own() -> None:
    text = """template <typename T> __global__ void k(T *p) { p[0] = 1; }
    template <> __global__ void k<int>(int *p) { p[1] = 2; }"""
    found = [k for k in module(text).kernels if k.name == "k"]
    assert len(found) == 2
    assert found[1].function.template_args == (("T", "int"),) and lines(found[1]) == ["p[1] = 2"]


def test_callees_of_instances_are_instances() -> None:
    text = """template <typename T, int N> __device__ T f(T x) { return x * N; }
    template <typename T> __global__ void k(T *p) { p[0] = f<T, 3>(p[1]); } void h(float *p) { k<<<1, 1>>>(p); }"""
    found = module(text)
    call = only(found.kernels[0].instances[0], Call)
    assert call.function is not None and call.function.template_args == (("T", "float"), ("N", "3"))
    assert call.function.generic is function(found, "f")


def test_generic_lambdas() -> None:
    found = kernel("__global__ void k(int n) { auto f = [=](auto z) { return z + n; }; n = f(3); }")
    call = only(found.function, Call)
    assert call.function is not None and lines(call.function) == ["return (z + n)"]


def test_dependent_arithmetic_has_the_types_it_can_have() -> None:
    tree = kernel(
        "template <typename T> __global__ void k(T *p, int n, float f) { f = n * 2 + f; p[0] = p[1] * n; }"
    ).function
    known = [b for b in find(tree, Binary) if not isinstance(b.type, OpaqueType)]
    assert [b.type for b in known] == [F32, known[1].type] and len(known) == 2


def test_made_up_names_have_no_value() -> None:
    text = """#include "nowhere.h"
    struct R { int a; float w[TILE]; int b; };
    __global__ void k(int *p, int n, R r) {
      __shared__ float t[TILE][3]; const int w = TILE * 2; if (n < LIMIT) return; p[0] = sizeof(t) + w + r.b; }"""
    found = module(text)
    tree = found.kernels[0].function
    assert {"TILE", "LIMIT"} <= found.synthesised
    assert variable(tree, "t").type.size is None and variable(tree, "w").value is None
    assert all(r.decl.synthesised and r.decl.value is None for r in find(tree, Ref) if r.decl.name in ("TILE", "LIMIT"))
    record = tree.params[2].type
    assert record.size is None and record.field("b").offset is None  # type: ignore[attr-defined]
    assert 16 not in [i.value for i in find(tree, IntLit)]


def test_made_up_types_are_opaque_and_their_operators_plain() -> None:
    text = """#include "nowhere.h"
    __global__ void k(int *p, int n, thing_t t) { p[n] = t[n] * 2; thing_t u = t; p[0] = u + n; }"""
    tree = module(text).kernels[0].function
    assert isinstance(tree.params[2].type, OpaqueType) and tree.params[2].synthesised
    assert {b.op for b in find(tree, Binary)} == {"*", "+"}


def test_calls_of_made_up_functions_are_unresolved_and_on_record() -> None:
    tree = module('#include "nowhere.h"\n__global__ void k(int *p) { p[0] = mystery(p); }').kernels[0].function
    assert only(tree, Call).function is None
    assert [loss.kind for loss in tree.losses] == ["call"]


def test_a_made_up_name_that_may_be_a_barrier() -> None:
    tree = (
        module('#include "nowhere.h"\n__global__ void k(int *p) { p[0] = 1; BLOCK_SYNC; p[1] = 2; }')
        .kernels[0]
        .function
    )
    assert any(getattr(node, "may_sync", False) for node in walk(tree))
    assert tree.losses


def test_pointers_to_elements_of_unknown_type() -> None:
    tree = kernel("template <typename T> __global__ void k(T *p) { T *q = p + 3; q[0] = p[1]; }").function
    assert isinstance(variable(tree, "q").type, PointerType)
    assert lines(tree)[0].endswith("q = (p + 3)")


def test_lambdas_called_in_templates() -> None:
    text = """template <typename T> __global__ void k(T *p, int n) {
      auto f = [&](auto z) { return z + n; }; p[0] = f(p[1]); p[1] = [&]() { return p[2]; }(); }"""
    generic = kernel(text).function
    assert not generic.losses
    calls = find(generic, Call)
    assert len(calls) == 2 and all(c.function is not None and c.function.body is not None for c in calls)


def test_kernels_of_headers_are_forced_too(tmp_path: Path) -> None:
    (tmp_path / "part.cuh").write_text(
        "template <typename T> __global__ void k(T *p, float *q) { q[0] = p[1].v; }"
        "template <typename T> void run(T *p) { k<T><<<1, 1>>>(p, nullptr); }"
        "struct V { float v; };"
    )
    (tmp_path / "main.cu").write_text('#include "part.cuh"\ntemplate <typename T> void go(T *p) { run(p); }')
    source = read(str(tmp_path / "main.cu"))
    found = ClangFrontend().parse_file(source, FrontendOptions(cache=False))[0]
    assert [dict(i.template_args) for k in found.kernels for i in k.instances] == [{"T": "V"}]


def test_forcing_with_vectors_where_lanes_are_asked_for() -> None:
    found = kernel("template <typename T> __global__ void k(const T *p, float *q) { q[0] = p[1].x + p[0].w; }")
    assert found.instances[0].template_args == (("T", "float4"),) and not found.instances[0].losses


def test_an_instance_that_clang_gave_up_is_the_template_itself() -> None:
    text = """template <typename T> __device__ T f(T x) { T y = x.nothing; return y; }
    __global__ void k(float *p) { p[0] = f(p[1]); p[1] = 2; }"""
    found = module(text)
    call = only(found.kernels[0].function, Call)
    assert call.function is not None and call.function.body is not None


def test_a_constant_without_its_initialiser_is_not_zero_in_an_instance() -> None:
    """Clang sets constants to zero in instances where it has lost what they begin with."""
    found = kernel(
        "template <typename T> __global__ void k(T *g) { const int row; g[row] = 1; }"
        " template __global__ void k(int *);"
    )
    for variant in found.variants:
        row = variable(variant, "row")
        assert row.value is None and isinstance(row.init, Opaque)


def test_forced_instances_that_are_not_kept_do_no_harm() -> None:
    text = """template <typename T, int LOG> __global__ void k(const T *in, T *out) {
        constexpr int each = (1 << LOG) / 64;
        T mine[each];
        for (int at = 0; at < each; ++at) mine[at] = in[at * 64 + threadIdx.x];
        out[threadIdx.x] = mine[0];
    }
    template <typename T> void run(const T *in, T *out, int log) {
        switch (log) { case 7: k<T, 7><<<1, 64>>>(in, out); break; case 8: k<T, 8><<<1, 64>>>(in, out); break; }
    }"""
    assert kernel(text).instances


def test_an_operator_that_a_template_leaves_open_is_the_one_of_numbers() -> None:
    text = """struct Half { float x; };
    template <typename T> bool operator&&(T a, Half b);
    template <typename T> bool operator<(T a, Half b);
    template <typename T> __global__ void k(T *state, int n) {
      int i = threadIdx.x;
      if (i < n && !state[i].done()) state[i].run();
    }"""
    tree = kernel(text).function
    assert [op.op for op in find(tree, Binary)] == ["&&", "<"]


def test_enumerators_of_a_class_template_have_the_values_that_are_written() -> None:
    found = module(
        "template <typename T> struct List { enum { FIRST, ROOM = 16, NEXT, TWICE = 2 * ROOM, LAST };"
        " __device__ void f(int *q) { q[0] = FIRST; q[1] = ROOM; q[2] = NEXT; q[3] = TWICE; q[4] = LAST; } };"
        " __global__ void k(List<int> list, int *q) { list.f(q); }"
    )
    tree = next(f for f in found.functions if f.name == "f")
    assert lines(tree) == ["q[0] = 0", "q[1] = 16", "q[2] = (16 + 1)", "q[3] = (2 * 16)", "q[4] = ((2 * 16) + 1)"]


BASES = """
struct Plain { void *p; int n; };
struct Other { int *q; };
struct Empty {};
template <typename T, typename Where = Plain> struct Picture : public Where {
  uint2 size;
  __device__ T &at(int i) { return static_cast<T *>(Where::p)[i]; }
  __device__ T &through(int i) { return ((T *)this->p)[i]; }
};
struct Both : Empty, Plain, Other {};
struct Shadow : Plain { int *p; };
"""


def test_members_of_a_base_that_is_a_type_argument_are_the_objects_own() -> None:
    found = kernel(BASES + "__global__ void k(Picture<float> v) { v.at(1) = v.through(2); }")
    kind = found.function.params[0].type
    assert isinstance(kind, StructType)
    assert [(field.name, field.offset) for field in kind.fields] == [("p", 0), ("n", 8), ("size", 16)]
    bodies = [lines(call.function) for call in find(found.function, Call) if call.function is not None]
    assert sorted(bodies) == [["return (f32*)this->p[i]"]] * 2
    other = kernel(BASES + "__global__ void k(Picture<float, Other> v) { v.n = 1; }").function.params[0].type
    assert isinstance(other, StructType) and [field.name for field in other.fields] == ["q", "size"]


def test_each_of_several_bases_has_its_place() -> None:
    both, shadow = (
        p.type for p in kernel(BASES + "__global__ void k(Both v, Shadow s) { s.Plain::p = s.p; }").function.params
    )
    assert isinstance(both, StructType) and isinstance(shadow, StructType)
    assert [(field.name, field.offset) for field in both.fields] == [("p", 0), ("n", 8), ("q", 16)]
    assert [(field.name, field.offset) for field in shadow.fields] == [("p", 0), ("n", 8), ("p", 16)]


DISPATCHED = """template <typename T, int N, int M> __global__ void k(T *p) { p[threadIdx.x + N * M] = 0; }
void run(Tensor x, int m) { DISPATCH(x, [&] { %s; }); }"""


@pytest.mark.parametrize(
    ("use", "told"),
    [
        ("k<element, 5, 3><<<1, 64>>>(x.data<element>())", True),
        ("constexpr int wide = 5; k<element, wide, 3><<<1, 64>>>(x.data<element>())", True),
        ("k<element, 5><<<1, 64>>>(x.data<element>())", False),
        ("go(x)", False),
    ],
)
def test_numbers_that_the_source_gives_a_template_are_not_made_up(use: str, told: bool) -> None:
    instances = kernel(DISPATCHED % use).instances
    assert instances and all(i.forced for i in instances)
    assert instances[0].told is told
    if told:
        assert {dict(i.template_args)["N"] for i in instances if i.told} == {"5"}
