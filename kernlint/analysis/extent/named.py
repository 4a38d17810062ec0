"""How numbers are made, by the names of arguments and arrays: the same in every kernel that takes the same ones."""

from __future__ import annotations

from kernlint.analysis.extent.known_marks import array_of
from kernlint.analysis.trace.events import RootKind
from kernlint.symbolic.polynomial import Monomial, Polynomial
from kernlint.symbolic.terms import SymbolKind, Term, plain, symbols

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
