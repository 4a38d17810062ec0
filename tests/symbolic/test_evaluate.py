"""Evaluation one by one and compiled must agree with each other and with two's complement arithmetic."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from kernlint.symbolic.evaluate import compile_terms, evaluate, with_shared_parts
from kernlint.symbolic.terms import (
    FALSE,
    SHIFTED_OUT,
    Symbol,
    SymbolKind,
    Term,
    binary,
    call,
    cast,
    complement,
    conjunction,
    const,
    disjunction,
    negate,
    negative,
    select,
    truth,
    unknown,
)
from kernlint.tree.types import BOOL, F32, I8, I16, I32, U8, U16, U32, IntType

X = Symbol(SymbolKind.PARAM, "x", I8)
Y = Symbol(SymbolKind.PARAM, "y", U8)
Z = Symbol(SymbolKind.PARAM, "z", U16)
TYPES = st.sampled_from([I8, U8, I16, U16])
ARITHMETIC = ("add", "sub", "mul", "div", "mod", "shl", "shr", "and", "or", "xor", "min", "max")
COMPARISONS = ("lt", "le", "eq", "ne")


@st.composite
def terms(draw: st.DrawFn, depth: int = 4) -> Term:
    """Random integer terms of 8 and 16 bits over X, Y, Z."""
    if depth == 0 or draw(st.integers(0, 5)) == 0:
        leaf = draw(st.sampled_from([X.term, Y.term, Z.term, None]))
        return leaf if leaf is not None else const(draw(st.integers(-9, 300)), draw(TYPES))
    kind: IntType = draw(TYPES)
    shape = draw(st.integers(0, 7))
    a = draw(terms(depth=depth - 1))
    if shape == 0:
        return cast(a, kind)
    if shape == 1:
        return draw(st.sampled_from([negative, complement]))(cast(a, kind), kind)
    b = draw(terms(depth=depth - 1))
    if shape == 2:
        return select(truth(a), cast(b, kind), cast(draw(terms(depth=depth - 1)), kind), kind)
    if shape == 3:
        return cast(draw(st.sampled_from([conjunction, disjunction]))(truth(a), negate(truth(b))), kind)
    if shape == 4:
        return binary(draw(st.sampled_from(COMPARISONS)), cast(a, kind), cast(b, kind), BOOL)
    made = binary(draw(st.sampled_from(ARITHMETIC)), cast(a, kind), cast(b, kind), kind)
    return cast(a, kind) if made.symbol is not None and made.symbol.reason == SHIFTED_OUT else made


@given(terms(), st.integers(-128, 127), st.integers(0, 255), st.integers(0, 65535))
@settings(max_examples=400, deadline=None)
def test_compiled_code_agrees(term: Term, x: int, y: int, z: int) -> None:
    expected = evaluate(term, {X: x, Y: y, Z: z})
    function = compile_terms([term], [X, Y, Z])
    assert function is not None
    result = function(x, y, z)
    if result is None and expected is not None:  # decided by the right side of `undefined && 0`
        assert repr_ops(term) & {"land", "lor"} and repr_ops(term) & {"div", "mod", "shl", "shr"}
    else:
        assert (None if result is None else int(result[0])) == expected
    if expected is not None:
        assert isinstance(term.type, IntType)
        assert term.type.low <= expected <= term.type.high


def repr_ops(term: Term) -> set[str]:
    return {term.op}.union(*(repr_ops(arg) for arg in term.terms))


def test_wraps_as_the_type_says() -> None:
    n = Symbol(SymbolKind.PARAM, "n", U32).term
    below = binary("sub", n, const(1, U32), U32)
    assert evaluate(below, {n.args[0]: 0}) == 0xFFFFFFFF
    m = Symbol(SymbolKind.PARAM, "m", I32).term
    square = binary("mul", m, m, I32)
    assert evaluate(square, {m.args[0]: 65536}) == 0
    assert evaluate(square, {m.args[0]: 46341}) == -2147479015
    assert evaluate(cast(m, U8), {m.args[0]: 257}) == 1


def test_division_goes_towards_zero_and_zero_is_undefined() -> None:
    quotient = binary("div", X.term, cast(Y.term, I8), I8)
    rest = binary("mod", X.term, cast(Y.term, I8), I8)
    assert evaluate(quotient, {X: -7, Y: 2}) == -3
    assert evaluate(rest, {X: -7, Y: 2}) == -1
    assert evaluate(quotient, {X: 1, Y: 0}) is None
    function = compile_terms([quotient, rest], [X, Y])
    assert function is not None
    assert function(-7, 2) == (-3, -1)
    assert function(1, 0) is None


def test_what_is_skipped_need_not_be_known() -> None:
    mystery = truth(unknown("what", I32))
    assert evaluate(conjunction(truth(X.term), mystery), {X: 0}) == 0
    assert evaluate(conjunction(mystery, truth(X.term)), {X: 0}) == 0
    assert evaluate(disjunction(mystery, truth(X.term)), {X: 1}) == 1
    assert evaluate(disjunction(mystery, truth(X.term)), {X: 0}) is None
    safe = conjunction(truth(Y.term), binary("lt", const(1, U8), binary("div", const(9, U8), Y.term, U8), BOOL))
    assert evaluate(safe, {Y: 0}) == 0
    function = compile_terms([safe], [Y])
    assert function is not None
    assert [int(bool((function(y) or (9,))[0])) for y in (0, 1, 9)] == [0, 1, 0]


def test_floats_and_strangers_have_no_value() -> None:
    real = Symbol(SymbolKind.PARAM, "f", F32).term
    assert evaluate(cast(real, I32), {}) is None
    assert compile_terms([cast(real, I32)], [X]) is None
    assert compile_terms([X.term], []) is None
    assert evaluate(X.term, {}) is None
    assert evaluate(call("mystery", (X.term,), I32), {X: 1}) is None


def test_bit_functions() -> None:
    assert evaluate(call("popcount", (cast(X.term, I32),), I32), {X: -1}) == 32
    assert evaluate(call("clz", (X.term,), I8), {X: 1}) == 7
    assert evaluate(call("ffs", (cast(X.term, I32),), I32), {X: 8}) == 4
    assert evaluate(call("bitreverse", (cast(Y.term, U32),), U32), {Y: 1}) == 1 << 31
    assert evaluate(call("abs", (X.term,), I8), {X: -128}) == -128


def test_a_bool_term_is_zero_or_one() -> None:
    assert evaluate(FALSE, {}) == 0
    assert evaluate(cast(Z.term, BOOL), {Z: 256}) == 1


def test_deep_terms_have_values_though_no_code() -> None:
    deep = Y.term
    for step in range(95):
        deep = binary("xor", binary("add", deep, Y.term, U8), const(step, U8), U8)
    value = evaluate(deep, {Y: 3})
    function = compile_terms([deep], [Y])
    assert value is not None
    assert function is None or function(3) == (value,)


def test_shared_parts_of_generated_code() -> None:
    long = "((k0 * 4000000000 + 2147483648 & 4294967295) - 2147483648)"
    lines = [
        "for k0 in range(9):",
        f"  if not (0 < {long}): break",
        f"  if not (tx < {long}): continue",
        f"  f({long})",
    ]
    made = with_shared_parts(lines)
    assert "\n".join(made).count(long) == 1 and made[1].endswith(f"= {long}") and len(made) == 5
    # what is not computed in any case, or remembers something for the rest of its expression, stays where it is
    for condition in (f"(0 < k0 and {long} < 5)", f"(0 < (_a0 := {long})) & (_a0 < 7)"):
        stays = [lines[0], f"  if not {condition}: break", f"  f({long}, {condition})"]
        first, *_ = with_shared_parts(stays)
        text = "\n".join(with_shared_parts(stays))
        assert first == stays[0]
        compile(text, "", "exec")
        if "and" in condition:
            assert text == "\n".join(stays)


def test_what_a_loop_leaves_as_it_is_comes_before_it() -> None:
    steady, failing = "((tx * 4000 + 17) % 32)", "((tx * 4000 + 17) % p0)"
    for part, moved in ((steady, True), (failing, False)):
        body = [f"      if not ({part} < k0): continue", f"      out.append(({part} + (k0 * 4)))"]
        lines = ["for tx in threads:", "    for k0 in range(25):", *body]
        made = with_shared_parts(["out = []", *lines])
        text = "\n".join(made)
        assert (text.count(part) == 1) is moved
        found = []
        for code in (made, ["out = []", *lines]):
            scope = {"threads": range(5), "p0": 7, "range": range}
            exec("\n".join(code), scope)
            found.append(scope["out"])
        assert found[0] == found[1] != []
