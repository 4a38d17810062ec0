"""Races in shared memory: concurrent pairs of accesses that two threads make to one place.

A race is kept only with a witness: a block that somebody would launch (see :mod:`kernlint.analysis.scenarios`) and two
threads of it for which both conditions hold and the bytes overlap.  It has to show under every shape that is
guessed, or under one that is in sight.  Threads of two different warps are tried first: they leave no excuse.  Pairs
of one warp count only where no warp barrier or collective stands between.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kernlint.analysis.accesses.changing import changing, without_copies_to_itself
from kernlint.analysis.accesses.needed import as_needed
from kernlint.analysis.accesses.pairs import (
    Pair,
    awaited,
    collective,
    concurrent,
    conflicting,
    known,
    of_thread,
    put_before,
    same_value,
    unended,
    usable,
    waits,
)
from kernlint.analysis.accesses.unseen import past
from kernlint.analysis.accesses.used_parts import as_used
from kernlint.analysis.assumptions import assumed
from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.excuses import COLLISION
from kernlint.analysis.excuses.atomics import first_look
from kernlint.analysis.excuses.excuse import excused
from kernlint.analysis.excuses.looks import same_either_way
from kernlint.analysis.launching.alone import alone
from kernlint.analysis.order import order
from kernlint.analysis.scenarios.policy import scenarios
from kernlint.analysis.search.collisions import LARGE, Asker, Race, asker_of
from kernlint.analysis.search.first_rounds import begun
from kernlint.analysis.search.rooms import ARGUMENTS, begin
from kernlint.analysis.sharing.each_warp import put_by_own_warp
from kernlint.analysis.sharing.one_value import settled_reads
from kernlint.analysis.sharing.rows import inside_rows
from kernlint.analysis.sharing.starts import without_rounds
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, AsyncEvent, Trace
from kernlint.source import Span
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import SymbolKind
from kernlint.tree.types import Space

PAIRS = 10_000
"""Pairs of accesses to one object that are looked at at all, nearest first."""

ALIKE = 16
"""Questions asked of pairs at the same two places in the source: those of a helper that is called many times."""


def followed(of: Trace) -> bool:
    """Whether the walk saw enough of the kernel to speak of its phases.

    What it did not understand on the way is told at the accesses that it concerns (see ``Event.doubted``).
    """
    return not any(gap.kind == "budget" for gap in of.gaps)


def unbroken(of: Trace) -> bool:
    """Whether the walk followed every statement, so that what is not in the trace is not in the kernel."""
    return not any(gap.kind in ("goto", "budget", "statement", "lost") for gap in of.gaps)


def candidates(of: Trace, accesses: Iterable[Access], *, warp: bool = False) -> list[Iterator[Pair]]:
    """For each object among ``accesses`` of ``of`` the concurrent conflicting pairs, those of writes with themselves
    first."""
    ended = waits(of.asyncs)
    by_root: dict[int, list[Access]] = {}
    for access in accesses:
        if known(access) or of_thread(access):
            by_root.setdefault(id(access.root), []).append(access)
    return [_of_object(group, ended, warp) for group in by_root.values()]


def _of_object(group: Sequence[Access], ended: Sequence[AsyncEvent], warp: bool) -> Iterator[Pair]:
    last = {
        id(access): frozenset(
            id(label.barrier) for label in (access.warp_labels if warp else access.labels) if usable(label)
        )
        for access in group
    }
    writing = [access.writes for access in group]
    settled = settled_reads(group)
    for gap in range(min(len(group), 1 + PAIRS // len(group))):
        for at, second in enumerate(group[gap:]):
            if not (writing[at] or writing[at + gap]):
                continue
            first = group[at]
            if id(first) in settled or id(second) in settled:
                continue  # whoever stores there stores what they have read
            if not collective(first) and last[id(first)].isdisjoint(last[id(second)]):
                continue  # another barrier stands between
            if not conflicting(first, second) or same_value(first, second, warp=warp):
                continue
            if awaited(first, second, ended):
                continue
            if first_look.holds((first, second), None) or first_look.holds((second, first), None):
                continue
            if collective(first) and not warp and first.order < second.order:
                yield unended(first, second, ended)
            elif not warp or not (first.asynchronous or second.asynchronous):
                yield from concurrent(first, second, warp=warp)


Place = tuple[str, int, int]


def place(span: Span) -> Place:
    """A span as a key."""
    return span.file, span.start, span.end


def _compute(facts: Facts) -> tuple[Race, ...]:
    of = facts[trace]
    shared = [access for access in of.accesses if access.root.space is Space.SHARED]
    shared = as_used(without_copies_to_itself(shared), facts.reached)
    if not shared or not followed(of) or facts[alone]:
        return ()
    asker = asker_of(facts, of)
    found: dict[tuple[int, Place, Place], Race] = {}
    guessed = not facts[scenarios].seen
    _collect(asker, candidates(of, shared), found, warp=False, guessed=guessed)
    if facts.module.language == "cuda":
        asker.at_least_half()
        _collect(asker, candidates(of, shared, warp=True), found, warp=True, guessed=guessed)
    return tuple(race for race in found.values() if facts[order].within_block(*race.accesses) is None)


def _collect(
    asker: Asker,
    objects: list[Iterator[Pair]],
    found: dict[tuple[int, Place, Place], Race],
    *,
    warp: bool,
    guessed: bool,
) -> None:
    """Look at the pairs of the object that has had the fewest questions so far: one with many that are hard to tell
    leaves the others theirs.  Two places in the source that were asked about (a helper's, called many times) come once
    more only when all others have had a question, and so do those that take long.  Threads of a block that is
    ``guessed`` leave no row: a larger one may not be meant."""
    asked: dict[tuple[int, Place, Place], int] = {}
    spent = dict.fromkeys(objects, 0)
    dear: dict[Iterator[Pair], list[Pair]] = {pairs: [] for pairs in objects}
    again: dict[Iterator[Pair], list[Pair]] = {pairs: [] for pairs in objects}
    while spent and asker.left > 0:
        pairs = min(spent, key=spent.__getitem__)
        pair = next(pairs, None)
        if pair is None:
            cost, long, alike = spent.pop(pairs), dear.pop(pairs, None), again.pop(pairs, None)
            if long:
                rest = iter(long)
                spent[rest], again[rest] = cost, alike or []
            elif alike:
                spent[iter(alike)] = cost
            continue
        key = (id(pair.first.root), place(pair.first.span), place(pair.second.span))
        if key in found or asked.get(key, 0) >= ALIKE:
            continue
        if key in asked and pairs in again:
            again[pairs].append(pair)
            continue
        if pairs in dear and _takes_long(pair):
            dear[pairs].append(pair)
            continue
        before = asker.left
        harmless = put_before(pair) or (not warp and put_by_own_warp(pair))
        asked_of = None if harmless else past(asker.unseen, changing(without_rounds(pair)))
        race = asker.race(inside_rows(asked_of, guessed), warp=warp) if asked_of is not None else None
        if race is None and asked_of is not None and (start := begun(asked_of)) is not None:
            race = asker.race(inside_rows(start, guessed), warp=warp)
        if warp and race is not None and (closer := as_needed(race.pair, asker.of)) is not None:
            race = asker.race(inside_rows(closer, guessed), warp=warp)
        asked[key] = asked.get(key, 0) + before - asker.left
        spent[pairs] += before - asker.left
        if race is None or excused(COLLISION, pair, race.witness):
            continue
        if not same_either_way.holds(race.pair, (race.witness, asker.of)):
            found[key] = race


def _takes_long(pair: Pair) -> bool:
    """Whether a search for threads of a pair is dear, or has little prospect: data have a say in the place, much is
    said of it, the two lie in parts of an object that begin at different places, or meet in two rounds of a loop around
    another one that both are in."""
    inner = [loop for loop in pair.first.loops if any(loop is other for other in pair.second.loops)]
    if pair.carried is not None and inner and inner[-1] is not pair.carried:
        return True
    if any(symbol.kind in _DATA for at in (pair.a, pair.b) for symbol in at.offset.symbols):
        return True
    if sum(term.size for at in (pair.a, pair.b) for term in (at.offset, *at.facts)) >= LARGE:
        return True
    return begin(polynomial(pair.a.offset), _LAUNCHED) != begin(polynomial(pair.b.offset), _LAUNCHED)


_LAUNCHED = ARGUMENTS | {SymbolKind.BLOCK_DIM, SymbolKind.GRID_DIM}
_DATA = frozenset({SymbolKind.LOAD, SymbolKind.UNKNOWN, SymbolKind.PHI})

shared_races = KernelAnalysis("shared_races", _compute, needs=(trace, scenarios, assumed, order, alone))
"""The races in shared memory of one kernel variant: at most one for two places in the source."""


def essential(races: Iterable[Race], most: int = 3) -> tuple[Race, ...]:
    """The few races to speak of: per object, those that name places not yet spoken of, nearest accesses first.

    What rests on no data comes first, and two writes of one place after a read that meets a write; at most ``most``
    for one object, and one for a barrier that would keep its threads apart.  Accesses that are in order as long as the
    threads of a warp run in step are one mistake from one barrier to the next, whatever the objects.
    """

    def rank(race: Race) -> tuple[bool, bool, bool, bool, int, int]:
        first, second = race.accesses
        both_write = first.kind is AccessKind.WRITE and second.kind is AccessKind.WRITE
        distance = abs(second.order - first.order)
        alike = both_write and first is not second
        return race.same_warp, race.in_step, race.witness.depends_on_data, alike, distance, first.order

    chosen: list[Race] = []
    told: dict[int, set[Place]] = {}
    counts: dict[int, int] = {}
    gaps: dict[int, list[tuple[int, int]]] = {}
    ends: set[tuple[int, int]] = set()
    for race in sorted(races, key=rank):
        root = id(race.root)
        here = {place(access.span) for access in race.accesses}
        if here <= told.setdefault(root, set()) or counts.get(root, 0) >= most:
            continue
        if not race.same_warp and _remedied(race, gaps.setdefault(root, []), ends):
            continue
        told[root] |= here
        counts[root] = counts.get(root, 0) + 1
        chosen.append(race)
    return tuple(sorted(chosen, key=lambda race: race.pair.second.order))


def _remedied(race: Race, gaps: list[tuple[int, int]], ends: set[tuple[int, int]]) -> bool:
    """Whether a barrier asked for before keeps the threads of ``race`` apart too; what it asks for is noted in ``gaps``
    (after which access in time, before which one) and ``ends`` (of loop bodies, or after which barrier)."""
    first, second = race.accesses
    if race.in_step or race.pair.carried is not None:
        key = (0, id(race.pair.barrier)) if race.in_step else (id(race.root), id(race.pair.carried))
        if key in ends:
            return True
        ends.add(key)
    elif first is not second:
        for at, (start, end) in enumerate(gaps):
            start, end = max(start, first.order), min(end, second.order)
            if start < end:
                gaps[at] = start, end
                return True
        gaps.append((first.order, second.order))
    return False


def within_warps(races: Iterable[Race]) -> list[Race]:
    """The races between threads of one warp that are mistakes of their own.

    Where threads of two warps collide too a barrier of the block is missing: the one that has to come there orders the
    lanes of a warp as well.
    """
    races = list(races)
    wide = [race for race in races if not race.same_warp]
    return [race for race in races if race.same_warp and not any(_one_barrier(race, other) for other in wide)]


def _one_barrier(race: Race, other: Race) -> bool:
    """Whether one barrier would come between the accesses of both."""
    if race.pair.carried is not other.pair.carried or race.pair.reversed != other.pair.reversed:
        return False
    if race.pair.carried is not None:
        return True
    (a, b), (c, d) = race.accesses, other.accesses
    return a is not b and c is not d and max(a.order, c.order) < min(b.order, d.order)


def read_of_copy(race: Race) -> bool:
    """Whether a thread reads what another one's ``cp.async`` has brought, with no barrier between."""
    first, second = race.accesses
    return of_thread(first) and second.kind is AccessKind.READ and race.pair.carried is None
