"""What errors cost."""

from __future__ import annotations

import pytest

from kernlint.frontends.clang.losses import LOST_KERNEL, find_functions
from kernlint.frontends.clang.options import Language
from kernlint.frontends.clang.session import parse


def losses(source: str, language: Language = Language.CUDA) -> int:
    with parse("k.cu", source.encode(), language, synthesise=False) as parsed:
        return parsed.losses


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("__global__ void k(int* x) { x[0] = 1; }", 0),
        ("__global__ void k(int* x) { x[0] = a; x[1] = b; }", 2),
        ("__device__ int f() { return a; }", 1),
        ("void host() { a; b; }", 0),
        ("struct S { __device__ int f() { return a; } int g() { return b; } };", 1),
        ("namespace n { template <class T> __device__ T f(T t) { return t + a; } }", 1),
        ("int broken = a;", 0),
        ("__device__ int broken = a;", 1),
        ('__global__ void k(int* x) { static_assert(sizeof(int) == 8, ""); x[0] = 1; }', 0),
        ("// __global__ void k(int* x) { a }\nint broken = b;", 0),
    ],
)
def test_only_device_code_counts(source: str, expected: int) -> None:
    assert losses(source) == expected


def test_instances_count_once() -> None:
    source = "template <class T> __global__ void k(T* x) { x[0] = x[1].a; }\n"
    assert losses(source + "void h() { k<int><<<1, 1>>>(0); k<long><<<1, 1>>>(0); k<float><<<1, 1>>>(0); }") == 1


def test_a_kernel_without_a_declaration_weighs_much() -> None:
    assert losses("API __global__ void k(int* x) { x[0] = 1; }\n@ __global__ void l(int* x) { x[0] = 1; }") >= 1
    assert losses("int (__global__ void k(int* x) { x[0] = 1; }") >= LOST_KERNEL


def test_inactive_kernels_are_no_losses() -> None:
    assert losses("int broken = a;\n#if 0\n__global__ void k(int* x) { x[0] = 1; }\n#endif\n") == 0


def test_opencl_functions_are_all_device_code() -> None:
    assert losses("float f(float x) { return x + a; }", Language.OPENCL) == 1


def test_ranges_of_functions() -> None:
    source = b"__global__ void k() {}\nvoid h() {}\nnamespace n { struct S { __device__ void m() {} }; }\n"
    with parse("k.cu", source, Language.CUDA) as parsed:
        functions = find_functions(parsed.unit, Language.CUDA, {"k.cu"})["k.cu"]
    assert [source[a:b] for a, b in functions.device] == [b"__global__ void k() {}", b"__device__ void m() {}"]
    assert [source[a:b] for a, b in functions.host] == [b"void h() {}"]
    assert functions.in_device(3) and not functions.in_device(25) and functions.in_host(25)
