"""Intervals must hold every value that exhaustive evaluation finds."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from kernlint.symbolic.evaluate import compile_terms, evaluate
from kernlint.symbolic.intervals import Ranges, interval, may_wrap, refine
from kernlint.symbolic.terms import THREAD, Symbol, SymbolKind, Term, binary, cast, const, select
from kernlint.tree.types import BOOL, I32, I64, U32
from tests.symbolic.test_evaluate import X, Y, Z, terms

N = Symbol(SymbolKind.PARAM, "n", I32)
U = Symbol(SymbolKind.PARAM, "u", U32)


def within(low: int, high: int):  # type: ignore[no-untyped-def]
    return lambda symbol: (low, high)


@given(terms(), st.integers(-128, 127), st.integers(-128, 127), st.data())
@settings(max_examples=400, deadline=None)
def test_every_value_lies_within(term: Term, one: int, two: int, data: st.DataObject) -> None:
    low, high = min(one, two), max(one, two)
    ranges = Ranges(lambda symbol: (low, high))
    bottom, top = ranges.of(term)
    assert bottom is not None and top is not None and bottom <= top
    function = compile_terms([term], [X, Y, Z], fits=ranges.fits)
    for _ in range(8):
        env = {
            s: data.draw(st.integers(max(low, least), max(min(high, most), max(low, least))))
            for s, least, most in ((X, -128, 127), (Y, 0, 255), (Z, 0, 65535))
        }
        if any(not low <= value <= high for value in env.values()):
            return
        value = evaluate(term, env)
        if value is None:
            continue
        assert bottom <= value <= top
        if function is not None:
            result = function(*env.values())
            assert result is None or int(result[0]) == value


def test_wrapping_gives_the_whole_type() -> None:
    below = binary("sub", U.term, const(1, U32), U32)
    assert interval(below) == (0, 0xFFFFFFFF)
    assert interval(below, within(1, 9)) in ((0, 8), (0, 0xFFFFFFFF))
    assert may_wrap(binary("add", N.term, const(1, I32), I32))
    assert not may_wrap(binary("add", N.term, const(1, I32), I32), within(0, 100))
    assert interval(binary("mul", N.term, const(4, I32), I32), within(0, 100)) == (0, 400)
    assert interval(binary("mul", N.term, const(4, I32), I32)) == (I32.low, I32.high)


def test_a_product_computed_too_narrow_wraps_before_it_is_widened() -> None:
    narrow = cast(binary("mul", N.term, N.term, I32), I64)
    assert may_wrap(narrow, within(0, 50_000))
    wide = binary("mul", cast(N.term, I64), cast(N.term, I64), I64)
    assert not may_wrap(wide, within(0, 50_000))


def test_guards_narrow() -> None:
    tid = cast(THREAD[0].term, I32)
    guard = binary("lt", tid, const(32, I32), BOOL)
    bounds = refine([guard])
    assert bounds(THREAD[0]) == (0, 31)
    assert interval(binary("add", tid, const(1, I32), I32), bounds) == (1, 32)
    chained = refine([binary("lt", N.term, cast(THREAD[0].term, I32), BOOL), guard])
    assert chained(N) == (None, 30)
    shifted = refine([binary("lt", binary("add", tid, const(1, I32), I32), const(32, I32), BOOL)])
    assert shifted(THREAD[0]) == (0, 30)
    assert refine([binary("eq", tid, const(0, I32), BOOL)])(THREAD[0]) == (0, 0)
    assert refine([binary("ne", tid, const(0, I32), BOOL)])(THREAD[0]) == (1, 1023)
    assert refine([binary("le", const(5, I32), tid, BOOL)])(THREAD[0]) == (5, 1023)


def test_masks_shifts_and_quotients() -> None:
    tid = cast(THREAD[0].term, I32)
    assert interval(binary("and", tid, const(31, I32), I32)) == (0, 31)
    assert interval(binary("shr", tid, const(5, I32), I32)) == (0, 31)
    assert interval(binary("div", tid, const(32, I32), I32)) == (0, 31)
    assert interval(binary("mod", tid, const(7, I32), I32)) == (0, 6)
    assert interval(binary("mod", N.term, const(7, I32), I32)) == (-6, 6)
    assert interval(binary("xor", tid, const(1, I32), I32)) == (0, 1023)
    clamped = binary("min", tid, const(15, I32), I32)
    assert interval(clamped) == (0, 15)
    chosen = select(binary("lt", tid, const(4, I32), BOOL), tid, const(4, I32))
    assert interval(chosen) == (0, 1023)


def test_one_less_of_an_unsigned_value() -> None:
    below = binary("sub", U.term, const(1, U32), U32)
    assert interval(below, within(1, 9)) == (0, 8)
    assert not may_wrap(below, within(1, 9))
    assert may_wrap(below, within(0, 9))
    ranges = Ranges(within(1, 9))
    function = compile_terms([below], [U], fits=ranges.fits)
    assert function is not None
    assert function(1) == (0,)
    assert repr(below) == "u - 1"
