"""What orders two accesses that no barrier orders: hand-overs by flags, turns, tickets and locks.

A hand-over takes four things, in this order::

    access a            by any thread of one block
    release             a fence, or an order of the signal that includes one
    signal              a change of a word
    - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - -
    observer            a thread of another block (or of the same) has found the change
    acquire             a fence, or an order of the observer that includes one
    access b            by any thread of its block

Between ``a`` and the signal, and between the observer and ``b``, stands a barrier of the block where other threads
make them (PTX ISA, memory consistency model: fences are cumulative).  Fences and atomic operations have to reach as far
as the two threads are apart.  A lock says nothing of who comes first, so both accesses have to lie between taking and
giving it back.  What is not seen to be broken is taken to be in order.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from enum import Enum

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.order.words import (
    NEAR,
    WIDE,
    Observer,
    Word,
    acquires,
    equalities,
    of_own_block,
    only_axis,
    reaches,
    releases,
    waits_for_others,
    words,
)
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, Event, FenceEvent, Guard, GuardKind, Trace
from kernlint.prove.cases import conjuncts, ways
from kernlint.record import dataclass, field
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, Uniformity, negate, symbols
from kernlint.symbolic.uniformity import uniformity
from kernlint.tree.nodes import Scope
from kernlint.tree.types import Space

Reach = frozenset[Scope]

RELAYS = 4
"""Threads, at most, through whose hands something is followed."""


class Reason(Enum):
    """Why two accesses are in order."""

    HANDED_OVER = "handed over by a word that one thread sets and the other waits for"
    LOCKED = "both under one lock"
    LAST = "only the block that a ticket has told so comes here"
    AGREED = "all put there what they make of what was there before they met"
    WORD = "both are of a word that threads talk by"
    UNSURE = "something is handed over, with what is not seen to be enough"


@dataclass(frozen=True, slots=True, eq=False)
class HandOver:
    """Something done before ``signal`` and something done behind ``observer``, both of ``word``.

    ``released``, ``acquired``: whether each side has its fence; ``met``: whether the threads of the block wait for each
    other before the signal.
    """

    word: Word
    signal: Access
    observer: Observer
    released: bool
    acquired: bool
    met: bool

    @property
    def whole(self) -> bool:
        """Whether nothing is missing."""
        return self.released and self.acquired and self.met


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """Answers what orders the accesses of one kernel where no barrier does."""

    of: Trace
    words: tuple[Word, ...]
    axis: Symbol | None = None
    """The number by which blocks are told apart, where the kernel asks for no other."""
    _behind: dict[tuple[int, Access], bool] = field(default_factory=dict, repr=False)
    _passed: dict[tuple[Access, Access], bool] = field(default_factory=dict, repr=False)

    def between_blocks(self, first: Access, second: Access) -> Reason | None:
        """Why ``first`` by a thread of one block and ``second`` by one of another are in order; None: nothing says
        that they are."""
        found = self._ordered(first, second, WIDE)
        if found is None and self._agreed(first, second):
            return Reason.AGREED
        if found is None and self._one_winner(first) and self._one_winner(second):
            return Reason.LAST
        if found is not None:
            return found
        linked = any(True for one, other in ((first, second), (second, first)) for _ in self.links(one, other))
        return Reason.UNSURE if linked or self._told_elsewhere(first) or self._told_elsewhere(second) else None

    def _agreed(self, first: Access, second: Access) -> bool:
        """Whether all blocks store one value, made of what they have found in the same object before they all met: the
        round that a barrier of the grid is in, which each block that leaves it puts there."""
        value = first.value
        if value is None or value != second.value or first.offset != second.offset or first.size != second.size:
            return False
        if not (first.kind is second.kind is AccessKind.WRITE):
            return False
        found = symbols(value)
        looks = [s for s in found if s.kind is SymbolKind.LOAD]
        if any(s.uniformity is not Uniformity.GRID for s in found if s not in looks):
            return False
        places = [s.origin for s in looks]
        if any(s.uniformity is not Uniformity.GRID for _, offset in places for s in symbols(offset)):
            return False
        read = [a for a in self.of.accesses if a.kind is AccessKind.READ and (a.root, a.offset) in places]
        return any(
            self.behind(wait, first) and self.behind(wait, second) and all(a.order < wait.access.order for a in read)
            for wait in waits_for_others(self.words)
        )

    def _told_elsewhere(self, access: Access) -> bool:
        """Whether an access comes behind a wait that nothing in sight ends."""
        for word in self.words:
            if word.lock and word.signals:
                continue  # whoever has it before gives it back
            for observer in word.observers:
                ends = (s for s in word.signals if s is not observer.access and not self.behind(observer, s))
                if observer.waits and self.behind(observer, access) and next(ends, None) is None:
                    return True
        return False

    def within_block(self, first: Access, second: Access) -> Reason | None:
        """The same for two threads of one block in one phase."""
        return self._ordered(first, second, NEAR)

    def links(self, before: Access, after: Access, reach: Reach = WIDE) -> Iterator[HandOver]:
        """The hand-overs, whole or broken, that lead from ``before`` to ``after``."""
        for word in self.words:
            if not word.holds(before) and not word.holds(after):
                yield from self._links(word, before, after, reach)

    def _ordered(self, first: Access, second: Access, reach: Reach) -> Reason | None:
        for word in self.words:
            if word.awaited and word.holds(first) and word.holds(second):
                return Reason.WORD
            if word.holds(first) or word.holds(second):
                continue
            if word.lock and self._inside(word, first, reach) and self._inside(word, second, reach):
                return Reason.LOCKED
            both = (*self._links(word, first, second, reach), *self._links(word, second, first, reach))
            if any(link.whole for link in both):
                return Reason.HANDED_OVER
        if reach is WIDE and (self._relayed(first, second) or self._relayed(second, first)):
            return Reason.HANDED_OVER
        return None

    def _relayed(self, before: Access, after: Access) -> bool:
        """Whether threads pass on what they have been handed, and the last of them hands it to ``after``.  How far each
        fence has to reach depends on who they are, so any will do."""
        reached: list[Access] = [before]
        for _ in range(RELAYS):
            found: list[Access] = []
            for word in self.words:
                for observer in word.observers:
                    for access in reached:
                        if observer.access in reached or observer.access in found:
                            continue
                        for link in self._heard(word, observer, access):
                            if access is not before and self.behind(observer, after) and link:
                                return True
                            found.append(observer.access)
                            break
            if not found:
                return False
            reached += found
        return False

    def _heard(self, word: Word, observer: Observer, before: Access) -> Iterator[bool]:
        """Signals by which an observer hears that ``before`` is done."""
        for signal in word.signals:
            if signal is before or not observer.hears(signal) or not _comes_before(before, signal):
                continue
            if not self._same_guards(before, signal):
                continue
            if releases(signal, NEAR) or self.fenced(before, signal, NEAR):
                yield True

    def _same_guards(self, before: Access, signal: Access) -> bool:
        own = {guard.term for guard in signal.guards}
        return all(guard.term in own or guard.kind is GuardKind.LOOP for guard in before.guards)

    # ----------------------------------------------------------------------------------------------- both sides

    def _links(self, word: Word, before: Access, after: Access, reach: Reach, near: bool = True) -> Iterator[HandOver]:
        if reach is WIDE and word.root.space is not Space.GLOBAL:
            return
        for observer in word.observers:
            if not reaches(observer.access, reach) or not self.behind(observer, after):
                continue
            if reach is NEAR and not (observer.waits and observer.access.order < after.order):
                continue  # within a block only waits count that are seen to come between
            for signal in word.signals:
                if signal is before or not reaches(signal, reach) or not _comes_before(before, signal):
                    continue
                if reach is NEAR and before.order > signal.order:
                    continue
                if reach is WIDE and self.axis is not None and of_own_block(signal, observer.access, self.axis):
                    continue  # each block talks to itself
                if (word.lock and not word.begins(signal)) or not observer.hears(signal):
                    continue
                released = releases(signal, reach) or self.fenced(before, signal, reach)
                acquired = acquires(observer.access, reach) or self.fenced(observer.access, after, reach)
                if after.volatile or after.writes or (observer.takes and not observer.waits):
                    acquired = (
                        True  # past the caches; no store is made ahead of a wait; or a ticket, as NVIDIA's samples
                    )
                met = self.gathered(before, signal) or (near and self._passed_on(before, signal))
                yield HandOver(word, signal, observer, released, acquired, met)

    def _passed_on(self, before: Access, signal: Access) -> bool:
        """Whether another thread of the block has got hold of ``before`` when it gives the signal."""
        known = self._passed.get((before, signal))
        if known is None:
            known = self._passed[before, signal] = any(
                link.whole
                for word in self.words
                if not word.holds(before)
                for link in self._links(word, before, signal, NEAR, near=False)
            )
        return known

    def behind(self, observer: Observer, after: Access) -> bool:
        """Whether ``after`` happens only once the observer has found what it looks for."""
        known = self._behind.get((id(observer), after))
        if known is None:
            known = self._behind[id(observer), after] = self._comes_behind(observer, after)
        return known

    def _comes_behind(self, observer: Observer, after: Access) -> bool:
        if after is observer.access or _exclusive(observer.access, after):
            return False
        if observer.access.order < after.order and any(
            symbol in observer.told for guard in after.guards for symbol in symbols(guard.term)
        ):
            return True
        for loop in observer.waits:
            if loop in after.loops and observer.access.order > after.order:
                continue
            later = observer.access.order < after.order or _wraps(observer.access, after, observer.waits)
            if later and (self._same_thread(observer, after) or self._meets(observer.access, after)):
                return True
        return False

    def _same_thread(self, observer: Observer, after: Access) -> bool:
        """Whether each thread that gets to ``after`` has waited itself, here or on the other branch."""
        own = {guard.term for guard in after.guards}
        missing = [term for term in _chosen(observer.access.guards, observer.waits) if term not in own]
        others = [o.access for word in self.words for o in word.observers if word.root is observer.access.root]
        return all(_on_other_branch(term, others) for term in missing)

    def gathered(self, before: Access, signal: Access) -> bool:
        """Whether the threads that make ``before`` have done so when one of their block gives the signal: it is theirs
        to give, here or on the other branch, or a barrier stands between."""
        own = {guard.term for guard in before.guards}
        missing = [term for term in _chosen(signal.guards, ()) if term not in own]
        others = [one for word in self.words for one in word.signals if word.root is signal.root]
        return all(_on_other_branch(term, others) for term in missing) or self._meets(before, signal)

    def _meets(self, first: Event, second: Event) -> bool:
        """Whether the threads of a block (or warp) wait for each other between two events."""
        gatherings: Iterable[Event] = (*self.of.barriers, *self.of.warp_ops)
        return any(_between(first, event, second) for event in gatherings)

    def fences(self, first: Event, second: Event) -> Iterator[FenceEvent]:
        """The fences between two events, in the text or around a loop."""
        for fence in self.of.fences:
            if Space.GLOBAL in fence.spaces and "proxy" not in fence.name and _between(first, fence, second):
                yield fence

    def fenced(self, first: Event, second: Event, reach: Reach = WIDE) -> bool:
        """Whether a fence that reaches far enough stands between two events."""
        if any(fence.scope in reach for fence in self.fences(first, second)):
            return True
        return reach is NEAR and any(b.scope in NEAR and _between(first, b, second) for b in self.of.barriers)

    # ------------------------------------------------------------------------------------------- locks, winners

    def _inside(self, word: Word, access: Access, reach: Reach) -> bool:
        """Whether an access lies between taking a lock and giving it back, with the fence on both sides."""
        for observer in word.observers:
            taken = observer.access
            if not observer.locks or taken.order > access.order or not self.behind(observer, access):
                continue
            for signal in word.signals:
                if signal.order < access.order or signal is taken or _exclusive(access, signal):
                    continue
                released = releases(signal, reach) or self.fenced(access, signal, reach)
                acquired = acquires(taken, reach) or self.fenced(taken, access, reach)
                far = reaches(signal, reach) and reaches(taken, reach)
                if far and released and acquired and self.gathered(access, signal):
                    return True
        return False

    def _one_winner(self, access: Access) -> bool:
        """Whether a ticket says that this block is the one to make an access: its number is compared for equality with
        one number for the grid."""
        parts = (part for guard in access.guards for part in conjuncts(guard.term))
        for part in parts:
            for term in self._decided(part):
                drawn = [s for s in symbols(term) if self._ticket(s)]
                rest = [s for s in symbols(term) if s not in drawn]
                if drawn and all(s.uniformity is Uniformity.GRID for s in rest):
                    return True
        return False

    def _decided(self, term: Term) -> Iterator[Term]:
        """The comparisons for equality in a condition, and in what was put into shared memory that it asks for."""
        if term.op == "eq":
            yield term
        loads = [s.origin[0] for s in symbols(term) if s.kind is SymbolKind.LOAD and s.origin[0].space is Space.SHARED]
        if not loads:
            return
        for access in self.of.accesses:
            if access.writes and access.value is not None and any(access.root is root for root in loads):
                yield from equalities(access.value)

    def _ticket(self, symbol: Symbol) -> bool:
        return any(
            o.takes and not o.waits and symbol in o.told
            for word in self.words
            if word.root.space is Space.GLOBAL
            for o in word.observers
        )


def _on_other_branch(term: Term, others: Iterable[Access]) -> bool:
    """Whether the threads for which ``term`` does not hold do the same under its opposite."""
    opposite = negate(term)
    return any(guard.term == opposite for other in others for guard in other.guards)


def _between(first: Event, event: Event, second: Event) -> bool:
    """Whether ``event`` comes after ``first`` and before ``second``: in the text, or around a loop that holds both."""
    if first.order < second.order:
        return first.order < event.order < second.order
    if second.order < event.order < first.order:
        return False
    return any(loop in second.loops and loop in event.loops for loop in first.loops)


def _comes_before(before: Access, signal: Access) -> bool:
    """Whether an access may come before a signal in one block: in the text, or around a loop."""
    if any(loop in signal.loops for loop in before.loops):
        return True
    return before.order < signal.order and not _exclusive(before, signal)


def _exclusive(one: Event, other: Event) -> bool:
    """Whether two events are on branches of which a block takes but one."""
    if any(loop in other.loops for loop in one.loops):
        return False  # it may take the other one in the next round
    ours, theirs = _taken(one), _taken(other)
    return _denied(ours, theirs) or _denied(theirs, ours)


@functools.lru_cache(maxsize=1 << 10)
def _taken(event: Event) -> set[Term]:
    """The conditions under which a block as a whole comes to an event; not to be changed."""
    return {part for guard in event.guards for part in _of_block(guard.term)}


@functools.lru_cache(maxsize=1 << 12)
def _of_block(term: Term) -> tuple[Term, ...]:
    """The parts of a condition on which the threads of a block agree."""
    return tuple(part for part in conjuncts(term) if not _by_thread(part))


def _denied(taken: set[Term], others: set[Term]) -> bool:
    """Whether one of ``others`` cannot hold where all that is ``taken`` does."""
    return any(taken.issuperset(_opposites(part)) for part in others)


@functools.lru_cache(maxsize=1 << 12)
def _opposites(part: Term) -> frozenset[Term]:
    """What holds where a condition does not: the opposite of each way in which it may."""
    return frozenset([negate(way) for way in ways(part)])


def _by_thread(term: Term, depth: int = 3) -> bool:
    """Whether the index of a thread is in a condition, or in the places of what it has from memory."""
    return any(
        symbol.kind is SymbolKind.THREAD
        or (symbol.kind is SymbolKind.LOAD and (depth == 0 or _by_thread(symbol.origin[1], depth - 1)))
        for symbol in symbols(term)
    )


def _wraps(observed: Access, after: Access, waits: tuple[object, ...]) -> bool:
    """Whether the observer comes in one round of a loop and the access in the next."""
    return any(loop in after.loops and loop not in waits for loop in observed.loops)


def _chosen(guards: Iterable[Guard], waits: tuple[object, ...]) -> Iterator[Term]:
    """Conditions on which the threads of a block disagree as to who gets somewhere; those of ``waits`` themselves
    aside."""
    for guard in guards:
        if guard.kind in (GuardKind.AFTER_LOOP, GuardKind.ASSERT) or guard.loop in waits:
            continue
        if _parts_blocks(guard.term):
            yield guard.term


@functools.lru_cache(maxsize=1 << 12)
def _parts_blocks(term: Term) -> bool:
    """Whether threads of one block may disagree on a condition of a kernel whose walk is over."""
    return uniformity(term) > Uniformity.BLOCK


def _compute(facts: Facts) -> Order:
    of = facts[trace]
    return Order(of, words(of), only_axis(of))


order = KernelAnalysis("order", _compute, needs=(trace,))
"""The :class:`Order` of one kernel variant: what puts accesses in order where no barrier does."""
