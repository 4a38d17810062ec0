"""Functions: kinds, callees, methods, lambdas, recursion, launch bounds."""

from __future__ import annotations

from kernlint.tree.nodes import Call, FunctionKind, Lambda, LaunchBounds, Trap
from kernlint.tree.types import I32, PointerType
from kernlint.tree.walk import functions_of

from .trees import find, function, kernel, lines, module, only


def test_kinds() -> None:
    found = module(
        "__global__ void k() {} __device__ void d() {} void h() {} __host__ __device__ void b() {} __host__ void o() {}"
    )
    assert {f.name: f.kind for f in found.functions} == {
        "k": FunctionKind.KERNEL,
        "d": FunctionKind.DEVICE,
        "h": FunctionKind.HOST,
        "b": FunctionKind.BOTH,
        "o": FunctionKind.HOST,
    }


def test_opencl_kernels_also_behind_macros() -> None:
    text = (
        "#define KERNEL __kernel\nKERNEL void a() {} kernel void b() {} void c() {} "
        "__kernel __attribute__((reqd_work_group_size(8, 4, 2))) void d() {}"
    )
    found = module(text, "opencl")
    assert [k.name for k in found.kernels] == ["a", "b", "d"]
    assert found.kernels[2].function.bounds.required == (8, 4, 2)


def test_opencl_kernels_that_a_macro_defines_behind_an_attribute_with_arguments() -> None:
    text = """#define ONE(name) \\
    __attribute__((reqd_work_group_size(8, 4, 2))) \\
    kernel void name(global int *x) { local int t[64]; t[0] = 1; x[0] = t[0]; }
    #define TWO(name) ONE(name##_a) ONE(name##_b)
    #define HELPER(name) __attribute__((always_inline)) int name(int v) { return v; }
    TWO(first)
    HELPER(second)
    """
    found = module(text, "opencl")
    assert [k.name for k in found.kernels] == ["first_a", "first_b"]
    assert all(k.function.bounds.required == (8, 4, 2) for k in found.kernels)


def test_launch_bounds() -> None:
    text = """constexpr int T = 64; enum { W = 2 };
    __global__ void __launch_bounds__(256, 2) a() {} __global__ void __launch_bounds__(T * W) b() {}
    template <int N> __global__ void __launch_bounds__(N) k() {} template __global__ void k<32>();
    __global__ void c() {}"""
    found = module(text)
    bounds = {k.name: k.function.bounds for k in found.kernels}
    assert bounds["a"] == LaunchBounds(256, 2)
    assert bounds["b"] == LaunchBounds(128)
    assert bounds["c"] == LaunchBounds()
    assert bounds["k"].dependent and bounds["k"].max_threads is None
    instance = next(k for k in found.kernels if k.name == "k").instances[0]
    assert instance.bounds == LaunchBounds(32)


def test_amd_bounds() -> None:
    tree = kernel("__global__ __attribute__((amdgpu_flat_work_group_size(64, 512))) void k() {}", "hip").function
    assert tree.bounds.max_threads == 512


def test_all_calls_of_a_function_share_its_node() -> None:
    text = "__device__ int f(int a) { return a; } __global__ void k(int n) { n = f(n) + f(2); }"
    found = module(text)
    calls = find(found.kernels[0].function, Call)
    assert calls[0].function is calls[1].function is function(found, "f")
    assert calls[0].function is not None and calls[0].function.body is not None


def test_recursion() -> None:
    text = (
        "__device__ int g(int); __device__ int f(int a) { return a ? g(a - 1) : 0; } "
        "__device__ int g(int a) { return f(a); } __global__ void k(int n) { n = f(n); }"
    )
    found = module(text)
    f, g = function(found, "f"), function(found, "g")
    assert only(f, Call).function is g and only(g, Call).function is f
    assert {x.name for x in functions_of(found.kernels[0])} == {"k", "f", "g"}


def test_methods_have_an_object() -> None:
    text = """struct S { int a; __device__ int get(int i) const { return a + this->a + i; }
        static __device__ int one() { return 1; } };
    __global__ void k(S s, S *t, int n) { n = s.get(1) + t->get(2) + S::one(); }"""
    found = module(text)
    get = function(found, "S::get")
    assert get.this is not None and isinstance(get.this.type, PointerType)
    assert lines(get) == ["return ((this->a + this->a) + i)"]
    assert lines(found.kernels[0]) == ["n = ((s.S::get(1) + t.S::get(2)) + S::one())"]
    assert function(found, "S::one").this is None


def test_functors_and_overloaded_operators() -> None:
    text = """struct F { int c; __device__ int operator()(int x) const { return x * c; }
        __device__ int &operator[](int i) { return c; } };
    __device__ F operator+(F a, F b) { return a; }
    __global__ void k(F f, int n) { n = f(3); f[1] = 2; f = f + f; }"""
    found = module(text)
    assert lines(found.kernels[0]) == ["n = f.F::operator()(3)", "f.F::operator[](1) = 2", "f = operator+(f, f)"]
    assert all(c.function is not None and c.function.body is not None for c in find(found.kernels[0].function, Call))


