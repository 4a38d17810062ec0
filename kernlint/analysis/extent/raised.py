"""Numbers that data choose, at the largest values that clamps and tests leave them, or at the code of a choice."""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.clamps import chosen_by_data, clamped_alone, clamped_at, code_of, scaled
from kernlint.analysis.trace.events import Access, Guard
from kernlint.record import replace
from kernlint.symbolic.intervals import interval, refine
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import SymbolKind, Term, const, plain, replaced, symbols
from kernlint.tree.nodes import Atomic


def raised(access: Access, offset: Term, extent: int) -> tuple[Term, Access] | None:
    """``offset`` with the numbers that data choose at the largest values that clamps between numbers or tests leave
    them (the least where they are taken away), where that is the first place beyond ``extent``; and the access without
    the tests of those numbers.

    A number alone that one test (:func:`_let_through`) or clamp alone speaks of may be further beyond.
    """
    form = polynomial(offset).coefficients
    codes = {mono: code for mono in form if len(mono) == 1 and (code := code_of(mono[0], access.guards)) is not None}
    data = [mono for mono in form if mono and (mono in codes or any(chosen_by_data(atom) for atom in mono))]
    if not data or any(len(mono) != 1 for mono in data) or set(form) - {(), *data}:
        return None
    tops: dict[Term, int] = {}
    about: list[Guard] = []
    for (atom,) in data:
        back = form[atom,] < 0
        said = _tests_below if back else tests_above
        tests = [guard for guard in access.guards if any(said(part, atom) for part in conjuncts(guard.term))]
        top = _bottom(atom, tests) if back else _top(atom, access, tests)
        top = codes.get((atom,)) if top is None and not back else top
        if top is None:
            return None
        tops[atom] = top
        about += [guard for guard in tests if guard not in about]
    place = sum(form[mono] * tops[mono[0]] for mono in data) + form.get((), 0)
    further = len(data) == 1 and extent < place < extent * FAR
    further = further and (_let_through(access, data[0][0], about) or clamped_alone(data[0][0], access.guards))
    if place != extent and not further:
        return None
    largest = {one: const(top, one.type) for atom, top in tops.items() for one in (atom, plain(atom))}
    if any(replaced(guard.term, largest).value == 0 for guard in access.guards if guard not in about):
        return None
    rest = tuple(guard for guard in access.guards if guard not in about)
    return replaced(offset, {atom: const(top, atom.type) for atom, top in tops.items()}), replace(access, guards=rest)


def _top(atom: Term, access: Access, about: Sequence[Guard]) -> int | None:
    """The largest value that clamps, and the tests ``about`` it, leave a number that data choose."""
    data_of = {symbol for symbol in symbols(atom) if symbol.kind is not SymbolKind.PARAM}
    if scaled(atom) and any(data_of & set(symbols(guard.term)) for guard in access.guards if guard not in about):
        return None  # what is said of the number before it is scaled
    tops = [interval(atom, refine([guard.term for guard in about]))[1] if about else None, clamped_at(atom)]
    tests = (part for guard in about for part in conjuncts(guard.term) if tests_above(part, atom))
    tops += [part.args[1].value - (part.op == "lt") for part in tests]
    return min((one for one in tops if one is not None), default=None)


def _bottom(atom: Term, about: Sequence[Guard]) -> int | None:
    """The least value that the tests ``about`` it leave a number that data choose."""
    tests = (part for guard in about for part in conjuncts(guard.term) if _tests_below(part, atom))
    return max((part.args[0].value + (part.op == "lt") for part in tests), default=None)


FAR = 4
"""Times the size of an array from which on a number that a test lets through is a mark, and no limit of places."""


def _let_through(access: Access, atom: Term, about: Sequence[Guard]) -> bool:
    """Whether one test, made for the access alone, is all that is said of a number from memory or from a counter: not
    one that leaves out the last value of so many bits, which is a mark."""
    symbol = plain(atom).symbol
    if symbol is None or len(about) != 1 or symbol.kind not in (SymbolKind.LOAD, SymbolKind.UNKNOWN):
        return False
    if symbol.kind is SymbolKind.UNKNOWN and not isinstance(symbol.origin, Atomic):
        return False
    tests = [part for part in conjuncts(about[0].term) if symbol in symbols(part)]
    limit = tests[0].args[1].value if len(tests) == 1 and tests_above(tests[0], atom) else None
    said = any(symbol in symbols(guard.term) for guard in access.guards if guard is not about[0])
    return limit is not None and not said and not (tests[0].op == "lt" and not limit & (limit + 1))


def _tests_below(part: Term, atom: Term) -> bool:
    """Whether a truth keeps a value above or at a number."""
    return part.op in ("lt", "le") and part.args[0].value is not None and plain(part.args[1]) == plain(atom)


def tests_above(part: Term, atom: Term) -> bool:
    """Whether a truth keeps a value below or at a number."""
    return part.op in ("lt", "le") and part.args[1].value is not None and plain(part.args[0]) == plain(atom)
