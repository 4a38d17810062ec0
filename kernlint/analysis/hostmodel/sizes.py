"""Sizes of host code compared: what is asked for of what is there, both in bytes, as sums of products of variables.

Variables stand for sizes, so none is negative.  That one sum is the larger one for *some* values says nothing where the
two are about different variables (a part of a buffer is copied).  It does where both are the same product but for less
than one of its factors: ``n * step`` and ``(n - 1) * step + 1`` are meant to be one size, and one of them is wrong.
"""

from __future__ import annotations

from collections.abc import Iterable

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.trace.values import PointerValue, Value
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.polynomial import Polynomial, polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, cast, plain, symbols
from kernlint.tree.types import I64

VALUES = ((7, 3, 5, 2, 11), (3, 7, 2, 5, 13), (5, 2, 9, 4, 3))
"""Values of the variables, in order of appearance, under which two sizes are compared."""


def exceeds(given: Polynomial, there: Polynomial) -> bool:
    """Whether the first count is the larger one whatever its variables, which are not negative, are; where one of them
    is a factor of both, there is something of it."""
    rest = (given - there).coefficients
    if not rest or any(value <= 0 for value in rest.values()):
        return False
    if () in rest or set(rest) <= set(there.coefficients):
        return True
    whole = [mono for mono, value in there.coefficients.items() if value > 0]
    return bool(whole) and any(all(_divides(less, mono) for mono in whole) for less in rest)


def _divides(less: tuple[Term, ...], mono: tuple[Term, ...]) -> bool:
    """Whether the factors of a product are among those of another one, which has more."""
    return len(less) < len(mono) and all(mono.count(atom) >= less.count(atom) for atom in less)


def may_exceed(given: Polynomial, there: Polynomial, guards: Iterable[Term]) -> dict[Symbol, int] | None:
    """Values under which the first count is the larger one, where both are one product but for less than a factor of
    it and the host's checks ``guards`` let them through; None where there are none."""
    common = [m for m, value in given.coefficients.items() if len(m) > 1 and there.coefficients.get(m) == value]
    rest = {m: value for m, value in (given - there).coefficients.items() if m}
    leads = [m for m, value in rest.items() if value > 0]
    if not common or not leads or any(len(m) > 1 for m in rest):
        return None
    if not all(any(m[0] in product for product in common) for m in leads):
        return None
    atoms = [atom for atom in (given + there).atoms if atom.value is None]
    if not all(atom.symbol is not None and atom.symbol.kind is SymbolKind.PARAM for atom in atoms):
        return None
    found = list(dict.fromkeys(atom.symbol for atom in atoms if atom.symbol is not None))
    checks = [guard for guard in guards if set(symbols(guard)) <= set(found)]
    for values in VALUES:
        if len(found) > len(values):
            return None
        env = dict(zip(found, values, strict=False))
        more, less = (_value(count, env) for count in (given, there))
        if more > less and all(evaluate(check, env) != 0 for check in checks):
            return env
    return None


def _value(count: Polynomial, env: dict[Symbol, int]) -> int:
    total = 0
    for mono, value in count.coefficients.items():
        for atom in mono:
            value *= env[atom.symbol] if atom.symbol is not None else (atom.value or 0)
        total += value
    return total


def bounded_as_elements(size: Term, elements: int, guards: Iterable[Term]) -> bool:
    """Whether the host checks a size, a variable as it is, against the number of elements of an array."""
    wanted = polynomial(size)
    if size.value is not None or len(wanted.coefficients) != 1 or elements < 2:
        return False
    for guard in guards:
        for part in conjuncts(guard):
            if part.op not in ("lt", "le") or not all(isinstance(arg, Term) for arg in part.args):
                continue
            below, limit = part.args
            most = plain(limit).value
            exact = most is not None and elements in (most, most - 1)
            if exact and polynomial(plain(below)) == wanted:
                return True
    return False


def piece_of_elements(size: Term, offset: Term, elements: Iterable[int]) -> int:
    """How many bytes an element has where pieces that a loop makes one after the other lie an element's bytes apart for
    each byte that they are long; 0 where they do not."""
    whole = polynomial(size)
    for mono, value in polynomial(offset).coefficients.items():
        moving = [a for a in mono if a.symbol is not None and a.symbol.kind in (SymbolKind.COUNTER, SymbolKind.PHI)]
        if len(moving) != 1:
            continue
        rest = list(mono)
        rest.remove(moving[0])
        apart = Polynomial({tuple(rest): value})
        for element in elements:
            if element > 1 and whole.scaled(element) == apart:
                return element
    return 0


