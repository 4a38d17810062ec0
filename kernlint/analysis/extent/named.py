"""How numbers are made, by the names of arguments and arrays: the same in every kernel that takes the same ones."""

from __future__ import annotations

from collections.abc import Iterable

from kernlint.analysis.extent.known_marks import array_of
from kernlint.analysis.extent.places import moves
from kernlint.analysis.trace.events import Access, RootKind
from kernlint.symbolic.polynomial import Monomial, Polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, subterms, symbols
from kernlint.text.patterns import pattern

PLACES = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.BLOCK_DIM, SymbolKind.GRID_DIM, SymbolKind.COUNTER})
"""What places of threads and loops are made of."""

GIVEN = frozenset({SymbolKind.PARAM, SymbolKind.TEMPLATE})


def named(term: Term) -> str | None:
    """How a number is made, by the names of arguments and arrays; ``#`` is any place of threads and loops."""
    term = plain(term)
    symbol = term.symbol
    if symbol is not None:
        if symbol.kind in PLACES:
            return "#"
        if symbol.kind in GIVEN:
            return str(symbol.name)
        held = symbol.kind is SymbolKind.LOAD and isinstance(symbol.origin, tuple)
        return f"{array_of(symbol)}[]" if held and symbol.origin[0].kind is RootKind.PARAM else None
    if term.op == "const":
        return str(term.args[0])
    if all(one.kind in PLACES for one in symbols(term)):
        return "#"
    parts = [named(part) for part in term.terms]
    name = f"{term.op} {term.args[0]}" if term.op == "call" else term.op
    return None if None in parts else f"({name} {' '.join(map(str, parts))})"


def product(mono: Monomial) -> str | None:
    """How a product is made; several places that are multiplied are one."""
    parts = [named(atom) for atom in mono]
    if None in parts:
        return None
    given = [str(part) for part in parts if part != "#"]
    return "*".join(sorted([*given, "#"] if len(given) < len(parts) else given))


def made_of(form: Polynomial) -> str | None:
    """How a sum is made; several places that are added up are one, in steps of the least."""
    found: dict[str, int] = {}
    for mono, value in form.coefficients.items():
        name = product(mono)
        if name is None:
            return None
        known = found.get(name, value)
        found[name] = min(known, value, key=abs)
    return str(sorted(found.items()))


def size_of(form: Polynomial | None) -> tuple[str, frozenset[str]] | None:
    """A size in words, and the arguments it is made of; None where it is made of anything else."""
    found = {s for atom in form.atoms for s in symbols(atom)} if form is not None else set()
    made = made_of(form) if form is not None and all(s.kind in GIVEN for s in found) else None
    return (made, frozenset(str(s.name) for s in found)) if made is not None else None


def moving_part(form: Polynomial) -> Polynomial:
    """What of a sum is not the same for all threads and rounds."""
    return Polynomial({mono: value for mono, value in form.coefficients.items() if any(map(moves, mono))})


def data_in(form: Polynomial) -> set[Symbol]:
    """The numbers from memory in a sum."""
    return {s for atom in form.atoms for s in symbols(atom) if s.kind is SymbolKind.LOAD}


def _rounds(mono: Monomial, value: int) -> bool:
    """Whether a summand is a place of threads or loops, which begins at 0."""
    return value > 0 and all(s.kind in PLACES for atom in mono for s in symbols(atom))


def without_rounds(form: Polynomial) -> Polynomial:
    """A sum without its places of threads and loops."""
    return Polynomial({m: v for m, v in form.coefficients.items() if not m or not _rounds(m, v)})


def alone(form: Polynomial) -> bool:
    """Whether a coordinate is a number from memory as it stands: its name says little of what it is."""
    monos = list(form.coefficients)
    return len(monos) == 1 and len(monos[0]) == 1 and plain(monos[0][0]).symbol is not None


def converted(form: Polynomial) -> bool:
    """Whether a coordinate is what is left of data when an argument is taken from them, in floating point: which may
    be negative, whatever the data are."""
    parts = (part for atom in form.atoms for part in subterms(atom))
    return any(part.op == "sub" and plain(part.args[1]).symbol is not None and _given(part.args[1]) for part in parts)


def _given(term: Term) -> bool:
    return all(symbol.kind in GIVEN for symbol in symbols(term))


_ARRAY = pattern(r"[\w.]*?((?:\.\w+)?\[\])")


def of_any_array(made: str) -> str:
    """How a coordinate is made, whichever array the data are from."""
    return _ARRAY.sub(r"*\1", made)


def arrays_of(data: Iterable[Symbol]) -> set[str]:
    """The arrays that numbers are from, as they are called."""
    return {s.origin[0].name for s in data if s.kind is SymbolKind.LOAD and isinstance(s.origin, tuple)}


def arrays_asked(access: Access) -> set[str]:
    """The arrays whose numbers conditions of an access speak of."""
    return arrays_of(s for guard in access.guards for s in symbols(guard.term))
