"""Machine integers: random expressions, built by hand, against arithmetic that wraps at every operation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernlint.prove.emulate import FaultKind, LaunchSpec, Outcome, run
from kernlint.source import Span
from kernlint.tree.nodes import (
    Binary,
    Block,
    Cast,
    Conditional,
    Expr,
    FunctionDecl,
    FunctionKind,
    If,
    IntLit,
    ParamDecl,
    Ref,
    Trap,
    Unary,
)
from kernlint.tree.types import BOOL, I8, I16, I32, I64, U8, U16, U32, U64, VOID, IntType, Space

AT = Span("t.cu", 0, 1)
TYPES = (I8, U8, I16, U16, I32, U32, I64, U64)


@dataclass(frozen=True)
class Case:
    """An expression, its parameters' values, its exact value, and whether signed arithmetic overflowed."""

    expr: Expr
    values: Mapping[str, int]
    params: tuple[ParamDecl, ...]
    value: int
    overflows: bool


def _leaf(draw: st.DrawFn, kind: IntType, params: list[ParamDecl], values: dict[str, int]) -> tuple[Expr, int]:
    edges = (kind.low, kind.high, 0, 1, kind.high - 1)
    value = kind.wrap(draw(st.one_of(st.sampled_from(edges), st.integers(-40, 40), st.integers(kind.low, kind.high))))
    if draw(st.booleans()):
        return IntLit(AT, kind, value), value
    name = f"p{len(params)}"
    param = ParamDecl(AT, name, kind, Space.PRIVATE, index=len(params))
    params.append(param)
    values[name] = value
    return Ref(AT, kind, param), value


def _divide(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "/": _divide,
    "%": lambda a, b: a - b * _divide(a, b),
    "<": lambda a, b: int(a < b),
    ">=": lambda a, b: int(a >= b),
    "==": lambda a, b: int(a == b),
}


@st.composite
def cases(draw: st.DrawFn) -> Case:
    params: list[ParamDecl] = []
    values: dict[str, int] = {}
    overflows = False

    def build(kind: IntType, depth: int) -> tuple[Expr, int]:
        nonlocal overflows
        if depth == 0 or draw(st.integers(0, 5)) == 0:
            return _leaf(draw, kind, params, values)
        shape = draw(st.sampled_from(("binary", "binary", "binary", "cast", "shift", "unary", "choice")))
        if shape == "cast":
            inner, value = build(draw(st.sampled_from(TYPES)), depth - 1)
            return Cast(AT, kind, inner, True), kind.wrap(value)
        if shape == "choice":
            cond, flag = build(I32, depth - 1)
            (a, x), (b, y) = build(kind, depth - 1), build(kind, depth - 1)
            return Conditional(AT, kind, cond, a, b), x if flag else y
        if kind.bits < 32:  # C computes in int
            inner, value = build(I32, depth - 1)
            return Cast(AT, kind, inner, False), kind.wrap(value)
        if shape == "shift":
            a, x = build(kind, depth - 1)
            by = draw(st.integers(0, kind.bits - 1))
            op = draw(st.sampled_from(("<<", ">>")))
            return Binary(AT, kind, op, a, IntLit(AT, I32, by)), kind.wrap(x << by if op == "<<" else x >> by)
        if shape == "unary":
            a, x = build(kind, depth - 1)
            if draw(st.booleans()):
                return Unary(AT, kind, "~", a), kind.wrap(~x)
            overflows |= kind.signed and x == kind.low
            return Unary(AT, kind, "-", a), kind.wrap(-x)
        op = draw(st.sampled_from(tuple(OPERATIONS)))
        (a, x), (b, y) = build(kind, depth - 1), build(kind, depth - 1)
        if op in ("/", "%") and y == 0:
            b, y = IntLit(AT, kind, 3), 3
        exact = OPERATIONS[op](x, y)
        if op in ("<", ">=", "=="):
            return Cast(AT, kind, Binary(AT, BOOL, op, a, b), False), exact
        overflows |= kind.signed and not kind.low <= exact <= kind.high
        return Binary(AT, kind, op, a, b), kind.wrap(exact)

    expr, value = build(draw(st.sampled_from(TYPES)), 4)
    return Case(expr, values, tuple(params), value, overflows)


def judge(case: Case) -> Outcome:
    """Traps when the expression has another value than ``case`` says."""
    kind = case.expr.type
    test = Binary(AT, BOOL, "!=", case.expr, IntLit(AT, kind, case.value))
    body = Block(AT, (If(AT, test, Trap(AT), None),))
    function = FunctionDecl(AT, "f", "f", FunctionKind.KERNEL, case.params, VOID, body)
    return run(function, LaunchSpec((1, 1, 1)), case.values)


@settings(max_examples=400, deadline=None)
@given(cases())
def test_values_are_exact(case: Case) -> None:
    outcome = judge(case)
    assert outcome.finished, outcome.unsupported
    assert not outcome.of(FaultKind.TRAP)


@settings(max_examples=300, deadline=None)
@given(cases())
def test_overflow_is_told_only_where_there_is_some(case: Case) -> None:
    if judge(case).of(FaultKind.OVERFLOW):
        assert case.overflows


@pytest.mark.parametrize(
    ("kind", "op", "a", "b", "fault"),
    [
        (I32, "+", I32.high, 1, FaultKind.OVERFLOW),
        (I32, "*", 1 << 20, 1 << 20, FaultKind.OVERFLOW),
        (I64, "*", 1 << 40, 1 << 40, FaultKind.OVERFLOW),
        (I32, "/", I32.low, -1, FaultKind.OVERFLOW),
        (I32, "/", 5, 0, FaultKind.DIVISION_BY_ZERO),
        (U32, "%", 5, 0, FaultKind.DIVISION_BY_ZERO),
        (I32, "<<", 1, 32, FaultKind.SHIFT),
        (U64, ">>", 1, -1, FaultKind.SHIFT),
        (U32, "+", U32.high, 1, None),
        (U32, "*", 1 << 31, 2, None),
        (I32, "<<", 1, 31, None),
    ],
)
def test_faults_of_arithmetic(kind: IntType, op: str, a: int, b: int, fault: FaultKind | None) -> None:
    right = I32 if op in ("<<", ">>") else kind
    params = (
        ParamDecl(AT, "a", kind, Space.PRIVATE, index=0),
        ParamDecl(AT, "b", right, Space.PRIVATE, index=1),
    )
    expr = Binary(AT, kind, op, Ref(AT, kind, params[0]), Ref(AT, right, params[1]))
    test = If(AT, Binary(AT, BOOL, "==", expr, IntLit(AT, kind, 77)), Trap(AT), None)
    function = FunctionDecl(AT, "f", "f", FunctionKind.KERNEL, params, VOID, Block(AT, (test,)))
    outcome = run(function, LaunchSpec((1, 1, 1)), {"a": a, "b": b})
    assert [found.kind for found in outcome.faults] == ([] if fault is None else [fault])
