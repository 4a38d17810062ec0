"""Coordinates that are made in the same way, whatever the axis, the array and the argument."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from hashlib import blake2b
from itertools import islice

from kernlint.analysis.extent.doubts import DIGITS
from kernlint.analysis.extent.ends import Coordinate
from kernlint.analysis.extent.limits import bounds_of, counter_ranges
from kernlint.analysis.extent.places import chosen, moves
from kernlint.analysis.extent.wholes import whole_part
from kernlint.symbolic.polynomial import Monomial, Polynomial, polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, symbols
from kernlint.tree.types import FloatType


@lru_cache(maxsize=8192)
def shape(atom: Term) -> str:
    """How a number is made, whatever the axis, the array and the argument: in words, or their digest where there are
    many (terms share their parts, so that all words of one may be more than memory has room for)."""
    found = _shape(plain(atom))
    return found if len(found) <= WORDS else blake2b(found.encode(), digest_size=16).hexdigest()


WORDS = 80
"""Characters of a shape that are kept."""

MANY = 256
"""Summands, at most, that a sum is taken apart into."""


def _shape(atom: Term) -> str:
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
        return f"sum of {sorted(map(shape, islice(_summands(atom), MANY)))}"
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
    """How a sum is made."""
    return sorted(kind_of(mono, value) for mono, value in form.coefficients.items() if mono)


def alike(one: Coordinate, other: Coordinate) -> bool:
    """Whether two coordinates are made in the same way, but for how loops add their rounds to a place that data choose
    (``k / 3 % 3`` and ``k % 3``)."""
    if made(one.base) != made(other.base):
        return False
    if made(one.core) == made(other.core):
        return True
    if one.clamps is not None and other.clamps is not None and _in_grid(one.core) and _in_grid(other.core):
        return True  # one axis may have a block for each place
    mine, theirs = (_without_rounds(form.core) for form in (one, other))
    return bool(loads(mine) and loads(theirs)) and made(mine) == made(theirs)


def _in_grid(form: Polynomial) -> bool:
    """Whether a sum is a place in the grid along one axis, of a thread or a block."""
    kinds = {symbol.kind for atom in form.atoms for symbol in symbols(atom)}
    grid = {SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.BLOCK_DIM}
    return kinds <= grid and SymbolKind.BLOCK in kinds and set(form.coefficients.values()) == {1}


def _without_rounds(form: Polynomial) -> Polynomial:
    kinds = {mono: {s.kind for atom in mono for s in symbols(atom)} for mono in form.coefficients}
    return Polynomial({m: value for m, value in form.coefficients.items() if kinds[m] != {SymbolKind.COUNTER}})


def loads(form: Polynomial) -> set[Symbol]:
    """The numbers from memory in a sum."""
    return {s for atom in form.atoms for s in symbols(atom) if s.kind is SymbolKind.LOAD}


def together(one: Coordinate, other: Coordinate) -> bool:
    """Whether data put two coordinates somewhere together: numbers of one element, whole parts of numbers in floating
    point of the same arrays, or of one position by numbers of its own for each (two rows of a matrix).

    Not so: ``rows[i]`` and ``cols[i]``.  Still so: ``(int)p[i].y`` beside ``(int)p[i].x``."""
    mine, theirs = loads(one.core), loads(other.core)
    if not mine or not theirs:
        return False
    whole = _held_in(mine) == _held_in(theirs) and all(
        whole_part(atom) is not None for atom in other.core.atoms if loads(Polynomial({(atom,): 1}))
    )
    if not mine & theirs:
        return whole or one_element(mine, theirs)
    own, beside = ({s for atom in form.core.atoms for s in symbols(atom) if s.kind in _GIVEN} for form in (one, other))
    asked = {s for guard in one.access.guards for s in symbols(guard.term)}
    return whole and bool(own - beside) and bool(beside - own) and not (own - beside) & asked


_GIVEN = frozenset({SymbolKind.PARAM, SymbolKind.LOAD})


def one_element(mine: set[Symbol], theirs: set[Symbol]) -> bool:
    """Whether two numbers are parts of one element of an array."""
    if len(mine) != 1 or len(theirs) != 1:
        return False
    (one,), (other,) = mine, theirs
    if not isinstance(one.origin, tuple) or not isinstance(other.origin, tuple) or one.origin[0] is not other.origin[0]:
        return False
    apart = (polynomial(one.origin[1]) - polynomial(other.origin[1])).constant
    return apart is not None and 0 < abs(apart) < (one.origin[0].element.size or 0)


def _held_in(data: set[Symbol]) -> set[object]:
    """The arrays that numbers are read from; a number stands for itself where it is read from none."""
    return {symbol.origin[0] if isinstance(symbol.origin, tuple) else symbol for symbol in data}


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
        if symbol is not None and symbol.kind is SymbolKind.COUNTER and symbol not in ranges:
            return None
        ends = bounds_of(mono[0], ranges) if len(mono) == 1 else None
        if ends is not None:
            total += value * ends[(value > 0) is not below]
    return total
