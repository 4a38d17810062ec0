"""Which threads do something with what they read.

``if (v > best[w] && lane == 0) best[w] = v;`` has all lanes read ``best[w]``, and the first one alone makes anything of
it: for the others it is no matter whether they find the old or the new.  A value that a thread reads matters to it only
where something that hangs on the value happens, or may happen, in that thread.

This is asked where lanes of one warp meet, and of global memory.  A block that reads a word of shared memory together
and then goes on to overwrite it lacks a barrier, whoever makes use of the word.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce

from kernlint.analysis.accesses.pairs import Pair
from kernlint.analysis.trace.events import (
    Access,
    AccessKind,
    AsyncEvent,
    BarrierEvent,
    CallEvent,
    Event,
    GuardKind,
    LoopContext,
    Trace,
    WarpEvent,
)
from kernlint.prove.cases import conjuncts
from kernlint.prove.query import PLACED, Side
from kernlint.record import replace
from kernlint.symbolic.terms import CUT_SHORT, Symbol, SymbolKind, Term, conjunction, disjunction, symbols
from kernlint.tree.types import Space

USES = 8
"""Places at most at which a value is used, of which it is asked what threads come there."""


def as_needed(pair: Pair, of: Trace) -> Pair | None:
    """``pair`` with reads made only by threads that use what they read; None where that is nothing new."""
    first, second = (needed(access, of) for access in (pair.first, pair.second))
    if first is None and second is None:
        return None
    return replace(pair, a=_with(pair.a, first), b=_with(pair.b, second))


def _with(at: Side, condition: Term | None) -> Side:
    return at if condition is None else replace(at, guards=(*at.guards, condition))


def needed(access: Access, of: Trace) -> Term | None:
    """A condition that holds for all threads which use the value of a read; None: there is none to tell."""
    if access.kind is not AccessKind.READ or access.asynchronous or not of.complete:
        return None
    tainted = Tainted(access, of)
    if not tainted.found or tainted.open:
        return None
    known = {part for guard in access.guards for part in conjuncts(guard.term)}
    ways: dict[tuple[Term, ...], None] = {}
    for event in events_of(of):
        if tainted.uses(event):
            parts = (part for guard in event.guards for part in _of_place(guard.kind, guard.term))
            ways[tuple(part for part in dict.fromkeys(parts) if part not in known)] = None
    if not ways or () in ways or len(ways) > USES:
        return None
    return reduce(disjunction, (reduce(conjunction, way) for way in ways))


def _of_place(kind: GuardKind, term: Term) -> Iterator[Term]:
    """What a guard says of the place of a thread and of arguments alone."""
    if kind is not GuardKind.AFTER_LOOP:
        yield from (part for part in conjuncts(term) if all(symbol.kind in _PLACE for symbol in symbols(part)))


_PLACE = PLACED - {SymbolKind.COUNTER} | {SymbolKind.WARP_SIZE}


def events_of(of: Trace) -> Iterable[Event]:
    """All that threads do."""
    return (*of.accesses, *of.images, *of.barriers, *of.warp_ops, *of.asyncs, *of.calls, *of.exits, *of.throws)


class Tainted:
    """What hangs on the value of a read: symbols, and variables of the thread that it gets into.  ``open``: a loop goes
    by it.  ``found``: the value is met at all (what a thread has stored itself may stand in its place)."""

    def __init__(self, access: Access, of: Trace) -> None:
        self._known: dict[Symbol, bool] = {}
        self._start = (access.root, access.offset)
        loads = [symbol for symbol in _symbols(of) if symbol.kind is SymbolKind.LOAD and symbol.origin == self._start]
        self._since = min((symbol.serial for symbol in loads), default=0)
        self.found = bool(loads)
        self._own: set[int] = set()
        self._given = {id(one.node) for one in of.accesses if one.kind is AccessKind.ATOMIC}
        self.open = False
        events = list(events_of(of))
        while True:
            grown = [
                event
                for event in events
                if isinstance(event, Access) and _kept(event, self._own) and self._any(_put(event))
            ]
            if not grown:
                break
            self._own |= {id(event.root) for event in grown}
            self._known.clear()
        self.open = any(self.of(end) for loop in of.loops for end in loop.ends)

    def of(self, term: Term) -> bool:
        """Whether a term hangs on the value."""
        return any(self._symbol(symbol) for symbol in symbols(term))

    def uses(self, event: Event) -> bool:
        """Whether an event hangs on the value, or may use it out of sight."""
        if isinstance(event, CallEvent | AsyncEvent):
            return True
        if isinstance(event, Access) and id(event.root) in self._own:
            return False
        if isinstance(event, Access) and event.writes and event.value is None:
            return True
        return self._any(_terms(event))

    def _any(self, terms: Iterable[Term]) -> bool:
        return any(map(self.of, terms))

    def _symbol(self, symbol: Symbol) -> bool:
        told = self._known.get(symbol)
        if told is None:
            self._known[symbol] = False  # as long as it is being asked
            told = self._known[symbol] = self._asked(symbol)
        return told

    def _asked(self, symbol: Symbol) -> bool:
        if any(self.of(part) for part in (symbol.init, symbol.step) if part is not None):
            return True
        origin = symbol.origin
        if isinstance(origin, WarpEvent):
            return self._any(_terms(origin))
        if symbol.kind is SymbolKind.LOAD:
            root, offset = origin
            return origin == self._start or id(root) in self._own or self.of(offset)
        if id(origin) in self._given:
            return False  # what an atomic operation gives back hangs on memory: who puts the value there has used it
        if symbol.kind is SymbolKind.EXIT and isinstance(origin, LoopContext):
            return any(map(self._symbol, origin.phis))
        if symbol.kind not in (SymbolKind.EXIT, SymbolKind.UNKNOWN):
            return False
        return symbol.reason == CUT_SHORT or symbol.serial > self._since  # nobody knows


def _kept(event: Access, own: set[int]) -> bool:
    """Whether an access puts something into a variable of the thread of which that is not known yet."""
    return event.writes and event.root.space is Space.PRIVATE and id(event.root) not in own


def _put(event: Access) -> list[Term]:
    return [term for term in (event.value, event.offset) if term is not None]


def _terms(event: Event) -> list[Term]:
    found = [guard.term for guard in event.guards]
    if isinstance(event, Access):
        found += [term for term in (event.offset, event.value, event.new) if term is not None]
    elif isinstance(event, WarpEvent):
        found += [*event.operands, *(term for term in (event.mask, event.width) if term is not None)]
    elif isinstance(event, BarrierEvent) and event.mask is not None:
        found.append(event.mask)
    return found


def _symbols(of: Trace) -> set[Symbol]:
    """All symbols that events, and the variables of loops, are made of."""
    found: set[Symbol] = set()
    todo = [symbol for event in events_of(of) for term in _terms(event) for symbol in symbols(term)]
    while todo:
        symbol = todo.pop()
        if symbol not in found:
            found.add(symbol)
            parts = (part for part in (symbol.init, symbol.step) if part is not None)
            todo += (inner for part in parts for inner in symbols(part))
    return found
