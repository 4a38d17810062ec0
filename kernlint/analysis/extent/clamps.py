"""Clamps of numbers that data choose: ``min(x, 63)``, ``x > 63 ? 63 : x``, ``(int)fminf(x, 63.0f)``.

Who clamps a number does not know that it stays below by itself, so that its largest value is one that it has.
"""

from __future__ import annotations

import math

from kernlint.symbolic.terms import SymbolKind, Term, negate, plain, symbols
from kernlint.tree.types import FloatType, IntType

_DATA = frozenset({SymbolKind.LOAD, SymbolKind.UNKNOWN})

_LESSER = frozenset({"min", "fmin", "fminf"})
_GREATER = frozenset({"max", "fmax", "fmaxf"})

FINEST = 1 << 24
"""Whole numbers from which on not all are floats."""


def chosen_by_data(atom: Term) -> bool:
    """Whether a number is made of what memory holds, or is the whole part of one in floating point."""
    found = {symbol.kind for symbol in symbols(atom)}
    return bool(found) and (found <= _DATA or _whole_part(atom))


def _whole_part(term: Term) -> bool:
    """Whether all that a number is chosen from are numbers and the whole part of a floating-point number."""
    if term.value is not None:
        return True
    if term.op in ("min", "max"):
        return all(map(_whole_part, term.terms))
    if term.op == "select":
        return all(map(_whole_part, term.args[1:]))
    if term.op != "cast" or not isinstance(term.type, IntType):
        return False
    return isinstance(term.args[0].type, FloatType) or _whole_part(term.args[0])


def clamped_at(term: Term) -> int | None:
    """The largest value that clamps leave a whole number; None where there is none, or it is no number."""
    top = _top(term)
    return None if top is None or not -FINEST < top < FINEST else math.floor(top)


def _top(term: Term) -> float | None:
    if isinstance(term.args[0], (int, float)) and term.op == "const":
        return term.args[0]
    if term.op == "cast":
        return _top(term.args[0])
    name = str(term.args[0]) if term.op == "call" else term.op
    if name == "clamp" and len(term.terms) == 3:
        return _top(term.terms[2])
    if name in _LESSER or name in _GREATER:
        tops = [_top(part) for part in term.terms]
        known = [top for top in tops if top is not None]
        if name in _LESSER:
            return min(known, default=None)
        return max(known) if known and len(known) == len(tops) else None
    if term.op != "select":
        return None
    cond, then, other = term.args
    tops = [_below(cond, then), _below(negate(cond), other)]
    known = [top for top in tops if top is not None]
    return max(known) if len(known) == 2 else None


def _below(cond: Term, arm: Term) -> float | None:
    """The largest value of an arm of a choice, by what its condition says of it."""
    own = _top(arm)
    if cond.op in ("lt", "le") and plain(cond.args[0]) == plain(arm):
        most = _top(cond.args[1])
        if most is not None:
            most -= cond.op == "lt" and isinstance(cond.args[0].type, IntType)
            return most if own is None else min(own, most)
    return own
