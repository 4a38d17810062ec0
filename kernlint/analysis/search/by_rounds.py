"""Places that a value chooses which all threads of a block read alike, and read anew in each round of a loop.

``bit = 1 << gates[g].target`` pairs the cells of a table in another way in each round; the threads of one round agree
on it, so that each has cells of its own.  Those of two rounds do not: it is a number of the round, of which memory says
what it is, and a search that chooses contents of memory gives each round one.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.search.settled import unsettled
from kernlint.analysis.trace.events import Root
from kernlint.prove.query import Overlap, Side
from kernlint.record import replace
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, Uniformity, const, substitute
from kernlint.tree.types import IntType, Space

TRIED = ((0, 6), (6, 0), (0, 1))
"""What two rounds read: small numbers, which may be those of a bit as well as of an element."""

SEVERAL = 4
"""Values of one round that are looked at together."""


def in_two_rounds(query: Overlap) -> Iterator[Overlap]:
    """The question with numbers in place of the values that each of two rounds has read; none where places rest on more
    than these."""
    found = sorted({s for s in query.private if _of_round(s) and _placing(s, query)}, key=lambda s: s.serial)
    if not 0 < len(found) <= SEVERAL:
        return
    for ours, theirs in TRIED:
        a, b = _with(query.a, found, ours), _with(query.b, found, theirs)
        if a is not None and b is not None:
            asked = replace(query, a=a, b=b, private=query.private - set(found))
            if unsettled(asked):
                return
            yield asked


def _placing(symbol: Symbol, query: Overlap) -> bool:
    return symbol in query.a.offset.symbols or symbol in query.b.offset.symbols


def _of_round(symbol: Symbol) -> bool:
    """Whether a symbol is an integer that all threads of a block read from memory that is not their own to change."""
    if symbol.kind is not SymbolKind.LOAD or symbol.uniformity > Uniformity.BLOCK:
        return False
    if not isinstance(symbol.type, IntType) or not isinstance(symbol.origin, tuple):
        return False
    root, place = symbol.origin
    known = isinstance(root, Root) and root.space in (Space.GLOBAL, Space.CONSTANT)
    return known and any(s.kind in (SymbolKind.COUNTER, SymbolKind.PHI) for s in place.symbols)


def _with(side: Side, found: list[Symbol], value: int) -> Side | None:
    """The side in a round that has read ``value``, and other numbers beside it; None where a type holds them not."""
    images: dict[Symbol, Term] = {}
    for at, symbol in enumerate(found):
        number = value + 2 * at
        if not isinstance(symbol.type, IntType) or not symbol.type.low <= number <= symbol.type.high:
            return None
        images[symbol] = const(number, symbol.type)
    loops = tuple(
        loop if loop.condition is None else replace(loop, condition=substitute(loop.condition, images))
        for loop in side.counters
    )
    guards = tuple(substitute(guard, images) for guard in side.guards)
    return replace(side, offset=substitute(side.offset, images), guards=guards, counters=loops)
