"""Stores at counts: slots that atomic operations hand out, counts in memory, and those that a thread leaves there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.counter_clamps import Clamp, called, held_in
from kernlint.analysis.extent.counts import Count, cap_of, count_of, endless, is_slot, moved, ways
from kernlint.analysis.extent.pending import asks
from kernlint.analysis.trace.events import Access, AccessKind, GuardKind, Root, RootKind, Trace
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, symbols


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """A store at a count: ``times`` bytes from one to the next, ``rest`` of the offset.

    ``made_of``: the numbers that the count is; ``counter``: the atomic operation that hands it out (None: the thread
    counts by itself, or in memory); ``names``: what memory is called that holds it; ``in_columns``: another size stands
    between one element and the next; ``cap``: what tests keep it at or below (None: nothing asks for it).
    """

    access: Access
    made_of: frozenset[Symbol]
    times: int
    rest: Polynomial
    counter: Access | None
    names: frozenset[str]
    in_columns: bool
    cap: Polynomial | None


def drawn_stores(of: Trace, clamps: Mapping[str, Sequence[Clamp]]) -> Iterator[Drawn]:
    """The stores at slots, and those at counts that something of ``clamps`` holds."""
    counters = {id(one.node): one for one in of.accesses if one.kind is AccessKind.ATOMIC}
    lists = {name for known in clamps.values() for clamp in known for name in clamp.lists}
    for access in of.accesses if counters or lists else ():
        if access.kind is not AccessKind.WRITE or access.offset.value is not None:
            continue
        for symbol in symbols(access.offset):
            counter = counters.get(id(symbol.origin)) if is_slot(symbol) else None
            if counter is None and called(access.root) not in lists:
                continue
            counted = _counted(symbol, access, counter, of)
            one = _drawn(access, symbol, *counted, counter, of) if counted is not None else None
            if one is not None:
                yield one
                break


def _counted(
    symbol: Symbol, access: Access, counter: Access | None, of: Trace
) -> tuple[frozenset[Symbol], frozenset[str]] | None:
    """The numbers that a count is, and what memory is called that holds it."""
    if counter is not None:
        also = {called(w.root) for w in of.accesses if w.kind is AccessKind.WRITE and _holds(w.value, counter.root)}
        return frozenset({symbol}), frozenset({called(counter.root)} | also)
    if not access.loops or not endless(access.loops):
        return None
    if symbol.kind is SymbolKind.LOAD:
        up = any(one.kind is AccessKind.WRITE and _counts_up(one, symbol) for one in of.accesses)
        root = held_in(symbol.term)
        return (frozenset({symbol}), frozenset({called(root)})) if up and root is not None else None
    count = count_of(symbol, of) if symbol.kind is SymbolKind.PHI else None
    if count is None or not count.endless:
        return None
    kept = (one for one in of.accesses if one.kind is AccessKind.WRITE and one.root.kind is RootKind.PARAM)
    return count.made_of, frozenset(called(one.root) for one in kept if _is_count(one.value, count))


def _counts_up(store: Access, count: Symbol) -> bool:
    """Whether a store makes a count in memory larger by a number."""
    form = polynomial(store.value) if store.value is not None and (store.root, store.offset) == count.origin else None
    if form is None or form.coefficients.get((), 0) <= 0 or len(form.coefficients) != 2:
        return False
    held = [mono[0].symbol for mono, times in form.coefficients.items() if len(mono) == 1 and times == 1]
    return len(held) == 1 and held[0] is not None and held[0].origin == count.origin


def _holds(value: Term | None, root: Root) -> bool:
    return value is not None and held_in(value) is root


def _is_count(value: Term | None, count: Count) -> bool:
    """Whether a value is what a count is at last."""
    found = [moved(way) for way, _ in ways(value)] if value is not None and count.made_of & set(symbols(value)) else []
    return any(one is not None and one[0] in count.made_of for one in found)


def _drawn(
    access: Access,
    symbol: Symbol,
    made_of: frozenset[Symbol],
    names: frozenset[str],
    counter: Access | None,
    of: Trace,
) -> Drawn | None:
    form = polynomial(access.offset)
    mine = {mono: by for mono, by in form.coefficients.items() if any(symbol in symbols(atom) for atom in mono)}
    if len(mine) != 1 or not names:
        return None
    ((mono, times),) = mine.items()
    columns = [atom.symbol for atom in mono if atom != symbol.term]
    if times <= 0 or len(columns) != len(mono) - 1 or len(columns) > 1:
        return None
    if any(one is None or one.kind is not SymbolKind.PARAM for one in columns):
        return None
    rest = Polynomial({mono: by for mono, by in form.coefficients.items() if mono not in mine})
    guards = [guard for guard in access.guards if guard.kind is not GuardKind.AFTER_LOOP]
    caps = [cap_of(part, one.term) for guard in guards for part in conjuncts(guard.term) for one in made_of]
    known = [cap for cap in caps if cap is not None]
    cap = min(known, key=lambda one: one.constant or 0) if known else None
    if cap is None or (len(known) > 1 and any(one.constant is None for one in known)):
        asked = any(made_of & set(symbols(guard.term)) for guard in access.guards) or any(
            made_of & set(symbols(test.term)) for test in of.conditions
        )
        if known or (asked if counter is not None else asks(of, made_of, (access,))):
            return None
    return Drawn(access, made_of, times, rest, counter, names, bool(columns), cap)
