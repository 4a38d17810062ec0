"""Folding, substitution, negation and the polynomial form agree with evaluation; terms read as C does."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.intervals import Ranges
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.show import FROM_HEADER, show, words
from kernlint.symbolic.terms import (
    FALSE,
    MAX_SIZE,
    TRUE,
    Symbol,
    SymbolKind,
    Term,
    Uniformity,
    binary,
    call,
    cast,
    conjunction,
    const,
    disjunction,
    negate,
    negative,
    select,
    substitute,
    symbols,
    truth,
    unknown,
)
from kernlint.tree.types import BOOL, F32, I8, I32, U8, U32, U64
from tests.symbolic.test_evaluate import X, Y, Z, terms

N = Symbol(SymbolKind.PARAM, "n", I32)
M = Symbol(SymbolKind.PARAM, "m", I32)
VALUES = {X: st.integers(-128, 127), Y: st.integers(0, 255), Z: st.integers(0, 65535)}


@given(terms(), st.fixed_dictionaries(VALUES))
@settings(max_examples=300, deadline=None)
def test_folding_keeps_the_value(term: Term, env: dict[Symbol, int]) -> None:
    expected = evaluate(term, env)
    folded = substitute(term, {symbol: const(value, symbol.type) for symbol, value in env.items()})
    if expected is not None:
        assert folded.type == term.type
        assert evaluate(folded, {}) == expected


@given(terms(), st.fixed_dictionaries(VALUES))
@settings(max_examples=200, deadline=None)
def test_negation_is_the_opposite(term: Term, env: dict[Symbol, int]) -> None:
    value = evaluate(truth(term), env)
    opposite = evaluate(negate(truth(term)), env)
    if value is not None and opposite is not None:
        assert bool(value) != bool(opposite)


@given(terms(), st.fixed_dictionaries(VALUES))
@settings(max_examples=300, deadline=None)
def test_polynomials_agree_where_nothing_wraps(term: Term, env: dict[Symbol, int]) -> None:
    ranges = Ranges(lambda symbol: (env[symbol], env[symbol]))
    value = evaluate(term, env)
    if value is None or any(ranges.wraps(part) for part in parts(term)):
        return
    total = 0
    for mono, factor in polynomial(term).coefficients.items():
        for atom in mono:
            atom_value = evaluate(atom, env)
            if atom_value is None:
                return
            factor *= atom_value
        total += factor
    kind = term.type
    assert total == value or (kind.wrap(total) == value and downward(term))  # type: ignore[attr-defined]


def parts(term: Term) -> list[Term]:
    return [term, *(part for arg in term.terms for part in parts(arg))]


def downward(term: Term) -> bool:
    """Whether ``term`` holds ``x - 1`` of an unsigned x, which is kept as a sum with a great constant."""
    return any(part.op == "add" and part.args[1].op == "const" and part.type.low == 0 for part in parts(term))  # type: ignore[attr-defined]


def test_polynomials_cancel() -> None:
    n, m = N.term, M.term
    square = binary("mul", binary("add", n, m, I32), binary("sub", n, m, I32), I32)
    direct = binary("sub", binary("mul", n, n, I32), binary("mul", m, m, I32), I32)
    assert polynomial(square) == polynomial(direct)
    assert polynomial(binary("shl", n, const(3, I32), I32)) == polynomial(binary("mul", n, const(8, I32), I32))
    quotient = binary("div", n, m, I32)
    assert polynomial(binary("sub", quotient, quotient, I32)).constant == 0
    assert polynomial(direct).coefficient(N) is None
    assert polynomial(binary("mul", n, m, I32)).coefficient(N) == polynomial(m)


def test_identities() -> None:
    n = N.term
    assert binary("mul", n, const(0, I32), I32) == const(0, I32)
    assert binary("add", binary("add", n, const(2, I32), I32), const(3, I32), I32).args[1].value == 5
    assert binary("sub", n, n, I32) == const(0, I32)
    assert binary("lt", n, n, BOOL) == FALSE and binary("le", n, n, BOOL) == TRUE
    assert conjunction(TRUE, truth(n)) == truth(n) and disjunction(TRUE, truth(n)) == TRUE
    assert select(truth(n), n, n) is n
    assert negate(negate(truth(n))) == truth(n)
    assert cast(cast(cast(X.term, I32), U64), I32) != X.term
    assert cast(cast(X.term, I32), I8) == X.term


@pytest.mark.parametrize("count", [-1, 32, 1 << 40])
@pytest.mark.parametrize("op", ["shl", "shr"])
def test_a_shift_by_the_width_or_less_than_nothing_is_anything(op: str, count: int) -> None:
    for shifted in (const(1, I32), X.term):
        term = binary(op, shifted, const(count, U64 if count > 0 else I32), I32)
        assert term.value is None and polynomial(term).coefficients
        assert term.symbol is not None
        assert term.symbol.uniformity is (shifted.symbol.uniformity if shifted.symbol else Uniformity.GRID)


def test_a_float_comparison_is_not_turned_round() -> None:
    x = Symbol(SymbolKind.PARAM, "x", F32).term
    below = binary("lt", x, const(0, F32), BOOL)
    assert negate(below).op == "lnot"  # for a NaN both x < 0 and x >= 0 are false


def test_large_terms_become_unknown() -> None:
    term = unknown("start", I32, Uniformity.BLOCK)
    while term.op == "add" or term.size == 1:
        term = binary("add", term, N.term, I32)
        if term.symbol is not None:
            break
    assert term.symbol is not None and term.symbol.reason == "expression too large"
    assert term.symbol.uniformity == Uniformity.VARYING  # n's own
    assert term.size <= MAX_SIZE


def test_symbols_in_order() -> None:
    term = binary("add", binary("mul", N.term, M.term, I32), N.term, I32)
    assert list(symbols(term)) == [N, M]


def test_reads_like_c() -> None:
    n, m = N.term, M.term
    total = binary("add", n, m, I32)
    assert repr(binary("mul", total, const(4, I32), I32)) == "(n + m) * 4"
    assert repr(binary("add", n, const(-1, I32), I32)) == "n - 1"
    assert repr(binary("sub", n, binary("sub", n, m, I32), I32)) == "n - (n - m)"
    assert repr(select(binary("lt", n, m, BOOL), n, m)) == "n < m ? n : m"
    assert repr(cast(n, U8)) == "n"
    assert repr(cast(n, F32)) == "f32(n)"
    assert repr(call("f", (n, m), I32)) == "f(n, m)"
    assert repr(negative(total, I32)) == "-(n + m)"
    assert repr(binary("sub", cast(n, U32), const(1, U32), U32)) == "n - 1"


def test_messages_name_what_the_source_names() -> None:
    def both(reason: str) -> str:
        return words(binary("add", unknown(reason, I32), const(1, I32), I32))

    assert both(f"ROWS{FROM_HEADER}") == "ROWS + 1"
    assert both("expression too large") == "... + 1"
    assert show(unknown("expression too large", I32)) == "?expression too large"


def test_a_comparison_of_a_choice_with_a_number_says_what_decides_it():
    outside = binary("lt", N.term, M.term, BOOL)
    flag = select(outside, const(0, I32), const(1, I32))
    assert binary("ne", flag, const(0, I32), BOOL) == negate(outside)
    assert binary("eq", const(0, I32), flag, BOOL) == outside
    place = select(outside, const(-1, I32), N.term)
    inside = binary("le", const(0, I32), N.term, BOOL)
    assert binary("le", const(0, I32), place, BOOL) == conjunction(negate(outside), inside)
    assert binary("lt", place, const(0, I32), BOOL) == disjunction(outside, binary("lt", N.term, const(0, I32), BOOL))
    assert binary("lt", place, M.term, BOOL).op == "lt"


@given(st.data())
def test_folded_choices_are_worth_the_same(data):
    ways = [data.draw(st.one_of(terms(), st.integers(-3, 3).map(lambda value: const(value, I32)))) for _ in range(2)]
    cond = truth(data.draw(terms()))
    choice = select(cond, cast(ways[0], I32), cast(ways[1], I32), I32)
    op, value = data.draw(st.sampled_from(["lt", "le", "eq", "ne"])), data.draw(st.integers(-3, 3))
    env = {symbol: data.draw(st.sampled_from(range(-3, 4))) % 128 for symbol in (X, Y, Z)}
    taken = evaluate(choice, env)
    folded = evaluate(binary(op, choice, const(value, I32), BOOL), env)
    if taken is not None and folded is not None:
        assert folded == {"lt": taken < value, "le": taken <= value, "eq": taken == value, "ne": taken != value}[op]
