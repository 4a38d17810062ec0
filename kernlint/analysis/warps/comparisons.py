"""Comparisons of what differs between threads with what one parameter decides."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, symbols


def compared(term: Term) -> Iterator[tuple[Term, Term]]:
    """The comparisons in a condition of what differs between lanes with what one parameter alone decides."""
    if term.op in ("lt", "le"):
        for free, index in (term.args, term.args[::-1]):
            found = symbols(free)
            param = next(iter(found), None)
            if len(found) == 1 and param is not None and param.kind is SymbolKind.PARAM and param not in symbols(index):
                yield index, free
    else:
        for arg in term.terms if term.op in ("land", "lor", "lnot", "and", "or", "cast") else ():
            yield from compared(arg)


def solved(term: Term, param: Symbol, least: int, most: int) -> int | None:
    """A value of ``param`` for which ``term``, which grows with it, is from ``least`` to ``most``."""
    low, high = 0, 1 << 24
    while low < high:
        middle = (low + high) // 2
        value = evaluate(term, {param: middle})
        if value is None:
            return None
        low, high = (middle + 1, high) if value < least else (low, middle)
    value = evaluate(term, {param: low})
    return low if value is not None and least <= value <= most else None
