"""Closed forms of loop variables: what a variable is at iteration ``k``, from one symbolic iteration.

With ``phi`` the value at the head of the loop, ``step`` what one iteration makes of it and ``c`` invariant:

====================  =============================  ======================================
step                  value at iteration k           where
====================  =============================  ======================================
``phi + c``           ``init + c*k``
``phi << c``          ``init << (c*k)``              also ``phi * 2**c``
``phi >> c``          ``init >> (c*k)``              also ``phi / 2**c`` of an unsigned phi
``phi / 2**c``        ``init / (1 << c*k)``          signed: C's division towards zero
``phi ^ c``           ``init ^ (k & 1)*c``           double buffering
``c - phi``           ``k & 1 ? c - init : init``    double buffering
``!phi``              ``k & 1 ? !init : init``       double buffering; init is 0 or 1
``(phi + c) % m``     ``(init + c*k) % m``           0 <= init < m known
``phi+1==m ? 0 : ..`` ``(init + k) % m``             ring buffers; 0 <= init < m known
``phi - phi/2``       ``(init + 2**k - 1) / 2**k``   of a negative init: ``(init - 2**k + 1) / 2**k``; also
                                                     ``(phi + 1) / 2`` where init is not negative
``2*phi + c``         ``(init << k) + c*(2**k - 1)`` also ``2*phi | 1`` of an even ``2*phi``: masks of a tree
``phi + (c << k)``    ``init + c*(2**k - 1)``        ``k`` the loop's own counter: strides that double are added up
``phi | (c << k)``    ``init | c*(2**k - 1)``        ``c`` a power of two
``f(k)``              ``k ? f(k - 1) : init``        what an iteration makes of its number for the next one
====================  =============================  ======================================
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from kernlint.symbolic.intervals import interval
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import (
    Symbol,
    Term,
    binary,
    cast,
    const,
    is_one_bit,
    negate,
    negative,
    plain,
    select,
    substitute,
    symbols,
    truth,
)
from kernlint.tree.types import BOOL, I64, IntType


def closed_form(phi: Symbol, step: Term, counter: Term, serial: int) -> Term | None:
    """Value of ``phi`` at iteration ``counter`` (an i64 term), or None.

    ``serial``: symbols with a greater one belong to the loop and are not invariant.
    """
    init, type_ = phi.init, phi.type
    if init is None or not isinstance(type_, IntType):
        return None

    def invariant(term: Term) -> bool:
        return all(symbol.serial <= serial and symbol not in counting for symbol in symbols(term))

    counting = counter.symbols
    k = cast(counter, type_)
    body = _strip(step, type_)
    if body == phi.term or body == init:
        return init
    if _negation(body) == phi.term and (type_.bits == 1 or init.value in (0, 1)):
        odd = binary("eq", binary("and", counter, const(1), counter.type), const(1), BOOL)
        return select(odd, cast(negate(truth(init)), type_), init, type_)
    larger = _larger_half(body, phi.term, init, counter, type_)
    if larger is not None:
        return larger
    affine = _increment(body, phi, invariant)
    if affine is not None:
        return binary("add", init, binary("mul", cast(affine, type_), k, type_), type_)
    if body.op in ("mul", "div", "shl", "shr", "xor", "mod", "sub") and len(body.args) == 2:
        left, right = _strip(body.args[0], type_), body.args[1]
        if body.op == "sub" and _strip(right, type_) == phi.term and invariant(left):
            odd = binary("eq", binary("and", counter, const(1), counter.type), const(1), BOOL)
            return select(odd, binary("sub", cast(left, type_), init, type_), init, type_)
        if body.op == "mod" and invariant(right):
            inner = _increment(left, phi, invariant)
            if inner is not None and _below(init, right):
                total = binary("add", init, binary("mul", cast(inner, type_), k, type_), type_)
                return binary("mod", total, cast(right, type_), type_)
        if left == phi.term and invariant(right):
            return _geometric(body.op, init, right, k, counter, type_)
    doubling = _doubling(body, phi, init, k, counter, type_, invariant)
    ring = doubling if doubling is not None else _ring(body, phi, init, k, type_, invariant)
    return ring if ring is not None else _one_behind(step, phi, init, counter, serial)


def ring_of(first: Symbol, loop: object) -> list[Symbol]:
    """``first`` and the variables whose values come to it one iteration after the other, until its own is back; none
    where it gets another."""
    ring = [first]
    while len(ring) <= RING:
        after = ring[-1].step.symbol if ring[-1].step is not None else None
        if after is None or after.origin is not loop or after.init is None or after.type != first.type:
            return []
        if after is first:
            return ring if len(ring) > 1 else []
        ring.append(after)
    return []


RING = 8
"""Variables, at most, that pass on their values in a ring."""


def in_turn(begins: tuple[Term, ...], at: int, counter: Term, phi: Symbol) -> Term:
    """The value at iteration ``counter`` of the ``at``-th of variables that begin with ``begins`` and each take the
    next one's value, the last one the first's."""
    kind, many = phi.type, len(begins)
    turn = binary("mod", binary("add", counter, const(at, counter.type), counter.type), const(many, counter.type), I64)
    if many == 2:
        odd = binary("eq", binary("and", counter, const(1), I64), const(1), BOOL)
        return select(odd, begins[1 - at], begins[at], kind)
    apart = [(polynomial(b) - polynomial(a)).constant for a, b in pairwise(begins)]
    if apart[0] is not None and len(set(apart)) == 1 and isinstance(kind, IntType):
        moved = binary("mul", cast(turn, kind), const(apart[0], kind), kind)
        return binary("add", begins[0], moved, kind)
    form = begins[-1]
    for number, begin in reversed(list(enumerate(begins[:-1]))):
        form = select(binary("eq", turn, const(number, counter.type), BOOL), begin, form, kind)
    return form


def _one_behind(step: Term, phi: Symbol, init: Term, counter: Term, serial: int) -> Term | None:
    """What each iteration makes of its number alone, and the next one uses."""
    number = counter.symbol
    if number is None or number not in step.symbols:
        return None
    if any(symbol is not number and symbol.serial > serial for symbol in step.symbols):
        return None
    before = substitute(step, {number: binary("sub", counter, const(1), counter.type)})
    return select(binary("eq", counter, const(0, counter.type), BOOL), init, cast(before, phi.type), phi.type)


def _doubling(
    body: Term, phi: Symbol, init: Term, k: Term, counter: Term, type_: IntType, invariant: Callable[[Term], bool]
) -> Term | None:
    """Sums and unions of what doubles with each iteration, and twice the value and something."""
    if body.op not in ("add", "or"):
        return None
    grown = binary("sub", binary("shl", const(1, type_), k, type_), const(1, type_), type_)
    for mine, other in (body.args, reversed(body.args)):
        mine = _strip(mine, type_)
        if mine == phi.term:
            unit = _doubled(_strip(other, type_), counter, type_, invariant)
            if unit is not None and (body.op == "add" or is_one_bit(unit.value)):
                return binary(body.op, init, binary("mul", cast(unit, type_), grown, type_), type_)
        twice = (mine.op == "mul" and mine.args[1].value == 2) or (mine.op == "shl" and mine.args[1].value == 1)
        if twice and _strip(mine.args[0], type_) == phi.term and invariant(other):
            if body.op == "or" and other.value != 1:
                continue
            added = binary("mul", cast(other, type_), grown, type_)
            return binary("add", binary("shl", init, k, type_), added, type_)
    return None


def _larger_half(body: Term, phi: Term, init: Term, counter: Term, type_: IntType) -> Term | None:
    """What is left of a number of which the smaller half is taken away in each iteration: ``ceil(init / 2**k)``."""
    if body.op not in ("sub", "div", "shr"):
        return None
    low = interval(init)[0]
    positive = low is not None and low >= 0
    whole, half = (_strip(arg, type_) for arg in body.args) if body.op == "sub" else (phi, body)
    if whole != phi or half.op not in ("div", "shr") or half.args[1].value != (2 if half.op == "div" else 1):
        return None
    added = (polynomial(half.args[0]) - polynomial(phi)).constant
    if added != (0 if body.op == "sub" else 1) or (not positive and (half.op == "shr" or added)):
        return None
    first = cast(init, I64)
    power = binary("shl", const(1), counter, I64)
    less = binary("sub", power, const(1), I64)
    up = binary("div", binary("add", first, less, I64), power, I64)
    if not positive:
        down = binary("div", binary("sub", first, less, I64), power, I64)
        up = select(binary("lt", first, const(0), BOOL), down, up, I64)
    return cast(up, type_)


def _doubled(term: Term, counter: Term, type_: IntType, invariant: Callable[[Term], bool]) -> Term | None:
    """``c`` of ``c << k`` with ``c`` invariant and ``k`` the loop's counter, else None."""
    if term.op != "shl" or not invariant(term.args[0]):
        return None
    return term.args[0] if plain(term.args[1]) == plain(counter) else None


