"""Tests whose outcomes an array of the thread keeps: ``for (i..) ok[i] = base + i < n;`` and ``if (ok[k]) ..``, later.

Where the array is filled whole, by a loop that nobody leaves early or element by element, before anything is read of
it, what is read is the test for that element.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kernlint.analysis.trace.events import Access, AccessKind, Event, Guard, LoopContext, Root, Trace
from kernlint.symbolic.polynomial import Polynomial, number, polynomial, term_of
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, cast, substitute
from kernlint.tree.types import Space

_TESTS = frozenset({"lt", "le", "eq", "ne", "land", "lor", "lnot"})


def with_kept_tests(trace: Trace, filled: Callable[[Root], bool]) -> None:
    """Put the tests themselves into guards that read them from arrays; ``filled``: whether all writes to an array are
    known."""
    kept = dict(_kept(trace, filled))
    if not kept:
        return
    known: dict[int, tuple[Guard, Guard]] = {}
    for event in trace.events:
        if any(_read(guard, kept) for guard in event.guards):
            event.guards = tuple(_told(guard, event, kept, known) for guard in event.guards)


def _kept(trace: Trace, filled: Callable[[Root], bool]) -> Iterator[tuple[Root, list[Access]]]:
    writes: dict[Root, list[Access]] = {}
    for access in trace.accesses:
        if access.root.space is Space.PRIVATE and access.kind is AccessKind.WRITE and not access.doubted:
            writes.setdefault(access.root, []).append(access)
    for root, stores in writes.items():
        if not all(store.value is not None and _test(store.value) for store in stores) or not filled(root):
            continue
        places = [store.offset.value for store in stores]
        one_by_one = None not in places and len(set(places)) == len(places)
        loops = {loop for store in stores for loop in store.loops[-1:]}
        last = max(store.order for store in stores)
        later = all(
            access.order > last and (loops.isdisjoint(access.loops) or access.offset == stores[0].offset)
            for access in trace.accesses
            if access.root is root and not access.writes
        )
        if later and (one_by_one or (len(stores) == 1 and _by_rounds(stores[0]))):
            yield root, stores


def _test(value: Term) -> bool:
    while value.op == "cast":
        value = value.args[0]
    return value.op in _TESTS


def _by_rounds(store: Access) -> bool:
    """Whether each round of the loop around a store puts its own element there, by what it alone knows."""
    loop = store.loops[-1] if store.loops else None
    if loop is None or loop.exits or loop.leaves or loop.returns or loop.post_tested or loop.condition is None:
        return False
    assert store.value is not None
    own = [symbol for symbol in store.value.symbols if symbol.serial >= loop.serial and symbol is not loop.counter]
    return not own and _step(store.offset, loop) is not None


def _step(offset: Term, loop: LoopContext) -> tuple[int, Polynomial] | None:
    """Bytes from one round's element to the next one's, and where that of the first one is."""
    place = polynomial(offset)
    by = place.coefficient(loop.counter)
    step = by.constant if by is not None else None
    if not step:
        return None
    return step, place - polynomial(loop.counter.term).scaled(step)


def _read(guard: Guard, kept: dict[Root, list[Access]]) -> list[Symbol]:
    return [s for s in guard.term.symbols if s.kind is SymbolKind.LOAD and s.origin[0] in kept]


def _told(guard: Guard, event: Event, kept: dict[Root, list[Access]], known: dict[int, tuple[Guard, Guard]]) -> Guard:
    read = _read(guard, kept)
    if not read:
        return guard
    if id(guard) in known:
        return known[id(guard)][1]
    found = {symbol: _outcome(symbol, kept[symbol.origin[0]], event) for symbol in read}
    images = {symbol: outcome for symbol, outcome in found.items() if outcome is not None}
    done = Guard(substitute(guard.term, images), guard.kind, guard.span, guard.loop) if images else guard
    known[id(guard)] = guard, done
    return done


def _outcome(symbol: Symbol, stores: list[Access], event: Event) -> Term | None:
    """What an array that ``stores`` have filled holds at the place of a read."""
    at = symbol.origin[1]
    for store in stores:
        loop = None if store.offset.value is not None else store.loops[-1]
        if any(guard not in event.guards for guard in store.guards if loop is None or guard.loop is not loop):
            continue
        assert store.value is not None
        if loop is None:
            if store.offset == at:
                return cast(store.value, symbol.type)
            continue
        stepped = _step(store.offset, loop)
        rest = polynomial(at) - stepped[1] if stepped is not None else number(1)
        if stepped is not None and all(not factor % stepped[0] for factor in rest.coefficients.values()):
            nth = Polynomial({mono: factor // stepped[0] for mono, factor in rest.coefficients.items()})
            images = {loop.counter: cast(term_of(nth), loop.counter.type)}
            return cast(substitute(store.value, images), symbol.type)
    return None
