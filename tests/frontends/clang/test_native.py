"""The ctypes layer: loading, structs, operators that the stock bindings lack."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.frontends.base import FrontendError
from kernlint.frontends.clang import native
from kernlint.frontends.clang.kinds import BinaryOperator, CursorKind, TypeKind, UnaryOperator
from kernlint.frontends.clang.options import Language
from kernlint.frontends.clang.session import ParseResult, parse

OPERATORS = b"""\
__device__ void f(int a, int b, int* p) {
    int r = a * b; r = a / b; r = a % b; r = a + b; r = a - b; r = a << b; r = a >> b;
    r = a < b; r = a > b; r = a <= b; r = a >= b; r = a == b; r = a != b;
    r = a & b; r = a ^ b; r = a | b; r = a && b; r = a || b;
    a *= b; a /= b; a %= b; a += b; a -= b; a <<= b; a >>= b; a &= b; a ^= b; a |= b;
    (a, b); a++; a--; ++a; --a; p = &a; *p; r = +a; r = -a; r = ~a; r = !a;
}
"""


def cuda(text: bytes) -> ParseResult:
    return parse("test.cu", text, Language.CUDA)


def test_operator_kinds_are_those_of_the_library() -> None:
    with cuda(OPERATORS) as parsed:
        (function,) = parsed.unit.top_level()
        nodes = list(function.walk())
        binary = [n.binary_operator for n in nodes if n.kind == CursorKind.BINARY_OPERATOR]
        compound = [n.binary_operator for n in nodes if n.kind == CursorKind.COMPOUND_ASSIGNMENT_OPERATOR]
        unary = [n.unary_operator for n in nodes if n.kind == CursorKind.UNARY_OPERATOR]
    assert not list(parsed.errors())
    assert [b for b in binary if b not in (BinaryOperator.ASSIGN, BinaryOperator.COMMA)] == [
        *(BinaryOperator.MUL, BinaryOperator.DIV, BinaryOperator.REM, BinaryOperator.ADD, BinaryOperator.SUB),
        *(BinaryOperator.SHL, BinaryOperator.SHR, BinaryOperator.LT, BinaryOperator.GT, BinaryOperator.LE),
        *(BinaryOperator.GE, BinaryOperator.EQ, BinaryOperator.NE, BinaryOperator.AND, BinaryOperator.XOR),
        *(BinaryOperator.OR, BinaryOperator.LAND, BinaryOperator.LOR),
    ]
    assert binary.count(BinaryOperator.COMMA) == 1
    assert compound == [
        *(BinaryOperator.MUL_ASSIGN, BinaryOperator.DIV_ASSIGN, BinaryOperator.REM_ASSIGN),
        *(BinaryOperator.ADD_ASSIGN, BinaryOperator.SUB_ASSIGN, BinaryOperator.SHL_ASSIGN, BinaryOperator.SHR_ASSIGN),
        *(BinaryOperator.AND_ASSIGN, BinaryOperator.XOR_ASSIGN, BinaryOperator.OR_ASSIGN),
    ]
    assert unary == [
        *(UnaryOperator.POST_INC, UnaryOperator.POST_DEC, UnaryOperator.PRE_INC, UnaryOperator.PRE_DEC),
        *(UnaryOperator.ADDR_OF, UnaryOperator.DEREF, UnaryOperator.PLUS, UnaryOperator.MINUS),
        *(UnaryOperator.NOT, UnaryOperator.LNOT),
    ]


def test_strings_are_copied_and_released() -> None:
    with cuda(b"namespace a { template <class T> struct B { T f(int) const; }; }") as parsed:
        (scope,) = parsed.unit.top_level()
        (template,) = scope.children
        method = template.children[-1]
        for _ in range(1000):
            assert native.take(native.LIB.getCursorDisplayName(method.raw)) == "f(int)"
        assert method.qualified_name == "a::B::f"


def test_evaluation_and_heads() -> None:
    source = b"""\
constexpr int n = 3 * 4;
constexpr unsigned long big = ~0ul;
constexpr double part = 0.5;
__global__ void __launch_bounds__(128, 2) k(float* x) {}
"""
    with cuda(source) as parsed:
        n, big, part, kernel = parsed.unit.top_level()
        assert (n.evaluate(), big.evaluate(), part.evaluate()) == (12, 2**64 - 1, 0.5)
        assert "launch_bounds(128, 2" in kernel.head()
        assert "{" not in kernel.head()


def test_types() -> None:
    with cuda(
        b"__device__ float a[4][8]; typedef const int* P; __device__ P p; struct S { char c; double d; };"
    ) as parsed:
        a, _, p, s = parsed.unit.top_level()
        assert (a.type.kind, a.type.count, a.type.size) == (TypeKind.CONSTANT_ARRAY, 4, 128)
        assert (a.type.element.count, a.type.element.element.kind) == (8, TypeKind.FLOAT)
        assert p.type.canonical.kind == TypeKind.POINTER
        assert p.type.canonical.pointee.is_const
        assert (s.type.size, s.type.alignment) == (16, 8)
        assert [field.field_offset for field in s.children] == [0, 64]
        assert a.type is parsed.unit.type_of(a.type.raw)


def test_a_missing_library_is_one_clear_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(native.LIBRARY_VARIABLE, raising=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(FrontendError, match="libclang"):
        native.library_path()
    broken = tmp_path / "libclang.so"
    broken.write_bytes(b"not a library")
    monkeypatch.setenv(native.LIBRARY_VARIABLE, str(broken))
    with pytest.raises(FrontendError, match="cannot load"):
        native.Library().version()


def test_unknown_functions_are_attribute_errors() -> None:
    with pytest.raises(AttributeError):
        _ = native.Library().noSuchFunction
