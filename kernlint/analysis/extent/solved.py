"""Values of the host's variables under which its checks hold, made of some under which they do not.

Solved are the checks that leave few values: remainders that have to be zero, comparisons with numbers and with each
other, equalities.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.coverage import conjuncts
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import Symbol, Term, plain

ROUNDS = 4
"""How often the checks are gone through to make them hold."""

MOST = 1 << 16
"""Values beyond it are not tried."""


def mended(
    checks: Sequence[Term],
    tried: Sequence[dict[Symbol, int]],
    unit: int,
    fixed: dict[Symbol, int],
    raising: bool = False,
) -> Iterator[dict[Symbol, int]]:
    """Values made of those ``tried`` so that the checks hold, multiples of ``unit``; those that are ``fixed`` stay.
    ``raising``: of two that are compared the larger one gets larger, instead of the smaller one smaller."""
    parts = [part for check in checks for part in conjuncts(check)]
    seen: list[dict[Symbol, int]] = []
    for values in tried:
        found = dict(values)
        for _ in range(ROUNDS):
            failing = [part for part in parts if evaluate(part, found) == 0]
            if not failing:
                break
            for part in failing:
                found.update(_solved(part, found, raising))
        found |= fixed
        sound = all(s in fixed or (0 < value <= MOST and not value % unit) for s, value in found.items())
        if sound and found not in seen and all(evaluate(check, found) != 0 for check in checks):
            seen.append(found)
            yield found


def _solved(part: Term, values: dict[Symbol, int], raising: bool) -> dict[Symbol, int]:
    """A value of one variable with which a truth holds; none where it is no plain one."""
    if part.op == "lnot":
        return _equal(part.args[0], 0, values)
    if part.op not in ("eq", "lt", "le"):
        return {}
    left, right = part.args
    first, second = evaluate(left, values), evaluate(right, values)
    if first is None or second is None:
        return {}
    if part.op == "eq":
        return _equal(left, second, values) or _equal(right, first, values)
    strict = 1 if part.op == "lt" else 0
    if raising:
        return _equal(right, first + strict, values) or _equal(left, second - strict, values)
    return _equal(left, second - strict, values) or _equal(right, first + strict, values)


def _equal(term: Term, wanted: int, values: dict[Symbol, int]) -> dict[Symbol, int]:
    """A value of one variable of a term that makes it ``wanted``."""
    term = plain(term)
    if term.symbol is not None:
        return {term.symbol: wanted} if term.symbol in values and wanted > 0 else {}
    if term.op == "mod" and wanted == 0:
        by = evaluate(term.args[1], values)
        form = polynomial(term.args[0]).coefficients
        for mono in form if by else ():
            # The smallest of the multiples that are no smaller: the variable itself, or a factor of it.
            only = mono[0].symbol if len(form) == 1 and len(mono) == 1 else None
            if only is not None and only in values and by:
                return {only: -(-values[only] // by) * by}
    return {}
