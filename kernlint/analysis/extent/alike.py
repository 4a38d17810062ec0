"""Coordinates that are made in the same way, whatever the axis, the array and the argument."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from kernlint.analysis.extent.ends import DIGITS, Coordinate
from kernlint.analysis.extent.limits import counter_ranges
from kernlint.analysis.extent.places import chosen, moves
from kernlint.symbolic.polynomial import Monomial, Polynomial
from kernlint.symbolic.terms import SymbolKind, Term, plain, symbols
from kernlint.tree.types import FloatType


@lru_cache(maxsize=8192)
def shape(atom: Term) -> str:
    """How a number is made, whatever the axis, the array and the argument."""
    atom = plain(atom)
    if atom.symbol is not None:
        return atom.symbol.kind.name
    if atom.op == "const":
        return "#"
    if atom.op in DIGITS and chosen(atom.args[1]) and not isinstance(atom.type, FloatType):
        kinds = sorted({symbol.kind.name for symbol in symbols(atom) if moves(symbol.term)})
        return f"digit of {kinds}"
    if atom.op in ("min", "max"):
        inner = [part for part in atom.args if moves(part)]
        if len(inner) == 1:
            return shape(inner[0])
    if atom.op == "sub" and isinstance(atom.type, FloatType) and atom.args[1].symbols and chosen(atom.args[1]):
        return "what an argument is taken from" if moves(atom.args[0]) else "argument"
    if atom.op in ("add", "sub") and isinstance(atom.type, FloatType):
        return f"sum of {sorted(map(shape, _summands(atom)))}"
    name = atom.args[0] if atom.op == "call" else ""
    return f"{atom.op} {name} {[shape(part) for part in atom.terms]}"


def _summands(term: Term) -> Iterator[Term]:
    for part in term.terms:
        if part.op in ("add", "sub") and part.type == term.type:
            yield from _summands(part)
        else:
            yield part


def kind_of(mono: Monomial, value: int) -> tuple[bool, str]:
    return value > 0, str(sorted(map(shape, mono)))


def made(form: Polynomial) -> list[tuple[bool, str]]:
    return sorted(kind_of(mono, value) for mono, value in form.coefficients.items() if mono)


def alike(one: Coordinate, other: Coordinate) -> bool:
    """Whether two coordinates are made in the same way."""
    return made(one.core) == made(other.core) and made(one.base) == made(other.base)


def farther(one: Coordinate, other: Coordinate, below: bool) -> bool:
    """Whether ``one`` lies as far towards an end as ``other``, or farther, by the numbers and rounds in them."""
    mine, theirs = _numbers(one, below), _numbers(other, below)
    if mine is None or theirs is None:
        return mine is theirs and _apart(one, other, below)
    return mine <= theirs if below else mine >= theirs


def _apart(one: Coordinate, other: Coordinate, below: bool) -> bool:
    mine, theirs = one.base.coefficients.get((), 0), other.base.coefficients.get((), 0)
    return mine <= theirs if below else mine >= theirs


def _numbers(one: Coordinate, below: bool) -> int | None:
    """What numbers and the rounds of loops add to a coordinate at the most, or at the least; None where a round is not
    one of constantly many."""
    ranges = counter_ranges(one.access)
    total = one.base.coefficients.get((), 0)
    for mono, value in one.core.coefficients.items():
        symbol = mono[0].symbol if len(mono) == 1 else None
        if symbol is not None and symbol.kind is SymbolKind.COUNTER:
            if symbol not in ranges:
                return None
            total += value * ranges[symbol][(value > 0) is not below]
    return total