def test_lambdas_refer_to_what_they_capture() -> None:
    found = module("__global__ void k(int n) { auto f = [&](int z) { return z + n; }; n = f(3); }")
    tree = found.kernels[0].function
    closure = only(tree, Lambda)
    assert closure.by_reference and closure.params[0].type == I32
    call = only(tree, Call)
    assert call.function is not None and call.function.body is closure.body and call.function.this is None


def test_default_arguments() -> None:
    text = "__device__ int f(int a, int b = 4, int *c = nullptr) { return a; } __global__ void k(int n) { n = f(1); }"
    assert lines(kernel(text)) == ["n = f(1, 4, {i32*}0)"]


def test_constructors() -> None:
    text = """struct P { int x, y; __device__ P(int a) : x(a), y(2) {} }; struct Q { int a; };
    __global__ void k(int n) { P p(n); Q q; Q r{}; Q s = r; dim3 d(1, n); n = p.x; }"""
    found = module(text)
    assert lines(found.kernels[0]) == [
        "let private struct P p = P::P(n)",
        "let private struct Q q",
        "let private struct Q r = struct Q{}",
        "let private struct Q s = r",
        "let private struct dim3 d = struct dim3{1, {u32}n}",
        "n = p.x",
    ]
    assert lines(function(found, "P::P")) == ["this->x = a", "this->y = 2"]


def test_function_pointers_that_are_set_once() -> None:
    text = "__device__ int f(int a) { return a; } __global__ void k(int n) { int (*g)(int) = f; n = g(1); }"
    assert only(kernel(text).function, Call).function is not None


def test_unresolved_calls_are_on_record() -> None:
    tree = kernel("__global__ void k(int *p) { mystery_sync(p); }").function
    assert [loss.kind for loss in tree.losses] == ["call"]
    call = only(tree, Call)
    assert call.name == "mystery_sync" and call.function is None and len(call.args) == 1


def test_declared_functions_without_a_body() -> None:
    tree = kernel("__device__ void f(int *p); __global__ void k(int *p) { f(p); }").function
    call = only(tree, Call)
    assert call.function is not None and call.function.body is None and not tree.losses


def test_the_users_function_wins_over_a_known_name() -> None:
    text = (
        "namespace mine { __device__ float clamp(float x) { return x; } } "
        "__global__ void k(float *p) { p[0] = mine::clamp(p[1]); }"
    )
    call = only(kernel(text).function, Call)
    assert call.function is not None and call.function.body is not None and call.name == "mine::clamp"


def test_namespaces_qualify() -> None:
    found = module("namespace a { namespace { namespace b { __global__ void k() {} } } }")
    assert found.kernels[0].function.qualified == "a::b::k"


def test_new_and_delete_are_calls_and_a_throw_does_not_come_back() -> None:
    text = "__global__ void k(int n) { int *p = new int[n]; delete[] p; } void h() { throw 1; }"
    functions = module(text).functions
    assert [c.name for f in functions for c in find(f, Call)] == ["operator new", "operator delete"]
    assert len([t for f in functions for t in find(f, Trap)]) == 1


def test_a_new_at_a_place_is_told_from_one_that_allocates() -> None:
    text = """
    struct S { int a; S(int x) : a(x) {} S() {} };
    void h(void *at, float *x, int n) {
        new (at) S(n); new S(n); new (x) float(1); new float(1); new int[n]; ::new ((void *)x) S; new (int *)(&n);
    }
    """
    found = [(c.name, len(c.args)) for f in module(text).functions for c in find(f, Call) if c.name != "S::S"]
    at, plain = ("operator new at", 2), ("operator new", 1)
    assert found == [at, plain, at, plain, plain, at, plain]


def test_name_spans() -> None:
    text = "__global__ void k(int n) {}"
    tree = kernel(text).function
    assert tree.name_span is not None and text[tree.name_span.start : tree.name_span.end] == "k"
    assert text[tree.span.start : tree.span.end] == text


def test_the_ends_are_among_the_instances_that_are_kept() -> None:
    widths = (5, 3, 9, 7, 19, 11, 13)
    launches = "".join(f"window<{width}, {str(width % 4 == 1).lower()}><<<1, 32>>>(x);" for width in widths)
    found = kernel(
        "template <int width, bool odd> __global__ void k(float *x) { if (odd) x[threadIdx.x % width] = 0; }\n"
        f"void run(float *x) {{ {launches.replace('window', 'k')} }}"
    )
    kept = [dict(instance.template_args)["width"] for instance in found.instances]
    assert {"3", "19"} <= set(kept) and len(kept) == 4
