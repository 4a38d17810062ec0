"""Pipelines of ``cp.async``: which copies may still be under way where shared memory is read.

A wait leaves the newest groups outstanding, as many as it says, so what has landed is a matter of counting: which
copies belong to which group, how many groups were committed before the wait, which part of the buffer an iteration
reads.  The copies, commits, waits and reads of a kernel are gone through in order for one block, each loop for a few
iterations, with counts of groups for every thread.  Sizes are made up, several times over; a loop with waits that has
not come to its end by then is the last thing looked at.  Whatever cannot be computed ends the count: no answer.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile

from kernlint.analysis.content.initialised import GROUNDS
from kernlint.analysis.scenarios.numbers import scalar
from kernlint.analysis.scenarios.scenario import Scenario, Scenarios
from kernlint.analysis.trace.events import Access, AccessKind, AsyncEvent, Event, GuardKind, LoopContext, Trace
from kernlint.record import dataclass, field
from kernlint.symbolic.evaluate import compile_terms, evaluate
from kernlint.symbolic.terms import BLOCK, BLOCK_DIM, GRID_DIM, THREAD, WARP_SIZE, Symbol, SymbolKind, Term, symbols
from kernlint.tree.nodes import AsyncCopy
from kernlint.tree.types import IntType

SIZES = (3, 100, 100_000)
"""Values for the arguments that say how much work there is: a few rounds, and more than are looked at."""

ROUNDS = 8
"""Iterations of a loop that are looked at."""

THREADS, SURE = 128, 32
"""Threads of a block that are looked at, and those of a block of which nothing is known: with more than it has one
thread's part of a buffer would be taken for another's."""

SHAPES = 3
"""Scenarios of a block that are tried."""

EFFORT = 60_000
"""Terms that are computed for one kernel at most."""

MECHANISM = "cp_async"


@dataclass(frozen=True, slots=True)
class _Meeting:
    """A place where threads may wait for each other, in the ``loops`` that copies or reads stand in too."""

    order: int
    loops: tuple[LoopContext, ...]


Item = Access | AsyncEvent | _Meeting


@dataclass(frozen=True, slots=True)
class Outstanding:
    """A read of bytes that ``copy`` may still be writing.  ``wait``: the last one before it, if there was any;
    ``committed``: the copy is in a group; ``size``: what the arguments were; ``others``: whoever has begun the copy has
    waited for it, but not the thread that reads, and no barrier followed."""

    copy: AsyncEvent
    read: Access
    wait: AsyncEvent | None
    committed: bool
    size: int
    others: bool = False


class _End(Exception):
    """Nothing more can be told."""


@dataclass(slots=True)
class _Flight:
    """A copy that the threads of ``places`` (the first byte of each) have begun; ``groups``: the number of the group
    that it is in, for those who have committed it; ``awaited``: the places of those who have waited for it, with no
    barrier since."""

    copy: AsyncEvent
    access: Access
    places: dict[int, int]
    groups: dict[int, int] = field(default_factory=dict)
    awaited: dict[int, int] = field(default_factory=dict)

    def land(self, thread: int) -> None:
        """The thread's own part is there, as far as the thread knows."""
        place = self.places.pop(thread, None)
        if place is not None:
            self.awaited[thread] = place


def outstanding(of: Trace, found: Scenarios) -> list[Outstanding]:
    """Reads of what is still being copied, the first one of each buffer: they show under a shape in sight, or under
    each that is guessed."""
    if not any(_own(event.node) for event in of.asyncs):
        return []
    effort = [EFFORT]
    out: dict[int, Outstanding] = {}
    for number, shape in enumerate(found.plausible[:SHAPES]):
        here = {id(one.read.root): one for size in SIZES for one in reversed(_Count(of, shape, size, effort).run())}
        if found.seen:
            out = {**here, **out}
        else:
            out = {key: one for key, one in (out if number else here).items() if key in here}
    return list(out.values())


_Function = Callable[[Mapping[Symbol, int]], int | None]


def _wrapped(symbol: Symbol, value: int) -> int:
    return symbol.type.wrap(value) if isinstance(symbol.type, IntType) else value


