"""Arguments that let two threads do what is wanted of them: conditions are solved for sizes, not tried out.

Two threads that would meet if nothing kept them from it are easy to find.  What keeps them are mostly tests against
sizes: ``x < width && y < height``, ``block * 8 + k < n / (rows * columns)``.  With the threads and their iterations
fixed these are facts about the arguments alone, which :mod:`kernlint.symbolic.narrowing` narrows to ranges; values are
then chosen one after the other, small ones first, and the whole question is asked again with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from kernlint.prove.query import Overlap, Refuted, Side, is_shared
from kernlint.record import replace
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.narrowing import Narrowing, narrowed, told
from kernlint.symbolic.terms import (
    BLOCK,
    BLOCK_DIM,
    GRID_DIM,
    THREAD,
    Symbol,
    SymbolKind,
    Term,
    const,
    substitute,
)
from kernlint.tree.types import IntType

Ask = Callable[[Overlap], Refuted | None]
Values = dict[Symbol, int]

TRIES = 80
"""Choices of a value for one question."""

_SIZES = frozenset({SymbolKind.PARAM, SymbolKind.TEMPLATE, SymbolKind.LOAD, SymbolKind.SIZEOF})


def solved(query: Overlap, ask: Ask) -> Refuted | None:
    """A witness with arguments that the conditions of both threads were solved for; None: none was found."""
    known = {symbol for symbol, _ in query.launch.values}
    placing = {symbol for side in (query.a, query.b) for symbol in side.offset.symbols}
    free = frozenset(
        symbol
        for side in (query.a, query.b)
        for fact in side.facts
        for symbol in fact.symbols
        if symbol.kind in _SIZES
        and isinstance(symbol.type, IntType)
        and is_shared(symbol, query)
        and symbol not in known
        and symbol not in placing
    )
    if not free:
        return None
    loose = replace(query, a=_without(query.a, free), b=_without(query.b, free))
    loose = replace(loose, premises=tuple(one for one in query.premises if not free & set(one.symbols)))
    met = ask(loose)
    if met is None or met.second is None:
        return None
    facts = [*_of_actor(query.a, met, True, query), *_of_actor(query.b, met, False, query), *query.premises]
    facts = [fact for fact in facts if free & set(fact.symbols)]
    given = {symbol: value for symbol, value in met.values if symbol not in free}
    given.update(zip(BLOCK_DIM, met.block, strict=True))
    given.update(zip(GRID_DIM, met.grid, strict=True))
    facts = [substitute(fact, {s: const(given[s], s.type) for s in fact.symbols if s in given}) for fact in facts]
    chosen = _chosen(facts, sorted(free, key=lambda symbol: symbol.serial))
    if chosen is None:
        return None
    return ask(replace(query, launch=query.launch.told(tuple(chosen.items()))))


def _without(side: Side, free: frozenset[Symbol]) -> Side:
    """The side without conditions on the symbols ``free``."""
    guards = tuple(guard for guard in side.guards if not free & set(guard.symbols))
    loops = tuple(
        replace(loop, condition=None) if loop.condition is not None and free & set(loop.condition.symbols) else loop
        for loop in side.counters
    )
    return replace(side, guards=guards, counters=loops)


def _of_actor(side: Side, met: Refuted, first: bool, query: Overlap) -> Iterable[Term]:
    """The conditions of one of the two threads, as facts about what both share."""
    actor = met.first if first else met.second
    assert actor is not None
    values: Values = dict(zip(THREAD, actor.thread, strict=True))
    values.update(zip(BLOCK, actor.block, strict=True))
    values.update(actor.counters)
    for fact in side.facts:
        left = substitute(fact, {s: const(values[s], s.type) for s in fact.symbols if s in values})
        if all(is_shared(symbol, query) for symbol in left.symbols):
            yield left


def _chosen(facts: list[Term], free: list[Symbol]) -> Values | None:
    """Values of ``free`` under which all ``facts`` hold."""
    left = [TRIES]

    def step(values: Values, ranges: Narrowing | None) -> Values | None:
        left[0] -= 1
        if ranges is None or left[0] <= 0:
            return None
        rest = [symbol for symbol in free if symbol not in values]
        if not rest:
            return values if all(_holds(fact, values) for fact in facts) else None
        # The one with the least room says most about the others.
        at = min(rest, key=lambda symbol: (ranges.of(symbol.term)[1] - ranges.of(symbol.term)[0], symbol.serial))
        for value in _candidates(at, ranges):
            found = step({**values, at: value}, told(ranges, {at: value}))
            if found is not None or left[0] <= 0:
                return found
        return None

    return step({}, narrowed(facts, {}))


def _candidates(symbol: Symbol, ranges: Narrowing) -> list[int]:
    """Values worth trying in the range of a size, small ones first."""
    low, high = ranges.of(symbol.term)
    least = max(low, 1) if high >= 1 else low
    wanted = (least, least + 1, 2 * least, 4 * least, 64, 256, 1 << 10, 1 << 16, 1 << 24)
    return [value for value in dict.fromkeys(wanted) if least <= value <= high]


def _holds(fact: Term, values: Mapping[Symbol, int]) -> bool:
    """Whether a fact holds as far as it speaks of ``values`` alone."""
    return any(symbol not in values for symbol in fact.symbols) or evaluate(fact, values) not in (0, None)
