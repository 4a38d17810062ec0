"""Rows and columns that a number is divided into: what tests of the number say of them, and what is known of digits.

``i < w * h`` says ``i / w < h``; ``i % w != 0`` says that it is 1 at least, ``i % w != w - 1`` that it is ``w - 2`` at
most.  An index ``i + k`` is one of row ``i / w`` and column ``i % w`` where tests speak of these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.places import chosen, moves
from kernlint.analysis.extent.truths import Truth, truths
from kernlint.analysis.trace.events import Guard
from kernlint.symbolic.intervals import interval
from kernlint.symbolic.polynomial import Polynomial, divided, number, polynomial
from kernlint.symbolic.terms import SymbolKind, Term, binary, const, plain, replaced, subterms, symbols
from kernlint.tree.types import IntType

_DIGITS = frozenset({"div", "mod"})


def _is_digit(atom: Term) -> bool:
    return atom.op in _DIGITS and isinstance(atom.type, IntType) and moves(atom.args[0]) and chosen(atom.args[1])


@lru_cache(maxsize=8192)
def _columns(guard: Term) -> tuple[Term, ...]:
    """The remainders in comparisons that a guard is made of."""
    return tuple(
        dict.fromkeys(
            part
            for term in conjuncts(guard)
            if term.op in ("lt", "le", "ne", "eq")
            for side in term.terms
            for part in subterms(side)
            if part.op == "mod" and _is_digit(part)
        )
    )


def in_digits(whole: Polynomial, guards: Sequence[Guard]) -> Polynomial:
    """An index with the number in it that tests divide into rows as row and column."""
    for column in dict.fromkeys(part for guard in guards for part in _columns(guard.term)):
        value, by = polynomial(column.args[0]), polynomial(column.args[1])
        first = next(iter(value.coefficients), None)
        times = whole.coefficients.get(first, 0) // value.coefficients[first] if first is not None else 0
        if times > 0 and all(whole.coefficients.get(mono) == times * more for mono, more in value.coefficients.items()):
            row = next((one for one in _rows(guards) if one.args == column.args), None)
            if row is not None:
                return whole - value.scaled(times) + (by * polynomial(row) + polynomial(column)).scaled(times)
    return whole


def _rows(guards: Sequence[Guard]) -> Iterator[Term]:
    for guard in guards:
        for part in subterms(guard.term):
            if part.op == "div" and _is_digit(part):
                yield part


def truths_of_digits(guards: tuple[Guard, ...], form: Polynomial) -> list[Truth]:
    """What guards say of the digits in a sum, besides what they say in sums themselves."""
    digits = dict.fromkeys(atom for mono in form.coefficients for atom in mono if _is_digit(atom))
    found = [truth for atom in digits for truth in _of_digit(guards, atom)]
    for guard in guards if found else ():
        for part in conjuncts(guard.term):
            if part.op == "ne":
                away = polynomial(part.args[0]) - polynomial(part.args[1])
                found += [
                    Truth(one.left - number(1), guard, part)
                    for one in (*found,)
                    if one.left in (away, number(0) - away)
                ]
    return found


@lru_cache(maxsize=4096)
def truths_of_starts(guards: tuple[Guard, ...]) -> tuple[Truth, ...]:
    """``x != 0`` of a place in the grid: it is 1 at least."""
    parts = [(guard, part) for guard in guards for part in conjuncts(guard.term) if part.op == "ne"]
    sides = [
        (guard, part, side) for guard, part in parts if number(0) in map(polynomial, part.args) for side in part.args
    ]
    return tuple(
        Truth(polynomial(side) - number(1), guard, part)
        for guard, part, side in sides
        if polynomial(side).coefficients and counted(polynomial(side))
    )


@lru_cache(maxsize=8192)
def _of_digit(guards: tuple[Guard, ...], digit: Term) -> tuple[Truth, ...]:
    return (*(_of_rows(truths(guards), digit) if digit.op == "div" else ()), *_apart(guards, digit))


def _of_rows(known: Sequence[Truth], row: Term) -> Iterator[Truth]:
    """``i / w < h`` as ``i < w * h`` says it."""
    whole, by = polynomial(row.args[0]), polynomial(row.args[1])
    ((mono, times),) = by.coefficients.items() if len(by.coefficients) == 1 else (((), 0),)
    for truth in known if times > 0 else ():
        size = truth.left + whole + number(1)
        parts = {left: value for one, value in size.coefficients.items() if (left := divided(one, mono)) is not None}
        if len(parts) == len(size.coefficients) and not any(value % times for value in parts.values()):
            rows = Polynomial({left: value // times for left, value in parts.items()})
            if rows.coefficients and not any(map(moves, rows.atoms)):
                yield Truth(rows - number(1) - polynomial(row), truth.guard, truth.part)


_COUNTS = frozenset(
    {SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.BLOCK_DIM, SymbolKind.GRID_DIM, SymbolKind.COUNTER}
)


def counted(whole: Polynomial) -> bool:
    """Whether a sum is a place in the grid, counted from 0."""
    kinds = {symbol.kind for atom in whole.atoms for symbol in symbols(atom)}
    return kinds <= _COUNTS and all(value > 0 for value in whole.coefficients.values())


def _apart(guards: Sequence[Guard], digit: Term) -> Iterator[Truth]:
    """What is left of a digit that is not its first, or last, value."""
    mine = polynomial(digit)
    for guard in guards:
        for part in conjuncts(guard.term):
            if part.op != "ne" or plain(digit) not in map(plain, part.terms):
                continue
            other = next((polynomial(side) for side in part.terms if plain(side) != plain(digit)), None)
            if other == number(0) and (interval(digit)[0] == 0 or counted(polynomial(digit.args[0]))):
                yield Truth(mine - number(1), guard, part)
            elif other is not None and digit.op == "mod" and other == polynomial(digit.args[1]) - number(1):
                yield Truth(other - number(1) - mine, guard, part)


def at_divisors(place: Term) -> Term:
    """A place with the remainders in it as large as they get: whoever divides what moves by an argument for its
    remainder knows that it gets as far."""
    found = {
        part: binary("sub", part.args[1], const(1, part.type), part.type)
        for part in subterms(place)
        if part.op == "mod" and moves(part.args[0]) and part.args[1].symbols and _of_arguments(part.args[1])
    }
    return replaced(place, found) if found else place


def _of_arguments(term: Term) -> bool:
    return all(symbol.kind is SymbolKind.PARAM for symbol in symbols(term))