class _Count:
    def __init__(self, of: Trace, shape: Scenario, size: int, effort: list[int]) -> None:
        self.size = size
        self.effort = effort
        copies = [a for a in of.accesses if a.asynchronous and a.kind is AccessKind.WRITE and _own(a.node)]
        width, height, _ = shape.block
        most = THREADS
        if not shape.seen and (shape.reason not in GROUNDS or any(access.root.extent is None for access in copies)):
            most = width = SURE
        self.threads = [
            (number % width, number // width % height, number // (width * height))
            for number in range(min(shape.threads, most))
        ]
        self.env: dict[Symbol, int] = {
            **dict.fromkeys(BLOCK, 0),
            **dict.fromkeys(GRID_DIM, 1),
            **dict(zip(BLOCK_DIM, shape.block, strict=True)),
            WARP_SIZE: 32,
        }
        self.copies = {made(access): access for access in copies}
        roots = {id(access.root) for access in copies}
        reads = [a for a in of.accesses if id(a.root) in roots and a.kind is AccessKind.READ and not a.asynchronous]
        events = [event for event in of.asyncs if event.node.mechanism == MECHANISM]
        moving = {id(loop) for item in (*events, *reads) for loop in item.loops}
        meetings = (
            _Meeting(e.order, tuple(takewhile(lambda loop: id(loop) in moving, e.loops)))
            for e in (*of.barriers, *of.warp_ops, *(event for event in of.asyncs if event.node.mechanism != MECHANISM))
        )
        self.items: list[Item] = sorted((*events, *reads, *meetings), key=lambda item: item.order)
        self.countable = all(map(_countable, (*copies, *reads)))
        self.flights: list[_Flight] = []
        self.groups = [0] * len(self.threads)
        self.landed = [0] * len(self.threads)
        self.wait: AsyncEvent | None = None
        self.found: list[Outstanding] = []
        self.functions: dict[int, tuple[Term, list[Symbol], Callable[..., tuple[int, ...] | None] | None]] = {}

    def run(self) -> list[Outstanding]:
        """What is read too early."""
        if self.countable:
            with contextlib.suppress(_End):
                self._sequence(self.items, 0)
        return self.found

    def _sequence(self, items: Sequence[Item], depth: int) -> None:
        at = 0
        while at < len(items):
            item = items[at]
            if len(item.loops) == depth:
                self._step(item)
                at += 1
                continue
            loop, start = item.loops[depth], at
            while at < len(items) and len(items[at].loops) > depth and items[at].loops[depth] is loop:
                at += 1
            self._loop(loop, items[start:at], depth + 1)

    def _loop(self, loop: LoopContext, items: Sequence[Item], depth: int) -> None:
        if loop.condition is None or loop.exits or loop.leaves or loop.post_tested:
            raise _End
        for turn in range(ROUNDS):
            self.env[loop.counter] = turn
            if not any(self._each(loop.condition).values()):
                return
            self._sequence(items, depth)
        if any(isinstance(item, AsyncEvent) and not _own(item.node) for item in items):
            raise _End

    def _step(self, item: Item) -> None:
        if isinstance(item, _Meeting):
            for flight in self.flights:
                flight.awaited.clear()
            self.flights = [flight for flight in self.flights if flight.places]
            return
        active = self._active(item)
        if not active:
            return
        if isinstance(item, Access):
            self._read(item, active)
        elif isinstance(item.node, AsyncCopy):
            access = self.copies.get(made(item))
            if access is None:
                raise _End
            self.flights.append(_Flight(item, access, self._each(access.offset, active)))
        elif item.node.commit:
            for thread in active:
                self.groups[thread] += 1
                for flight in self.flights:
                    if thread in flight.places:
                        flight.groups.setdefault(thread, self.groups[thread])
        else:
            self._await(item, active)

    def _await(self, item: AsyncEvent, active: Sequence[int]) -> None:
        left = item.pending.value if item.pending is not None else None
        if left is None:
            raise _End
        if "all" in item.node.name:  # it speaks for what is in no group, too
            for flight in self.flights:
                for thread in active:
                    flight.land(thread)
        for thread in active:
            self.landed[thread] = max(self.landed[thread], self.groups[thread] - left)
        for flight in self.flights:
            for thread in active:
                if flight.groups.get(thread, self.groups[thread] + 1) <= self.landed[thread]:
                    flight.land(thread)
        self.flights = [flight for flight in self.flights if flight.places or flight.awaited]
        self.wait = item

    def _read(self, read: Access, active: Sequence[int]) -> None:
        coming = [flight for flight in self.flights if flight.access.root is read.root]
        if not coming or not read.size or any(one.read.root is read.root for one in self.found):
            return
        places = self._each(read.offset, active)
        for flight in coming:
            size = max(flight.access.size or 0, 1)
            written = {at + byte for at in flight.places.values() for byte in range(size)}
            for at in places.values():
                if any(byte in written for byte in range(at, at + read.size)):
                    committed = any(thread in flight.groups for thread in flight.places)
                    self.found.append(Outstanding(flight.copy, read, self.wait, committed, self.size))
                    return
            if any(self._of_another(flight, read, thread, at) for thread, at in places.items()):
                self.found.append(Outstanding(flight.copy, read, self.wait, True, self.size, others=True))
                return

    def _of_another(self, flight: _Flight, read: Access, thread: int, at: int) -> bool:
        """Whether a thread reads what another one has copied and waited for, and not from its own part."""
        size = max(flight.access.size or 0, 1)
        if not any(there <= at < there + size for there in flight.awaited.values()):
            return False
        mine = [(one, one.awaited.get(thread)) for one in self.flights if one.access.root is read.root]
        return not any(own is not None and own <= at < own + max(one.access.size or 0, 1) for one, own in mine)

    def _active(self, item: Access | AsyncEvent) -> list[int]:
        """The threads that get there."""
        active: Sequence[int] = range(len(self.threads))
        for guard in item.guards:
            if active and guard.kind is not GuardKind.AFTER_LOOP:
                holds = self._each(guard.term, active)
                active = [thread for thread in active if holds[thread]]
        return list(active)

    def _each(self, term: Term, threads: Sequence[int] | None = None) -> dict[int, int]:
        """What ``term`` is for each of ``threads``."""
        found = symbols(term)
        env = dict(self.env)
        env.update((symbol, self.size) for symbol in found if symbol not in env and scalar(symbol))
        threads = range(len(self.threads)) if threads is None else threads
        if not any(symbol.kind is SymbolKind.THREAD for symbol in found):
            return dict.fromkeys(threads, self._value(term, env))
        out: dict[int, int] = {}
        function = self._function(term, env)
        for thread in threads:
            env.update(zip(THREAD, self.threads[thread], strict=True))
            out[thread] = self._value(term, env, function)
        return out

    def _function(self, term: Term, env: Mapping[Symbol, int]) -> _Function | None:
        """A function of the symbols' values for a term that is computed for every thread again and again."""
        known = self.functions.get(id(term))
        if known is None:
            given = [symbol for symbol in symbols(term) if symbol in env or symbol in THREAD]
            known = self.functions[id(term)] = term, given, compile_terms([term], given)
        function, given = known[2], known[1]
        if function is None:
            return None

        def computed(env: Mapping[Symbol, int]) -> int | None:
            found = function(*(_wrapped(symbol, env[symbol]) for symbol in given))
            return int(found[0]) if found is not None else None

        return computed

    def _value(self, term: Term, env: dict[Symbol, int], function: _Function | None = None) -> int:
        self.effort[0] -= 1
        if self.effort[0] < 0:
            raise _End
        value = function(env) if function is not None else None
        if value is None:  # also where a part that does not count is undefined
            value = evaluate(term, env)
        if value is None:
            raise _End
        return value


def made(event: Event) -> tuple[object, ...]:
    """What tells the copies of one statement apart that helpers make for different callers."""
    assert isinstance(event, Access | AsyncEvent)
    return id(event.node), event.stack


def _own(node: object) -> bool:
    return isinstance(node, AsyncCopy) and node.mechanism == MECHANISM


_PLACING = (SymbolKind.THREAD, SymbolKind.COUNTER, SymbolKind.BLOCK_DIM, SymbolKind.WARP_SIZE)


def _countable(access: Access) -> bool:
    """Whether a place rests on the thread and the iteration alone, not on arguments that are made up."""
    return all(symbol.kind in _PLACING for symbol in symbols(access.offset))
