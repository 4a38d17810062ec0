"""Quotients in floating point that are whole numbers: what they give, against Python's own fractions."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import pytest

from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.quotients import compared, whole
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, binary, call, cast, const
from kernlint.tree.types import BOOL, F32, F64, I32, U32

N = Symbol(SymbolKind.PARAM, "n", I32)
SIZE = Symbol(SymbolKind.PARAM, "size", I32, low=0)
B = Symbol(SymbolKind.PARAM, "b", I32, low=1)
SIZES = (0, 1, 2, 63, 64, 65, 127, 1000)


def over(symbol: Symbol, by: float) -> Term:
    return binary("div", cast(symbol.term, F64), const(by, F64), F64)


@pytest.mark.parametrize(
    ("made", "meant"),
    [
        (lambda n: call("ceil", (over(n, 64.0),), F64), lambda n: math.ceil(Fraction(n, 64))),
        (lambda n: call("std::ceilf@1", (over(n, 64.0),), F64), lambda n: math.ceil(Fraction(n, 64))),
        (lambda n: call("floor", (over(n, 48.0),), F64), lambda n: math.floor(Fraction(n, 48))),
        (lambda n: over(n, 2.0), lambda n: n // 2),
        (lambda n: binary("add", over(n, 64.0), const(0.5, F64), F64), lambda n: int(Fraction(n, 64) + Fraction(1, 2))),
        (lambda n: binary("mul", cast(n.term, F32), const(0.25, F32), F32), lambda n: n // 4),
        (lambda n: binary("mul", call("ceil", (over(n, 2.0),), F64), const(2.0, F64), F64), lambda n: n + n % 2),
        (
            lambda n: call("fmin", (call("ceil", (over(n, 8.0),), F64), const(3.0, F64)), F64),
            lambda n: min(3, -(-n // 8)),
        ),
    ],
)
def test_sizes(made: Callable[[Symbol], Term], meant: Callable[[int], int]) -> None:
    found = whole(made(SIZE), U32, counts=False)
    assert found is not None and found.type == U32
    assert [evaluate(found, {SIZE: n}) for n in SIZES] == [meant(n) for n in SIZES]


def test_by_a_number_that_is_not_known() -> None:
    quotient = binary("div", cast(SIZE.term, F32), cast(B.term, F32), F32)
    found = whole(call("ceil", (quotient,), F32), I32, counts=True)
    assert found is not None
    assert [evaluate(found, {SIZE: n, B: 48}) for n in SIZES] == [math.ceil(n / 48) for n in SIZES]


@pytest.mark.parametrize("name", ["ceil", "floor"])
def test_what_may_be_negative_is_rounded_the_same_way(name: str) -> None:
    found = whole(call(name, (over(N, 4.0),), F64), I32, counts=False)
    assert found is not None
    exact = math.ceil if name == "ceil" else math.floor
    assert [evaluate(found, {N: n}) for n in range(-9, 10)] == [exact(Fraction(n, 4)) for n in range(-9, 10)]
    assert whole(call(name, (over(N, 3.0),), F64), I32, counts=False) is None


def test_conversion_is_towards_zero() -> None:
    found = whole(over(N, 3.0), I32, counts=False)
    assert found is not None
    assert [evaluate(found, {N: n}) for n in range(-7, 8)] == [int(Fraction(n, 3)) for n in range(-7, 8)]


@pytest.mark.parametrize(
    "value",
    [
        call("ceil", (call("sqrt", (cast(SIZE.term, F64),), F64),), F64),
        binary("mul", cast(SIZE.term, F64), const(0.1, F64), F64),
        Symbol(SymbolKind.PARAM, "scale", F32).term,
        binary("div", cast(SIZE.term, F64), cast(N.term, F64), F64),
    ],
    ids=["root", "a tenth", "float argument", "may be divided by zero"],
)
def test_others_stay_as_they_are(value: Term) -> None:
    assert whole(value, I32, counts=False) is None


def test_a_whole_number_to_which_a_part_of_one_is_added() -> None:
    rounded = binary("add", cast(SIZE.term, F32), const(0.5, F32), F32)
    assert whole(rounded, I32, counts=False) == SIZE.term
    up = whole(call("ceil", (binary("sub", cast(N.term, F32), const(0.5, F32), F32),), F32), I32, counts=False)
    assert up == N.term
    assert whole(binary("add", cast(N.term, F32), const(0.5, F32), F32), I32, counts=False) is None


def test_comparisons() -> None:
    bound = call("ceil", (over(SIZE, 32.0),), F64)
    found = compared("lt", cast(N.term, F64), bound)
    assert found is not None and found.type == BOOL
    assert [evaluate(found, {N: 2, SIZE: n}) for n in (64, 65)] == [0, 1]
    halves = compared("le", cast(N.term, F32), binary("div", cast(SIZE.term, F32), const(2.0, F32), F32))
    assert halves is not None
    assert [evaluate(halves, {N: n, SIZE: 5}) for n in (2, 3)] == [1, 0]
