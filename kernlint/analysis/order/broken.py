"""Hand-overs between blocks in which a fence is missing.

Shown only where both sides are in sight: what is stored, the word that is changed afterwards, the wait for that word,
and the plain load of what was stored, which a thread of another block may make of the same element.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kernlint.analysis.order.hand_overs import HandOver, Order
from kernlint.analysis.order.words import Observer, Word, acquires, releases
from kernlint.analysis.trace.events import Access, AccessKind
from kernlint.record import dataclass
from kernlint.tree.types import Space

Meets = Callable[[Access, Access], bool]
"""Whether a thread of one block and a thread of another may make two accesses of one element."""


@dataclass(frozen=True, slots=True, eq=False)
class Broken:
    """``store`` is handed over to ``load`` by ``signal`` and ``observer``, and ``released`` or ``acquired`` is not so.
    ``lock``: the word is a lock, and both are made by whoever holds it."""

    store: Access
    load: Access
    signal: Access
    observer: Access
    released: bool
    acquired: bool
    lock: bool = False


def broken(order: Order, meets: Meets) -> tuple[Broken, ...]:
    """One for each signal and object."""
    stores = [a for a in order.of.accesses if a.kind is AccessKind.WRITE and a.root.space is Space.GLOBAL]
    loads = [a for a in order.of.accesses if a.kind is AccessKind.READ and a.root.space is Space.GLOBAL]
    found: dict[tuple[int, int], Broken] = {}
    told: set[tuple[int, int]] = set()
    for word in order.words:
        for one in _under_lock(order, word, stores, loads) if word.lock else _handed(order, word, stores, loads, meets):
            key = (id(one.signal.node), id(one.store.root))
            if key in told and not one.lock:
                continue
            told.add(key)
            found[key] = one
    return tuple(found.values())


def _handed(order: Order, word: Word, stores: list[Access], loads: list[Access], meets: Meets) -> Iterator[Broken]:
    for load in loads:
        for store in reversed(stores):
            if store.root is not load.root or word.holds(store) or word.holds(load):
                continue
            link = _lacking(order, store, load)
            if link is not None and link.word is word and meets(store, load):
                yield Broken(store, load, link.signal, link.observer.access, link.released, link.acquired)


def _lacking(order: Order, store: Access, load: Access) -> HandOver | None:
    """The hand-over of which a fence is all that is missing, when none is whole."""
    best: HandOver | None = None
    for link in order.links(store, load):
        if link.whole:
            return None
        if not link.met or not _waits(link.observer) or not _forward(store, link.signal):
            continue
        if link.released and (load.volatile or store.volatile):
            continue  # read past the caches: in practice it comes after
        best = best or link
    return best


def _waits(observer: Observer) -> bool:
    """Whether an observer is sure to be one: the word is read anew each time."""
    access = observer.access
    return bool(observer.waits) and (access.kind is AccessKind.ATOMIC or access.volatile)


def _forward(store: Access, signal: Access) -> bool:
    """Whether the signal follows the store in the text, and is one that others see at all."""
    return store.order < signal.order and (signal.kind is AccessKind.ATOMIC or signal.volatile)


def _under_lock(order: Order, word: Word, stores: list[Access], loads: list[Access]) -> Iterator[Broken]:
    for observer in word.observers:
        if not observer.locks:
            continue
        for store in stores:
            load = next((one for one in loads if one.root is store.root and one.offset == store.offset), None)
            if load is None or not order.behind(observer, store) or not order.behind(observer, load):
                continue
            given = next((s for s in word.signals if s.order > store.order and _forward(store, s)), None)
            if given is None or load.volatile or not order.gathered(store, given):
                continue
            released = releases(given) or order.fenced(store, given)
            acquired = acquires(observer.access) or order.fenced(observer.access, load)
            if not released:
                yield Broken(store, load, given, observer.access, released, acquired, lock=True)
