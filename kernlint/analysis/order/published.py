"""Words that are set before what they stand for has been stored.

Whoever finds the word set goes on to what it says is there, and may be too early.  Two kinds are told: a flag that a
thread sets and then stores what others wait for, with nothing later by which they could know; and a place that is
claimed by compare-and-swap on a key, filled by the winner afterwards and read by those who have found the key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kernlint.analysis.order.hand_overs import Order
from kernlint.analysis.order.words import Observer, Word, tells
from kernlint.analysis.trace.events import Access, AccessKind, GuardKind
from kernlint.prove.cases import conjuncts
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, number, polynomial
from kernlint.symbolic.terms import Term, negate
from kernlint.tree.types import Space

Meets = Callable[[Access, Access], bool]


@dataclass(frozen=True, slots=True, eq=False)
class Published:
    """``signal`` says that ``store`` has been made, which comes later; ``observer`` hears it and makes ``load``.
    ``claimed``: the signal is the compare-and-swap by which the place was claimed."""

    store: Access
    load: Access
    signal: Access
    observer: Access
    claimed: bool = False


def published(order: Order, meets: Meets) -> tuple[Published, ...]:
    """One for each signal and object."""
    apart = [a for a in order.of.accesses if a.root.space is Space.GLOBAL and not a.asynchronous]
    stores = [a for a in apart if a.kind is AccessKind.WRITE]
    loads = [a for a in apart if a.kind is AccessKind.READ]
    # an atomic operation finds what was there before too, and what it puts there may be overwritten
    looks = [a for a in apart if a.kind is AccessKind.ATOMIC and a.atomic_op not in ("store", "cas")]
    found: dict[tuple[int, int], Published] = {}
    for word in order.words:
        if word.root.space is Space.GLOBAL:
            for one in (*_flagged(order, word, stores, loads, meets), *_claimed(order, word, stores, [*loads, *looks])):
                found.setdefault((id(one.signal.node), id(one.store.root)), one)
    return tuple(found.values())


def _flagged(order: Order, word: Word, stores: list[Access], loads: list[Access], meets: Meets) -> Iterator[Published]:
    if word.lock:
        return
    for signal in word.signals:
        if signal.kind is not AccessKind.ATOMIC and not signal.volatile:
            continue
        for store in stores:
            if store.order < signal.order or word.holds(store) or not _one_thread(signal, store):
                continue
            if any(signal.order < o.access.order < store.order for one in order.words for o in one.observers):
                continue
            for observer in word.observers:
                if not _anew(observer) or not observer.hears(signal):
                    continue
                for load in loads:
                    if load.root is store.root and _too_early(order, word, observer, store, load):
                        slot = _beside(store, signal)
                        one_slot = slot is not None and slot == _beside(load, observer.access)
                        if one_slot or meets(store, load):
                            yield Published(store, load, signal, observer.access)


def _anew(observer: Observer) -> bool:
    """Whether the word is read anew until it is right."""
    return bool(observer.waits) and (observer.access.kind is AccessKind.ATOMIC or observer.access.volatile)


def _one_thread(signal: Access, store: Access) -> bool:
    """Whether the thread that gives the signal makes the store, on the way that it is on, and once."""
    if store.loops or signal.loops:
        return False
    ours, theirs = ({g.term for g in a.guards if g.kind is not GuardKind.AFTER_LOOP} for a in (signal, store))
    return ours == theirs


def _too_early(order: Order, word: Word, observer: Observer, store: Access, load: Access) -> bool:
    """Whether ``load`` comes behind ``observer``, and nothing else says that ``store`` has been made."""
    if word.holds(load) or not order.behind(observer, load):
        return False
    later = (s for one in order.words for s in one.signals if s is not store and s.order > store.order)
    return next(later, None) is None and next(order.links(store, load), None) is None


def _claimed(order: Order, word: Word, stores: list[Access], loads: list[Access]) -> Iterator[Published]:
    for observer in word.observers:
        claim = observer.access
        if claim.atomic_op != "cas":
            continue
        for store in stores:
            won = [part for part in _parts(store) if any(tells(symbol, claim) for symbol in part.symbols)]
            if not won or store.order < claim.order or not _one_place(store, claim):
                continue
            if any(one is not claim and one.order > store.order for one in word.signals):
                continue
            lost = {negate(part) for part in won}
            for load in loads:
                if load.root is not store.root or load.order < claim.order or not _one_place(load, claim):
                    continue
                if lost & set(_parts(load)) and not any(w.awaited and w.holds(load) for w in order.words):
                    yield Published(store, load, claim, claim, claimed=True)


def _parts(access: Access) -> list[Term]:
    return [part for guard in access.guards for part in conjuncts(guard.term)]


def _beside(access: Access, word: Access) -> Polynomial | None:
    """Where an access lies as seen from the word that belongs to it; the same for all elements of two arrays that are
    counted alike."""
    if access.root is word.root:
        return polynomial(access.offset) - polynomial(word.offset)
    if access.size is None or word.size is None:
        return None
    return polynomial(access.offset) * number(word.size) - polynomial(word.offset) * number(access.size)


def _one_place(access: Access, word: Access) -> bool:
    """Whether an access is to the element, or the field of one, that the word belongs to."""
    beside = _beside(access, word)
    return beside is not None and not beside.coefficients.keys() - {()}
