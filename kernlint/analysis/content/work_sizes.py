"""Scalars that say how much work there is for a block."""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.analysis.scenarios.numbers import scalar
from kernlint.prove.query import Side
from kernlint.symbolic.terms import Symbol, SymbolKind, Uniformity, symbols
from kernlint.tree.types import IntType, Space


def decided(symbol: Symbol) -> bool:
    """Whether a symbol is an integer that is settled before a block begins its work: an argument, or what all threads
    of the block read from one place before any loop."""
    if scalar(symbol):
        return True
    if symbol.kind is not SymbolKind.LOAD or symbol.uniformity > Uniformity.BLOCK:
        return False
    origin = symbol.origin
    if not isinstance(symbol.type, IntType) or not isinstance(origin, tuple) or origin[0].space is Space.SHARED:
        return False
    return all(s.kind in (SymbolKind.BLOCK, SymbolKind.PARAM) for s in symbols(origin[1]))


def turning(sides: Sequence[Side]) -> dict[Symbol, bool]:
    """The scalars in the conditions of loops around ``sides``, and whether they say nothing but how often all threads
    go round: they stand in no other condition."""
    found: dict[Symbol, bool] = {}
    elsewhere: set[Symbol] = set()
    for at in sides:
        conditions = {loop.condition for loop in at.counters if loop.condition is not None}
        elsewhere.update(symbol for guard in at.guards if guard not in conditions for symbol in symbols(guard))
        for condition in conditions:
            mentioned = symbols(condition)
            alike = not any(symbol.kind is SymbolKind.THREAD for symbol in mentioned)
            for symbol in filter(decided, mentioned):
                found[symbol] = found.get(symbol, True) and alike
    return {symbol: alike and symbol not in elsewhere for symbol, alike in found.items()}


def idle(sides: Sequence[Side]) -> set[Symbol]:
    """The scalars that end loops over the work of a thread whose places it always writes to are its own: where there is
    less to do than threads, some never come to write."""
    return {
        symbol
        for at in sides
        for loop in at.counters
        if loop.condition is not None and loop.counter not in symbols(at.offset)
        if any(symbol.kind is SymbolKind.THREAD for symbol in symbols(loop.condition))
        for symbol in filter(scalar, symbols(loop.condition))
    }
