"""Sizes in a template of the host, whose types nobody knows: one number for the grid, for the kernel and for memory.

What such a function passes to a kernel's scalar is what that is; what it computes of it in the template's own type
(``(n + T(31)) / T(32)``) is counted in 64 bits, as all sizes fit there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kernlint.symbolic.terms import Symbol, SymbolKind, Term, Uniformity, binary, cast, subterms, with_parts
from kernlint.tree.types import I32, I64, IntType, OpaqueType, Type

_ARITHMETIC = frozenset({"add", "sub", "mul", "div", "mod", "min", "max"})


def in_numbers(
    images: Sequence[tuple[Symbol, Term]], passed: Sequence[tuple[Symbol, Term]]
) -> list[tuple[Symbol, Term]]:
    """``images``, and those of scalars that are ``passed`` a value of a type that nobody knows, over symbols for such
    values: those passed, and those that are taken as several types."""
    made: dict[Term, set[Type]] = {}
    for part in (part for _, image in images for part in subterms(image) if part.op == "cast"):
        if isinstance(part.args[0].type, OpaqueType) and isinstance(part.type, IntType):
            made.setdefault(part.args[0], set()).add(part.type)
    numbers = {one: I32 for one, types in made.items() if len(types) > 1}
    for symbol, term in passed:
        if isinstance(symbol.type, IntType) and term.symbol is not None:
            numbers.setdefault(term, symbol.type)
    if not numbers:
        return list(images)
    named: dict[Term, Term] = {
        one: Symbol(SymbolKind.UNKNOWN, str(one), type_, uniformity=Uniformity.GRID, low=0).term
        for one, type_ in numbers.items()
    }
    out = [(symbol, _counted(image, named)) for symbol, image in images]
    return out + [(symbol, cast(named[term], symbol.type)) for symbol, term in passed if term in named]


def _counted(term: Term, named: Mapping[Term, Term]) -> Term:
    found = named.get(term)
    if found is not None:
        return found
    parts = [_counted(part, named) for part in term.terms]
    if isinstance(term.type, OpaqueType) and parts and all(isinstance(part.type, IntType) for part in parts):
        if term.op == "cast":
            return parts[0]
        if term.op in _ARITHMETIC:
            return binary(term.op, cast(parts[0], I64), cast(parts[1], I64), I64)
    return with_parts(term, parts)