def _negation(term: Term) -> Term | None:
    """``x`` of ``!x``, else None."""
    term = plain(term)
    if term.op != "lnot" and not (term.op == "eq" and term.args[1].value == 0):
        return None
    inner: Term = term.args[0]
    while inner.op == "cast" or (inner.op == "ne" and inner.args[1].value == 0):
        inner = inner.args[0]
    return inner


def _geometric(op: str, init: Term, by: Term, k: Term, counter: Term, type_: IntType) -> Term | None:
    value = by.value
    if op == "xor":
        bit = cast(binary("and", counter, const(1), counter.type), type_)
        return binary("xor", init, binary("mul", cast(by, type_), bit, type_), type_)
    if op in ("mul", "div"):
        if value is None or value < 2 or value & (value - 1):
            return None
        bits = value.bit_length() - 1
        if op == "div" and type_.signed:
            power = binary("shl", const(1, type_), binary("mul", const(bits, type_), k, type_), type_)
            return binary("div", init, power, type_)
        op = "shl" if op == "mul" else "shr"
        return binary(op, init, binary("mul", const(bits, type_), k, type_), type_)
    if op in ("shl", "shr"):
        return binary(op, init, binary("mul", cast(by, type_), k, type_), type_)
    return None


def _ring(
    body: Term, phi: Symbol, init: Term, k: Term, type_: IntType, invariant: Callable[[Term], bool]
) -> Term | None:
    """``phi + 1 == m ? 0 : phi + 1`` and its mirror images."""
    if body.op != "select":
        return None
    cond, then, other = body.args
    then, other = _strip(then, type_), _strip(other, type_)
    if cond.op == "ne":
        then, other = other, then
    if cond.op not in ("eq", "ne") or then.value != 0:
        return None
    one = _increment(other, phi, invariant)
    if one is None or one.value != 1:
        return None
    for tested, bound in ((cond.args[0], cond.args[1]), (cond.args[1], cond.args[0])):
        if not invariant(bound):
            continue
        stripped = _strip(tested, type_)
        modulus = None
        if stripped == other:
            modulus = cast(bound, type_)
        elif stripped == phi.term:
            modulus = binary("add", cast(bound, type_), const(1, type_), type_)
        if modulus is not None and _below(init, modulus):
            return binary("mod", binary("add", init, k, type_), modulus, type_)
    return None


