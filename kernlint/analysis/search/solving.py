"""Arguments that let two threads do what is wanted of them: conditions are solved for sizes, not tried out.

Two threads that would meet if nothing kept them from it are easy to find.  What keeps them are mostly tests against
sizes: ``x < width && y < height``, ``block * 8 + k < n / (rows * columns)``.  With the threads and their iterations
fixed these are facts about the arguments alone, which :mod:`kernlint.symbolic.narrowing` narrows to ranges; values are
then chosen one after the other, small ones first, and the whole question is asked again with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from kernlint.analysis.search.endings import asked_at_ends
from kernlint.prove.query import Launch, Overlap, Refuted, Side, is_shared
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
    rebuild,
    substitute,
)
from kernlint.tree.types import IntType

T = TypeVar("T")
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
    for full in (True, False):
        a, b = (_without(side, free, full) for side in (query.a, query.b))
        if full and a == _without(query.a, free, False) and b == _without(query.b, free, False):
            continue
        loose = replace(query, a=a, b=b)
        loose = replace(loose, premises=tuple(one for one in query.premises if not free & set(one.symbols)))
        met = asked_at_ends(loose, ask)
        if met is None or met.second is None:
            continue
        under = _under(query, met, free)
        if under is None:
            continue
        found = pinned(under, met, ask) or ask(under)
        if found is not None:
            return found
    return None


def _under(query: Overlap, met: Refuted, free: frozenset[Symbol]) -> Overlap | None:
    """The question with values of ``free`` under which the conditions of the two threads of ``met`` hold, as a launch
    in sight may have them; None where there are none."""
    facts = [*_of_actor(query.a, met, True, query), *_of_actor(query.b, met, False, query), *query.premises]
    facts = [fact for fact in facts if free & set(fact.symbols)]
    given = {symbol: value for symbol, value in met.values if symbol not in free}
    given.update(zip(BLOCK_DIM, met.block, strict=True))
    given.update(zip(GRID_DIM, met.grid, strict=True))
    facts = [substitute(fact, {s: const(given[s], s.type) for s in fact.symbols if s in given}) for fact in facts]

    def launched(values: Values) -> Launch | None:
        launch = query.launch.told(tuple(values.items()))
        moved = dict(launch.values)
        return launch if all(_holds(fact, moved) for fact in facts) else None

    launch = _chosen(facts, sorted(free, key=lambda symbol: symbol.serial), launched)
    return None if launch is None else replace(query, launch=launch)


def pinned(query: Overlap, met: Refuted, ask: Ask) -> Refuted | None:
    """The witness of ``query`` in the iterations of ``met``, which is soon looked for."""
    assert met.second is not None
    ours, theirs = dict(met.first.counters), dict(met.second.counters)
    if not (ours or theirs):
        return None
    a, b = _in_iterations(query.a, ours), _in_iterations(query.b, theirs)
    tied = tuple(one for one in query.tied if one[0] not in ours or one[1] not in theirs)
    if len(tied) < len(query.tied) and any(ours[x] != theirs[y] + shift for x, y, shift in set(query.tied) - set(tied)):
        return None
    found = ask(replace(query, a=a, b=b, tied=tied))
    if found is None or found.second is None:
        return None
    first = replace(found.first, counters=(*met.first.counters, *found.first.counters))
    second = replace(found.second, counters=(*met.second.counters, *found.second.counters))
    return replace(found, first=first, second=second)


def _in_iterations(side: Side, at: Values) -> Side:
    """The side in certain iterations of its loops."""
    images = {counter: const(value, counter.type) for counter, value in at.items()}
    conditions = (loop.condition for loop in side.counters if loop.counter in at and loop.condition is not None)
    return replace(
        side,
        offset=substitute(side.offset, images),
        guards=tuple(substitute(guard, images) for guard in (*side.guards, *conditions)),
        counters=tuple(loop for loop in side.counters if loop.counter not in at),
    )


def _without(side: Side, free: frozenset[Symbol], full: bool) -> Side:
    """The side without conditions on the symbols ``free``; ``full``: but with what they ask for where a tile is full,
    as ``k < min(n - base, 256)`` then asks for ``k < 256``."""

    def left(fact: Term) -> Term | None:
        if not free & set(fact.symbols):
            return fact
        fact = _full(fact, free) if full else fact
        return None if free & set(fact.symbols) else fact

    loops = tuple(
        loop if loop.condition is None else replace(loop, condition=left(loop.condition)) for loop in side.counters
    )
    return replace(side, guards=tuple(g for g in map(left, side.guards) if g is not None), counters=loops)


def _full(term: Term, free: frozenset[Symbol]) -> Term:
    """``term`` with the other one in place of a choice between two values of which one hangs on ``free``."""
    if not free & set(term.symbols):
        return term
    if term.op in ("select", "min", "max"):
        ways = term.terms[-2:]
        whole = [way for way in ways if not free & set(way.symbols)]
        if len(whole) == 1:
            return whole[0]
    return rebuild(term, tuple(_full(arg, free) for arg in term.terms)) if term.terms else term


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


def _chosen(facts: list[Term], free: list[Symbol], launched: Callable[[Values], T | None]) -> T | None:
    """What ``launched`` makes of values of ``free`` under which all ``facts`` may hold."""
    left = [TRIES]

    def step(values: Values, ranges: Narrowing | None) -> T | None:
        left[0] -= 1
        if ranges is None or left[0] <= 0:
            return None
        rest = [symbol for symbol in free if symbol not in values]
        if not rest:
            return launched(values)
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
