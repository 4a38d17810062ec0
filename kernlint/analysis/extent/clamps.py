"""Clamps of numbers that data choose: ``min(x, 63)``, ``x > 63 ? 63 : x``, ``(int)fminf(x, 63.0f)``.

Who clamps a number does not know that it stays below by itself, so that its largest value is one that it has; and so
is what it becomes when it is scaled: ``(clamp(x, low, high) - low) / (high - low) * 64`` may be 64.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence, Set

from kernlint.analysis.trace.events import Guard
from kernlint.symbolic.intervals import interval
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, negate, plain, subterms, symbols
from kernlint.tree.types import FloatType, IntType

_DATA = frozenset({SymbolKind.LOAD, SymbolKind.UNKNOWN})

_LESSER = frozenset({"min", "fmin", "fminf"})
_GREATER = frozenset({"max", "fmax", "fmaxf"})

_ONE = frozenset({"__saturatef", "saturate"})
"""Functions that leave a number between 0 and 1 (CUDA Math API, single precision intrinsics)."""

BELOW = 2.0**-24
"""By how much of itself a float is larger than the next below it, at least."""

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


def clamped_alone(atom: Term, guards: Iterable[Guard]) -> bool:
    """Whether a clamp to a number is all that is said of a number from memory, as it comes or as a whole part."""
    top, high = clamped_at(atom), interval(atom)[1]
    data = {symbol for symbol in symbols(atom) if symbol.kind in _DATA}
    if top is None or scaled(atom) or (high is not None and high < top):
        return False
    return not any(data & set(symbols(guard.term)) for guard in guards)


def code_of(atom: Term, guards: Sequence[Guard]) -> int | None:
    """The largest of the numbers that a choice by data may be, whatever the other ways are: ``x < low ? 6 : search(x)``
    is 6 for some.  None where a test speaks of what is chosen by."""
    asked = {symbol for guard in guards for symbol in symbols(guard.term) if symbol.kind in _DATA}
    return max(_codes(plain(atom), asked), default=None) if isinstance(plain(atom).type, IntType) else None


def _codes(term: Term, asked: Set[Symbol]) -> Iterator[int]:
    if term.op != "select":
        return
    by = set(symbols(term.args[0]))
    kinds = {symbol.kind for symbol in by}
    if by & asked or SymbolKind.LOAD not in kinds or not kinds <= _DATA | {SymbolKind.PARAM}:
        return
    for way in map(plain, term.args[1:]):
        yield from _codes(way, asked) if way.value is None else (way.value,)


def _top(term: Term) -> float | None:
    if isinstance(term.args[0], (int, float)) and term.op == "const":
        return term.args[0]
    if term.op == "cast":
        return _top(term.args[0])
    if term.op in ("add", "sub", "mul", "div"):
        return _scaled(term)
    name = str(term.args[0]) if term.op == "call" else term.op
    if name in _ONE:
        return 1.0
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


def _scaled(term: Term) -> float | None:
    """The largest value of what a clamped number in floating point becomes by a number, or as a part of its range."""
    if not isinstance(term.type, FloatType):
        return None
    left, right = (_float(part) for part in term.terms)
    if term.op == "div" and _part_of_range(left, right):
        return 1.0
    if term.op in ("add", "mul") and _number(left) is not None:
        left, right = right, left
    top, by = _top(left), _number(right)
    if top is None or by is None or (term.op in ("mul", "div") and by <= 0):
        return None
    if term.op in ("add", "sub"):
        return top + by if term.op == "add" else top - by
    return top * by if term.op == "mul" else top / by


def _part_of_range(part: Term, range_: Term) -> bool:
    """Whether one number is clamped to another, both counted from where the clamp begins, or from 0."""
    if part.op == "sub" and range_.op == "sub":
        (part, low), (range_, other) = map(_float, part.terms), map(_float, range_.terms)
        return low == other and range_ in _upper_ends(part)
    return _top(range_) is None and range_ in _upper_ends(part)


def _upper_ends(term: Term) -> list[Term]:
    """What a clamp holds a number down to."""
    name = str(term.args[0]) if term.op == "call" else term.op
    parts = [_float(part) for part in term.terms]
    if name == "clamp" and len(parts) == 3:
        return parts[2:]
    if name in _LESSER:
        return parts
    return [end for part in parts for end in _upper_ends(part)] if name in _GREATER else []


def _float(term: Term) -> Term:
    """A number without conversions from one kind of floating-point number to another."""
    while term.op == "cast" and isinstance(term.type, FloatType) and isinstance(term.args[0].type, FloatType):
        term = term.args[0]
    return term


def _number(term: Term) -> float | None:
    """The value of a constant, converted or not."""
    while term.op == "cast":
        term = term.args[0]
    value = term.args[0]
    return value if term.op == "const" and isinstance(value, (int, float)) else None


def scaled(term: Term) -> bool:
    """Whether a number comes of arithmetic in floating point, and is not held down once it is whole."""
    while term.op == "cast":
        term = term.args[0]
    if term.op in ("select", "min") and isinstance(term.type, IntType):
        return False
    return any(part.op in ("mul", "div") and isinstance(part.type, FloatType) for part in subterms(term))


def _below(cond: Term, arm: Term) -> float | None:
    """The largest value of an arm of a choice, by what its condition says of it."""
    own = _top(arm)
    if cond.op in ("lt", "le") and plain(cond.args[0]) == plain(arm):
        most = _top(cond.args[1])
        if most is not None:
            if cond.op == "lt":
                most -= 1 if isinstance(cond.args[0].type, IntType) else max(abs(most), BELOW) * BELOW
            return most if own is None else min(own, most)
    if cond.op == "ne" and own is not None and plain(arm) in (plain(side) for side in cond.terms):
        return own - 1 if own == math.floor(own) and own in map(_number, cond.terms) else own
    return own
