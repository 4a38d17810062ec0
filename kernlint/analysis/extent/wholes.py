"""What comparisons in floating point say of the whole part of a number.

``y > -1.0f`` says ``(int)floorf(y) >= -1``, ``x + 1.0f < cols`` says ``(int)floorf(x) + 1 <= cols - 1``, and ``y <=
rows`` lets ``(int)y`` be ``rows``.  Numbers count as exact: what their precision makes of them is not asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.truths import Truth, truths
from kernlint.analysis.trace.events import Guard
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, number, polynomial
from kernlint.symbolic.terms import Term
from kernlint.tree.types import FloatType, IntType

_DOWN = frozenset({"floor", "floorf"})
_CUT = frozenset({"trunc", "truncf"})
_UP = frozenset({"ceil", "ceilf"})
_NEAR = frozenset({"round", "roundf", "rint", "rintf", "nearbyint", "nearbyintf"})


@dataclass(frozen=True, slots=True)
class _Sum:
    """``whole + rest + floating``: integers, a number, and what is neither."""

    whole: Polynomial
    rest: Fraction
    floating: Polynomial

    def plus(self, other: _Sum, factor: int = 1) -> _Sum:
        """This sum and ``factor`` times another."""
        return _Sum(
            self.whole + other.whole.scaled(factor),
            self.rest + factor * other.rest,
            self.floating + other.floating.scaled(factor),
        )


@lru_cache(maxsize=8192)
def _sum(term: Term) -> _Sum:
    nothing = number(0)
    if isinstance(term.value, int | float) and abs(term.value) < 1 << 31:
        return _Sum(nothing, Fraction(term.value), nothing)
    if term.op in ("add", "sub"):
        return _sum(term.args[0]).plus(_sum(term.args[1]), 1 if term.op == "add" else -1)
    if term.op == "neg":
        return _Sum(nothing, Fraction(0), nothing).plus(_sum(term.args[0]), -1)
    if term.op == "cast":
        inner = term.args[0]
        if isinstance(inner.type, IntType):
            return _Sum(polynomial(inner), Fraction(0), nothing)
        if isinstance(inner.type, FloatType):
            return _sum(inner)
    return _Sum(nothing, Fraction(0), Polynomial({(term,): 1}))


def whole_part(atom: Term) -> tuple[Term, bool] | None:
    """(number in floating point, whether it is rounded down) of a whole number that is made of it, rounded down or cut
    off, or otherwise by a call that is left there."""
    while atom.op == "cast" and isinstance(atom.type, IntType):
        atom = atom.args[0]
        if isinstance(atom.type, FloatType):
            name = atom.args[0] if atom.op == "call" else None
            return (atom.args[1] if name in _DOWN or name in _CUT else atom), name in _DOWN
    return None


def raised(atom: Term) -> Term | None:
    """What a whole number is rounded up from, or to the nearest: it may be less by a part of one."""
    found = whole_part(atom)
    return found[0].args[1] if found is not None and found[0].op == "call" and found[0].args[0] in _UP | _NEAR else None


def comparison(part: Term) -> tuple[Term, Term, bool] | None:
    """(smaller side, larger side, whether they may not be equal) of a truth in floating point."""
    turned = part.op == "lnot"
    inner = part.args[0] if turned else part
    if inner.op not in ("lt", "le") or not isinstance(inner.args[0].type, FloatType):
        return None
    left, right = inner.args
    strict = inner.op == "lt"
    return (right, left, not strict) if turned else (left, right, strict)


def _least(end: _Sum, strict: bool, down: bool, name: str) -> Polynomial:
    """What a whole part is no less than, of a number that is no less than ``end``, or ``strict``: more than it."""
    if name in _UP:
        return end.whole + number(floor(end.rest) + 1 if strict else ceil(end.rest))
    if name in _NEAR:
        return end.whole + number(floor(end.rest + _HALF) if strict else ceil(end.rest - _HALF))
    if down or end.whole.coefficients or end.rest >= 0:
        return end.whole + number(floor(end.rest))
    return number(floor(end.rest) + 1 if strict else ceil(end.rest))


def _most(end: _Sum, strict: bool, name: str) -> Polynomial:
    """What a whole part is no more than, of a number that is no more than ``end``, or ``strict``: less than it."""
    if name in _UP:
        return end.whole + number(ceil(end.rest))
    if name in _NEAR:
        return end.whole + number(ceil(end.rest - _HALF) if strict else floor(end.rest + _HALF))
    return end.whole + number(ceil(end.rest) - 1 if strict else floor(end.rest))


_HALF = Fraction(1, 2)


@lru_cache(maxsize=4096)
def whole_truths(guards: tuple[Guard, ...], atom: Term) -> tuple[Truth, ...]:
    """What guards say in floating point of the number that ``atom`` is the whole part of, as sums of integers."""
    return tuple(_of(guards, atom))


def _of(guards: tuple[Guard, ...], atom: Term) -> Iterator[Truth]:
    found = whole_part(atom)
    if found is None:
        return
    up = raised(atom)
    name = found[0].args[0] if up is not None else ""
    inner, down = _sum(found[0] if up is None else up), found[1]
    mine = polynomial(atom)
    if not name and inner.whole.atoms and not inner.floating.coefficients and 0 <= inner.rest < 1:
        yield from _of_integers(guards, inner.whole, mine)
    for guard in guards:
        for part in conjuncts(guard.term):
            sides = comparison(part)
            if sides is None:
                continue
            less, more = _sum(sides[0]), _sum(sides[1])
            above = more.plus(less, -1).plus(inner)
            if not above.floating.coefficients:
                yield Truth(_most(above, sides[2], name) - mine, guard, part)
            below = inner.plus(more, -1).plus(less)
            if not below.floating.coefficients:
                yield Truth(mine - _least(below, sides[2], down, name), guard, part)


def _of_integers(guards: tuple[Guard, ...], whole: Polynomial, mine: Polynomial) -> Iterator[Truth]:
    """What guards say of an integer that goes through floating point and back: ``x < n - 1`` of ``(int)(x + 0.5f)``,
    which is no less than it, and no more unless it is negative."""
    for truth in truths(guards):
        for sign in (1, -1):
            rest = truth.left + whole.scaled(sign)
            if not rest.atoms & whole.atoms:
                yield Truth(rest - mine.scaled(sign), truth.guard, truth.part)


def truths_of_wholes(guards: tuple[Guard, ...], atoms: Iterable[Term]) -> Iterator[Truth]:
    """:func:`whole_truths` of several numbers."""
    for atom in atoms:
        if atom.op == "cast":
            yield from whole_truths(guards, atom)


def below_by_wholes(guards: tuple[Guard, ...], form: Polynomial, size: Polynomial) -> bool:
    """Whether guards keep a sum below a size by what they say of what whole numbers in it are made of."""
    rest = size - number(1) - form
    ends = ((rest - truth.left).constant for truth in truths_of_wholes(guards, form.atoms))
    return any(end is not None and end >= 0 for end in ends)
