"""What orders two accesses that threads of two blocks make: hand-overs by flags, turns, tickets and locks.

A hand-over takes four things, in this order::

    access a            by any thread of one block
    release             a fence for the device, or an order of the signal that includes one
    signal              a change of a word
    - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - -
    observer            another block has found the change
    acquire             a fence for the device, or an order of the observer that includes one
    access b            by any thread of the other block

Between ``a`` and the signal, and between the observer and ``b``, stands a barrier of the block where other threads
make them (PTX ISA, memory consistency model: fences are cumulative).  A lock says nothing of who comes first, so both
accesses have to lie between taking and giving it back.  What is not seen to be broken is taken to be in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.order.words import Observer, Word, acquires, releases, words
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Event, FenceEvent, Guard, GuardKind, Trace
from kernlint.record import dataclass
from kernlint.symbolic.terms import GRID_DIM, Symbol, Term, Uniformity, symbols
from kernlint.symbolic.uniformity import uniformity
from kernlint.tree.nodes import Scope
from kernlint.tree.types import Space


class Reason(Enum):
    """Why two accesses of two blocks are in order."""

    HANDED_OVER = "handed over by a word that one block sets and the other waits for"
    LOCKED = "both under one lock"
    LAST = "only the block that a ticket has told so comes here"


@dataclass(frozen=True, slots=True, eq=False)
class HandOver:
    """Something done before ``signal`` and something done behind ``observer``, both of ``word``.

    ``released``, ``acquired``: whether each side has its fence; ``narrow``: a fence between that reaches the own block
    only; ``met``: whether the threads of the block wait for each other before the signal.
    """

    word: Word
    signal: Access
    observer: Observer
    released: bool
    acquired: bool
    met: bool
    narrow: FenceEvent | None = None

    @property
    def whole(self) -> bool:
        """Whether nothing is missing."""
        return self.released and self.acquired and self.met


@dataclass(slots=True)
class Order:
    """Answers what orders the accesses of one kernel across blocks."""

    of: Trace
    words: tuple[Word, ...]

    def between_blocks(self, first: Access, second: Access) -> Reason | None:
        """Why ``first`` by a thread of one block and ``second`` by one of another are in order; None: nothing says
        that they are."""
        for word in self.words:
            if word.holds(first) or word.holds(second):
                continue
            if word.lock:
                if self._inside(word, first) and self._inside(word, second):
                    return Reason.LOCKED
                continue
            if any(link.whole for link in (*self._links(word, first, second), *self._links(word, second, first))):
                return Reason.HANDED_OVER
        return Reason.LAST if self._one_winner(first) and self._one_winner(second) else None

    def links(self, before: Access, after: Access) -> Iterator[HandOver]:
        """The hand-overs, whole or broken, that lead from ``before`` to ``after``."""
        for word in self.words:
            if not word.holds(before) and not word.holds(after):
                yield from self._links(word, before, after)

    # ----------------------------------------------------------------------------------------------- both sides

    def _links(self, word: Word, before: Access, after: Access) -> Iterator[HandOver]:
        for observer in word.observers:
            if not self.behind(observer, after):
                continue
            for signal in word.signals:
                if signal is before or not _comes_before(before, signal):
                    continue
                released = releases(signal) or self.fenced(before, signal)
                acquired = acquires(observer.access) or self.fenced(observer.access, after)
                if observer.takes and not observer.waits:
                    acquired = True  # a ticket: as NVIDIA's own threadFenceReduction has it
                met = self.gathered(before, signal)
                yield HandOver(word, signal, observer, released, acquired, met, self._narrow(before, signal))

    def behind(self, observer: Observer, after: Access) -> bool:
        """Whether ``after`` happens only once the observer has found what it looks for."""
        if after is observer.access:
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
        """Whether each thread that gets to ``after`` has waited itself."""
        own = {guard.term for guard in after.guards}
        return all(term in own for term in _chosen(observer.access.guards, observer.waits))

    def gathered(self, before: Access, signal: Access) -> bool:
        """Whether the threads that make ``before`` have done so when one of their block gives the signal."""
        own = {guard.term for guard in before.guards}
        if all(term in own for term in _chosen(signal.guards, ())):
            return True
        return self._meets(before, signal)

    def _meets(self, first: Event, second: Event) -> bool:
        """Whether the threads of a block (or warp) wait for each other between two events."""
        gatherings: Iterable[Event] = (*self.of.barriers, *self.of.warp_ops)
        if first.order < second.order:
            return any(first.order < event.order < second.order for event in gatherings)
        shared = [loop for loop in first.loops if loop in second.loops]
        return any(loop in event.loops for event in gatherings for loop in shared)

    def _fences(self, first: Event, second: Event) -> Iterator[FenceEvent]:
        shared = [loop for loop in first.loops if loop in second.loops]
        for fence in self.of.fences:
            if Space.GLOBAL not in fence.spaces or "proxy" in fence.name:
                continue
            if first.order < second.order:
                if first.order < fence.order < second.order:
                    yield fence
            elif any(loop in fence.loops for loop in shared):
                yield fence

    def fenced(self, first: Event, second: Event) -> bool:
        """Whether a fence for the device stands between two events."""
        return any(fence.scope in (Scope.GRID, Scope.SYSTEM) for fence in self._fences(first, second))

    def _narrow(self, first: Event, second: Event) -> FenceEvent | None:
        return next(self._fences(first, second), None)

    # ------------------------------------------------------------------------------------------- locks, winners

    def _inside(self, word: Word, access: Access) -> bool:
        """Whether an access lies between taking a lock and giving it back, with the fence on both sides."""
        for observer in word.observers:
            taken = observer.access
            if not observer.locks or taken.order > access.order or not self.behind(observer, access):
                continue
            for signal in word.signals:
                if signal.order < access.order or signal is taken:
                    continue
                released = releases(signal) or self.fenced(access, signal)
                acquired = acquires(taken) or self.fenced(taken, access)
                if released and acquired and self.gathered(access, signal):
                    return True
        return False

    def _one_winner(self, access: Access) -> bool:
        """Whether a ticket says that this block is the one to make an access: its number is compared for equality with
        one number for the grid."""
        for guard in access.guards:
            term = guard.term
            if term.op != "eq":
                continue
            drawn = [s for s in symbols(term) if self._ticket(s)]
            rest = [s for s in symbols(term) if s not in drawn]
            if drawn and all(s.uniformity is Uniformity.GRID for s in rest):
                return True
        return False

    def _ticket(self, symbol: Symbol) -> bool:
        return any(o.takes and symbol in o.told for word in self.words for o in word.observers)


def _comes_before(before: Access, signal: Access) -> bool:
    """Whether an access may come before a signal in one block: in the text, or around a loop."""
    return before.order < signal.order or any(loop in signal.loops for loop in before.loops)


def _wraps(observed: Access, after: Access, waits: tuple[object, ...]) -> bool:
    """Whether the observer comes in one round of a loop and the access in the next."""
    return any(loop in after.loops and loop not in waits for loop in observed.loops)


def _chosen(guards: Iterable[Guard], waits: tuple[object, ...]) -> Iterator[Term]:
    """Conditions on which the threads of a block disagree as to who gets somewhere; those of ``waits`` themselves
    aside."""
    for guard in guards:
        if guard.kind in (GuardKind.AFTER_LOOP, GuardKind.ASSERT) or guard.loop in waits:
            continue
        if uniformity(guard.term) > Uniformity.BLOCK:
            yield guard.term


def waits_for_grid(word: Word) -> bool:
    """Whether a thread waits until as many have come as there are blocks."""
    for observer in word.observers:
        for loop in observer.waits:
            terms = [term for term in (loop.condition, *(t for t, _ in loop.exits)) if term is not None]
            if any(s in GRID_DIM for term in terms for s in symbols(term)):
                return True
    return False


def _compute(facts: Facts) -> Order:
    of = facts[trace]
    return Order(of, words(of))


order = KernelAnalysis("order", _compute, needs=(trace,))
"""The :class:`Order` of one kernel variant: what puts accesses of different blocks in order."""
