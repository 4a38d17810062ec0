"""Loops over objects of classes whose methods libclang does not show."""

from __future__ import annotations

from kernlint.frontends.clang.frontend import ClangFrontend
from kernlint.source import SourceFile
from kernlint.tree.dump import expression_text
from kernlint.tree.nodes import For, Module

from .trees import find, only, variable

RANGE = """namespace work { namespace {
template <class T> class Range {
    struct At {
        T at, by;
        __device__ T operator*() const { return at; }
        __device__ At &operator++() { at += by; return *this; }
        __device__ bool operator!=(const At &other) const { return at < other.at; }
    };
    T from, to, step;
public:
    __device__ Range(T from, T to, T step) : from(from), to(to), step(step) {}
    __device__ At begin() const { return At{from, step}; }
    __device__ At end() const { return At{to, step}; }
};
}
template <class T> __device__ Range<T> grid(T n) {
    return Range<T>(blockIdx.x * blockDim.x + threadIdx.x, n, gridDim.x * blockDim.x);
}
template <class T, int N> struct Few {
    T all[N];
    __device__ T *begin() { return all; }
    __device__ T *end() { return all + N; }
};
}
"""


def _module(text: str) -> Module:
    (module,) = ClangFrontend().parse_file(SourceFile("ranges.cu", (RANGE + text).encode(), "utf-8"))
    return module


def test_instances_of_class_templates() -> None:
    found = _module("""__global__ void k(float *x, int n) { for (int i : work::grid(n)) x[i] = 0; }
    __global__ void l(float *x, unsigned n) { for (auto i : work::grid(n)) for (auto j : work::grid(i)) x[j] = 0; }""")
    first, second = found.kernels
    assert not first.function.losses and not second.function.losses
    loop = only(first.function, For)
    assert loop.step is not None and "operator++" in expression_text(loop.step)
    step = loop.step.span
    assert loop.span.start <= step.start < step.end <= loop.span.end  # not where the use is
    outer, inner = find(second.function, For)
    assert outer is not inner and not any(f.qualified.startswith("__kernlint") for f in found.functions)


def test_iterators_that_are_pointers() -> None:
    found = _module("__global__ void k(work::Few<float, 3> few, float *x) { for (float &e : few) e = x[0]; }")
    (only_one,) = found.kernels
    assert not only_one.function.losses
    assert "first" in expression_text(variable(only(only_one.function, For), "e").init)


def test_instances_that_are_forced() -> None:
    found = _module("template <class T> __global__ void k(T *x, int n) { for (auto i : work::grid(n)) x[i] = 0; }")
    (generic,) = found.kernels
    assert generic.instances and not any(each.losses for each in generic.instances)


def test_what_has_no_begin_stays_a_gap() -> None:
    found = _module("""template <class T> struct Odd { T n; };
    __global__ void k(Odd<int> odd, float *x) { for (int i : odd) x[i] = 0; }""")
    (only_one,) = found.kernels
    assert only_one.function.losses
