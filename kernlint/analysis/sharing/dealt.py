"""Numbers by which items are dealt out to rows or gathered in groups, as small as a small launch needs them."""

from __future__ import annotations

from collections.abc import Collection

from kernlint.analysis.accesses.pairs import Pair
from kernlint.analysis.trace.events import Access, AccessKind
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, subterms, symbols

TURN = 2
"""Rows that items are dealt out to in turn, so few that a small launch begins anew."""


def turns_of(pair: Pair, bounding: Collection[Symbol], others: Collection[Symbol]) -> tuple[Symbol, ...]:
    """The arguments by which a thread's number is divided for a remainder in the places of an update, where another
    argument bounds the number: with no more items than those there would be nothing to take a remainder of.  Where the
    quotient makes the place too, each item has its own; a ring begins where an argument or memory says, and its room
    bounds it."""
    if pair.first.root is not pair.second.root or not any(_updates(one) for one in (pair.first, pair.second)):
        return ()
    found: dict[Symbol, None] = {}
    quotients = {plain(part.args[1]).symbol for part in subterms(pair.a.offset) if part.op == "div"}
    for part in subterms(pair.a.offset):
        by = plain(part.args[1]).symbol if part.op == "mod" else None
        if by is None or by not in others or by in quotients:
            continue
        item = plain(part.args[0])
        own = {s for s in symbols(item) if s.kind in (SymbolKind.THREAD, SymbolKind.BLOCK)}
        known = (SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.BLOCK_DIM, SymbolKind.GRID_DIM)
        if not own or any(s.kind not in known for s in symbols(item)):
            continue
        tests = [fact for fact in pair.a.facts if own & set(symbols(fact))]
        if any(set(bounding) & set(symbols(test)) for test in tests):
            found[by] = None
    return tuple(found)


ODD = 3
"""Items to a group, of which no block has a whole number."""


def split_groups(pair: Pair, free: Collection[Symbol]) -> tuple[Symbol, ...]:
    """The arguments by which the numbers of items are divided in the places of two atomic operations: items of one
    group are where one block ends and the next begins, unless it is made of whole groups."""
    if not pair.first.kind is pair.second.kind is AccessKind.ATOMIC:
        return ()
    parts = (part for part in subterms(pair.a.offset) if part.op == "div")
    found = ((part, plain(part.args[1]).symbol) for part in parts)
    own = (by for part, by in found if any(s.kind is SymbolKind.BLOCK for s in symbols(part.args[0])))
    return tuple(dict.fromkeys(by for by in own if by is not None and by in free))


def _updates(access: Access) -> bool:
    """Whether what is written is made of what was there."""
    value = access.value
    return (
        access.writes
        and isinstance(value, Term)
        and any(
            s.kind is SymbolKind.LOAD and isinstance(s.origin, tuple) and s.origin[:2] == (access.root, access.offset)
            for s in symbols(value)
        )
    )