def _below(init: Term, modulus: Term) -> bool:
    """Whether ``0 <= init < modulus`` is plain to see (a modulus is at least 1)."""
    if init.value == 0:
        return True
    if init.value is not None and modulus.value is not None:
        return 0 <= init.value < modulus.value
    return init.op == "mod" and init.args[1] == modulus and isinstance(init.type, IntType) and not init.type.signed


def _strip(term: Term, type_: IntType) -> Term:
    """Without conversions that ``type_`` undoes: widening and narrowing back keeps ring operations."""
    while (
        term.op == "cast"
        and isinstance(term.type, IntType)
        and isinstance(term.args[0].type, IntType)
        and term.type.bits >= type_.bits
        and term.args[0].type.bits >= type_.bits
        and term.type.bits > 1
    ):
        term = term.args[0]
    return term


def _increment(term: Term, phi: Symbol, invariant: Callable[[Term], bool]) -> Term | None:
    """``c`` of ``phi + c`` with ``c`` invariant, else None.  Addition is modular, so conversions between
    integers of at least phi's width may be looked through."""
    type_ = phi.type
    assert isinstance(type_, IntType)
    rest: list[tuple[bool, Term]] = []
    found = 0
    stack = [(True, _strip(term, type_))]
    while stack:
        plus, at = stack.pop()
        if at == phi.term:
            found += 1 if plus else 2
        elif (at.op in ("add", "sub") and at != term) or at.op in ("add", "sub"):
            stack.append((plus, _strip(at.args[0], type_)))
            stack.append((plus == (at.op == "add"), _strip(at.args[1], type_)))
        else:
            rest.append((plus, at))
        if len(rest) > 16:
            return None
    if found != 1 or not all(invariant(at) for _, at in rest):
        return None
    total: Term = const(0, type_)
    for plus, at in rest:
        value = cast(at, type_)
        total = binary("add", total, value if plus else negative(value, type_), type_)
    return total
