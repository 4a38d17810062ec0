"""What guards say, as sums that are not negative: ``i < n`` is ``n - i - 1 >= 0``.

A comparison with a quotient is one with what is divided: ``i < (n + 1) / 2`` says ``2 * i < n``, ``i / 4 < m`` says
``i < 4 * m``.  A truth ``i != n - 1`` takes one more away from ``i < n``.  All of this is about mathematical integers,
and dividends that are not negative.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.bounds import vacuous
from kernlint.analysis.trace.events import Guard
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, number, polynomial
from kernlint.symbolic.terms import Term, binary, plain
from kernlint.tree.types import BOOL


@dataclass(frozen=True, slots=True)
class Truth:
    """``left >= 0``, by the ``part`` of a guard; ``unit``: what that compares the quotient by, 1 where by none."""

    left: Polynomial
    guard: Guard
    part: Term
    unit: int = 1


@lru_cache(maxsize=4096)
def slack_of(part: Term) -> tuple[Polynomial, int] | None:
    """``s`` and ``t`` of a truth ``s - t >= 0``."""
    if part.op not in ("lt", "le") or vacuous(part):
        return None
    slack = polynomial(part.args[1]) - polynomial(part.args[0])
    if not all(isinstance(value, int) for value in slack.coefficients.values()):
        return None  # of numbers in floating point
    return slack, 1 if part.op == "lt" else 0


def quotient(form: Polynomial) -> tuple[Polynomial, Polynomial, int] | None:
    """(rest, dividend, divisor) of a sum of ``rest`` and one quotient by a number."""
    for mono, factor in form.coefficients.items():
        if factor != 1 or len(mono) != 1:
            continue
        atom = plain(mono[0])
        by = atom.args[1].value if atom.op in ("div", "shr") else None
        if by is None or not 0 < by < 1 << 16 or (atom.op == "shr" and by > 15):
            continue
        return form - Polynomial({mono: 1}), polynomial(atom.args[0]), by if atom.op == "div" else 1 << by
    return None


def _undivided(part: Term) -> Iterator[tuple[Polynomial, int]]:
    """(left, divisor) of truths ``left >= 0`` without the quotient that one side of a comparison is."""
    if part.op not in ("lt", "le") or vacuous(part):
        return
    strict = 1 if part.op == "lt" else 0
    smaller, larger = (polynomial(side) for side in part.args)
    found = quotient(larger)
    if found is not None and smaller.constant is None:
        rest, whole, by = found  # a < r + w / k: k * (a - r + 1) <= w
        yield whole - number(by) * (smaller - rest + number(strict)), by
    found = quotient(smaller)
    if found is not None and larger.constant is None:
        rest, whole, by = found  # r + w / k < b: w < k * (b - r)
        yield number(by) * (larger - rest + number(1 - strict)) - whole - number(1), by


def _sides(part: Term) -> Iterator[Term]:
    """What a comparison with the smaller of two, or of the larger of two, says of each."""
    if part.op not in ("lt", "le"):
        yield part
        return
    left, right = (plain(side) for side in part.args)
    if right.op == "min":
        for side in right.args:
            yield from _sides(binary(part.op, part.args[0], side, BOOL))
    elif left.op == "max":
        for side in left.args:
            yield from _sides(binary(part.op, side, part.args[1], BOOL))
    elif right.op in ("add", "sub") and (least := plain(right.args[0])).op == "min" and right.args[1].value is not None:
        for side in least.args:  # min(a, b) + 1
            yield from _sides(binary(part.op, left, binary(right.op, side, right.args[1], right.type), BOOL))
    else:
        yield part


@lru_cache(maxsize=4096)
def truths(guards: tuple[Guard, ...]) -> tuple[Truth, ...]:
    """All that guards say in sums."""
    found: list[Truth] = []
    for guard in guards:
        for part in (side for whole in conjuncts(guard.term) for side in _sides(whole)):
            plain_ = slack_of(part)
            if plain_ is not None:
                found.append(Truth(plain_[0] - number(plain_[1]), guard, part))
                found += [Truth(left, guard, part, unit) for left, unit in _undivided(part)]
    for guard in guards:
        for part in conjuncts(guard.term):
            if part.op == "ne":
                apart = polynomial(part.args[0]) - polynomial(part.args[1])
                found += [
                    Truth(one.left - number(1), guard, part, one.unit)
                    for one in found
                    if one.left == apart or one.left + apart == number(0)
                ]
    return tuple(found)


def add_up(guards: tuple[Guard, ...], wanted: Polynomial) -> bool:
    """Whether two truths together say ``wanted >= 0``: ``count > 0`` and ``count <= n - start`` that ``start < n``."""
    lefts = list(dict.fromkeys(truth.left for truth in truths(guards)))[:PAIRED]
    for at, first in enumerate(lefts):
        rest = wanted - first
        for second in lefts[at + 1 :]:
            over = (rest - second).constant
            if over is not None and over >= 0:
                return True
    return False


PAIRED = 24
"""Truths that are looked at in pairs."""