def overwrites(size: Term, offset: Term) -> bool:
    """Whether pieces that a loop writes one after the other are longer than they lie apart."""
    whole = polynomial(size)
    for mono, value in polynomial(offset).coefficients.items():
        moving = [a for a in mono if a.symbol is not None and by_one(a.symbol)]
        if len(moving) == 1:
            rest = list(mono)
            rest.remove(moving[0])
            apart = {tuple(rest): value}
            if value > 0 and set(whole.coefficients) == set(apart) and whole.coefficients[tuple(rest)] > value:
                return True
    return False


def rows_of_elements(size: Term, offset: Term, elements: Iterable[int]) -> int:
    """How many bytes an element has where a copy starts whole rows behind the beginning, of an element's bytes for each
    byte that a row of the copy has; 0 where it does not."""
    rows, start = polynomial(size).coefficients, polynomial(offset).coefficients
    if len(rows) != 1 or len(start) != 1:
        return 0
    ((copied, each), (behind, apart)) = (*rows.items(), *start.items())
    common = [atom for atom in copied if atom in behind]
    if any(atom.op == "call" or (atom.symbol and atom.symbol.kind is SymbolKind.UNKNOWN) for atom in copied):
        return 0  # what a function out of sight says may be the bytes of an element
    if not common or len(copied) < 2 or len(behind) < 2 or copied == behind:
        return 0
    return next((element for element in elements if element > 1 and each * element == apart), 0)


def part_of_elements(given: Polynomial, there: Polynomial, element: int) -> int:
    """The bytes of a smaller type where as many elements of that are counted as memory has of ``element`` bytes; 0
    where they are not."""
    if len(given.coefficients) != 1:
        return 0
    ((_, size),) = given.coefficients.items()
    smaller = 1 < size < element and element % size == 0
    return size if smaller and given.scaled(element // size) == there else 0


def of_rows(size: Polynomial, row: Polynomial) -> bool:
    """Whether a size is that of several rows, as many as a variable says or more than one."""
    if len(row.coefficients) != 1 or len(size.coefficients) != 1:
        return False
    ((mono, factor),), ((whole, count),) = row.coefficients.items(), size.coefficients.items()
    if count % factor or not all(whole.count(atom) >= mono.count(atom) for atom in mono):
        return False
    return len(whole) > len(mono) or count // factor > 1


def made_of_sizes(pitch: Term) -> bool:
    """Whether a pitch is worked out of sizes, or is one: nothing that another function said is in it."""
    found = symbols(pitch)
    return bool(found) and all(symbol.kind is SymbolKind.PARAM for symbol in found)


def same_count(value: Value, count: Polynomial) -> bool:
    """Whether a value is a count."""
    return isinstance(value, Term) and polynomial(cast(value, I64)) == count


def scaled_pitch(offset: Term, pitch: Term, size: int) -> bool:
    """Whether ``pitch`` stands in an offset as a multiple of ``size``, as pointer arithmetic makes it one."""
    if pitch.value is not None:
        return False
    ((atoms, factor), *others) = polynomial(pitch).coefficients.items()
    if others or factor != 1:
        return False
    return any(
        value % size == 0 and all(mono.count(atom) >= atoms.count(atom) for atom in atoms)
        for mono, value in polynomial(offset).coefficients.items()
    )


def moving(value: Value) -> bool:
    """Whether a pointer moves on from round to round of a loop."""
    return isinstance(value, PointerValue) and any(map(by_one, symbols(value.offset)))


def by_one(symbol: Symbol) -> bool:
    """Whether a number grows by one from round to round."""
    if symbol.kind is not SymbolKind.PHI or symbol.step is None:
        return symbol.kind is SymbolKind.COUNTER
    rounds = [(mono, value) for mono, value in polynomial(symbol.step).coefficients.items() if mono]
    counter = rounds[0][0][0].symbol if len(rounds) == 1 and len(rounds[0][0]) == 1 else None
    return counter is not None and counter.kind is SymbolKind.COUNTER and rounds[0][1] == 1
