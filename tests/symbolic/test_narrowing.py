"""Ranges that facts leave: no solution may be lost, and what hosts write is understood backwards."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernlint.symbolic.apart import apart
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.intervals import Ranges, may_wrap
from kernlint.symbolic.narrowing import MANY, Contradiction, Narrowing, narrowed, told
from kernlint.symbolic.terms import (
    Symbol,
    SymbolKind,
    Term,
    binary,
    call,
    cast,
    conjunction,
    const,
    disjunction,
    negate,
    select,
    substitute,
    subterms,
    truth,
)
from kernlint.tree.types import BOOL, I32, I64, U32, IntType
from tests.symbolic.test_evaluate import X, Y, Z, terms

N = Symbol(SymbolKind.PARAM, "n", I32)
SIZE = Symbol(SymbolKind.PARAM, "size", U32)
GRID = Symbol(SymbolKind.GRID_DIM, "grid", U32, low=1)


def contradict(facts: tuple[Term, ...], known: dict[Symbol, int]) -> bool:
    return narrowed(facts, known) is None


def number(value: int) -> Term:
    return const(value, I32)


def equal(symbol: Symbol, value: Term) -> Term:
    return binary("eq", symbol.term, cast(value, symbol.type), BOOL)


def ambiguous(term: Term) -> bool:
    """Whether some unsigned sum may be meant as a difference: it is read as one."""
    return any(
        at.op == "add"
        and isinstance(at.type, IntType)
        and not at.type.signed
        and any(arg.value is not None and arg.value >> (at.type.bits - 1) for arg in at.args)
        for at in subterms(term)
    )


@given(terms(), terms(), st.sampled_from(("lt", "le", "eq", "ne")), st.data())
@settings(max_examples=600, deadline=None)
def test_no_solution_is_lost(one: Term, two: Term, op: str, data: st.DataObject) -> None:
    env = {X: data.draw(st.integers(-128, 127)), Y: data.draw(st.integers(0, 255)), Z: data.draw(st.integers(0, 65535))}
    fact = binary(op, cast(one, I64), cast(two, I64), BOOL)
    value = evaluate(fact, env)
    if value is None or may_wrap(fact, lambda symbol: (env[symbol], env[symbol])) or ambiguous(fact):
        return
    holds = fact if value else negate(fact)
    known = {symbol: env[symbol] for symbol in data.draw(st.sets(st.sampled_from((X, Y, Z))))}
    for facts in ((holds,), (conjunction(holds, truth(const(1, BOOL))),), (disjunction(holds, negate(holds)),)):
        found = narrowed(facts, known)
        assert found is not None
        for symbol, drawn in env.items():
            low, high = found.of(symbol.term)
            assert low <= drawn <= high


def ceiling(count: Term, unit: int) -> Term:
    return binary("div", binary("add", count, number(unit - 1), I32), number(unit), I32)


def test_a_rounded_quotient_is_read_backwards() -> None:
    found = narrowed((equal(GRID, ceiling(N.term, 256)),), {GRID: 4})
    assert found is not None and found.of(N.term) == (769, 1024)


@pytest.mark.parametrize(("size", "possible"), [(256, True), (96, True), (100, False), (512, False), (0, False)])
def test_whole_warps_up_to_a_limit(size: int, possible: bool) -> None:
    wanted = binary("mul", ceiling(N.term, 32), number(32), I32)
    clamped = binary("min", binary("max", wanted, number(32), I32), number(256), I32)
    assert contradict((equal(SIZE, clamped),), {SIZE: size}) is not possible


@pytest.mark.parametrize(("value", "possible"), [(8, True), (12, True), (13, False), (-4, False), (4096, False)])
def test_checks_before_a_launch(value: int, possible: bool) -> None:
    refused = binary("ne", binary("mod", N.term, number(4), I32), number(0), BOOL)
    for test in (binary("le", N.term, number(0), BOOL), binary("lt", number(1024), N.term, BOOL)):
        refused = disjunction(refused, test)
    assert contradict((negate(refused), equal(SIZE, N.term)), {N: value}) is not possible


def test_a_choice_tells_its_condition() -> None:
    small = binary("lt", N.term, number(100), BOOL)
    chosen = select(small, number(64), number(256))
    found = narrowed((equal(SIZE, chosen),), {SIZE: 256})
    assert found is not None and found.of(N.term)[0] == 100


def test_host_code_that_overflows_says_nothing() -> None:
    wide = binary("mul", SIZE.term, const(1 << 31, U32), U32)
    assert narrowed((binary("eq", wide, const(0, U32), BOOL),), {SIZE: 2}) is not None


def test_what_was_computed_of_shared_parts_follows_what_is_learned_later() -> None:
    total: Term = N.term
    for _ in range(3):
        more = binary("add", total, const(1, I32), I32)
        total = binary("min", more, binary("mul", more, const(2, I32), I32), I32)
    facts = [binary("le", total, const(100, I32), BOOL), binary("eq", N.term, const(7, I32), BOOL)]
    ranges = narrowed(facts, {})
    assert ranges is not None
    assert ranges.of(total) == (10, 10)
    assert narrowed([*facts, binary("le", total, const(9, I32), BOOL)], {}) is None


def test_what_is_told_later_narrows_as_if_it_was_known_before() -> None:
    blocks = binary("div", binary("add", N.term, number(255), I32), number(256), I32)
    facts = (equal(GRID, blocks), binary("lt", SIZE.term, const(100, U32), BOOL))
    before = narrowed(facts, {})
    assert before is not None
    for value in (1, 4, 1000):
        after, whole = told(before, {GRID: value}), narrowed(facts, {GRID: value})
        assert after is not None and whole is not None
        assert all(after.of(s.term) == whole.of(s.term) for s in (N, SIZE, GRID))
    assert before.of(GRID.term) == narrowed(facts, {}).of(GRID.term)  # type: ignore[union-attr]  # it stays as it was
    few = binary("lt", N.term, number(257), BOOL)
    assert told(before, {GRID: 2}, (few,)) is None
    one = told(before, {}, (few,))
    assert one is not None and one.of(GRID.term)[1] == 1


@given(terms(), terms(), st.sampled_from(("lt", "le", "eq", "ne")), st.integers(-128, 127), st.integers(0, 255))
@settings(max_examples=300, deadline=None)
def test_no_order_of_telling_says_more(one: Term, two: Term, op: str, x: int, y: int) -> None:
    facts = (binary(op, cast(one, I64), cast(two, I64), BOOL), binary("le", cast(two, I64), cast(one, I64), BOOL))
    before = narrowed(facts, {})
    at_once, later = narrowed(facts, {X: x, Y: y}), None if before is None else told(before, {X: x, Y: y})
    if at_once is not None and later is not None:
        env = {X: x, Y: y}
        assert all(later.of(s.term) == (env[s], env[s]) == at_once.of(s.term) for s in (X, Y) if s in env)


def test_what_is_told_later_reaches_what_calls_return() -> None:
    count = call("count", (), I32)
    facts = (equal(SIZE, binary("min", number(1024), count, I32)), equal(N, count))
    before = narrowed(facts, {})
    after = None if before is None else told(before, {SIZE: 96})
    assert after is not None and after.of(N.term) == (96, 96)


OTHERS = [{one: Symbol(SymbolKind.PARAM, f"{one.name}{at}", one.type) for one in (X, Y, Z)} for at in range(5)]


@given(st.lists(terms(depth=2), min_size=MANY, max_size=2 * MANY), st.data())
@settings(max_examples=60, deadline=None)
def test_facts_that_have_nothing_in_common_are_looked_at_by_themselves(some: list[Term], data: st.DataObject) -> None:
    place = st.sampled_from(OTHERS)
    facts = tuple(truth(substitute(term, {one: data.draw(place)[one].term for one in (X, Y, Z)})) for term in some)
    groups = apart(facts)
    assert sorted(map(id, facts)) == sorted(id(fact) for group in groups for fact in group)
    used = [{symbol for fact in group for symbol in fact.symbols} for group in groups]
    assert all(one is other or one.isdisjoint(other) for one in used for other in used)
    together: Narrowing | None
    try:
        together = Narrowing(facts, {})
    except Contradiction:
        together = None
    found = narrowed(facts, {})
    assert (found is None) == (together is None)
    if found is not None and together is not None:
        for term in facts:
            for part in subterms(term):
                assert found.of(part) == together.of(part)


def test_checks_that_pile_up_are_looked_at_once() -> None:
    """Every call of a host function is checked for errors: that costs each launch nothing anew."""
    errors = [Symbol(SymbolKind.UNKNOWN, f"error{at}", I32) for at in range(300)]
    facts = [binary("eq", error.term, const(0, I32), BOOL) for error in errors]
    narrowed(facts, {})
    made = 0

    def counted(self: Narrowing, some: tuple[Term, ...], known: Mapping[Symbol, int]) -> None:
        nonlocal made
        made += len(some)
        init(self, some, known)

    init = Narrowing.__init__
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Narrowing, "__init__", counted)
        for more in range(20):
            size = binary("lt", N.term, const(more + 5, I32), BOOL)
            ranges = narrowed((*facts, size), {})
            assert ranges is not None and ranges.of(N.term)[1] == more + 4
            assert ranges.of(errors[7].term) == (0, 0)
    assert made == 20


def test_zeros_in_front_are_the_fewer_the_larger_the_number_is() -> None:
    zeros = call("clz", (N.term,), I32)
    sized = [binary("le", const(4, I32), N.term, BOOL), binary("le", N.term, const(32, I32), BOOL)]
    ranges = narrowed(tuple(sized), {})
    assert ranges is not None and ranges.of(zeros) == (26, 29)
    one = narrowed((), {N: 32})
    assert one is not None and one.of(zeros) == (26, 26)
    assert Ranges(lambda symbol: (4, 32)).of(zeros) == (26, 29)
    assert Ranges(lambda symbol: (-1, 32)).of(zeros) == (0, 32)
