"""Hand-overs between blocks in which a fence is missing.

Shown only where both sides are in sight: what is stored, the word that is changed afterwards, the wait for that word,
and the plain access to what was stored, which a thread of another block may make of the same element.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from kernlint.analysis.order.hand_overs import HandOver, Order
from kernlint.analysis.order.words import NEAR, WIDE, Observer, Word, acquires, reaches, releases
from kernlint.analysis.trace.events import Access, AccessKind, FenceEvent
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import THREAD, SymbolKind, symbols
from kernlint.tree.types import Space

PAIRS = 2_000
"""Pairs of a store and a load that are looked at for one word."""

STORING = frozenset({"exchange", "store"})
"""Atomic operations that put a value into its place as a plain store does, and order nothing else by themselves."""

Meets = Callable[[Access, Access], bool]
"""Whether a thread of one block and a thread of another may make two accesses of one element."""


@dataclass(frozen=True, slots=True, eq=False)
class Broken:
    """``store`` is handed over to ``load`` by ``signal`` and ``observer``, and ``released`` or ``acquired`` is not so.

    ``lock``: the word is a lock, and both are made by whoever holds it.  ``narrow``: a fence that reaches the own block
    only stands where one for the device has to.  ``met``: the threads of the block have waited for each other before
    one of them gives the signal for all.  ``placed``: the word says where the record is (:mod:`.placed`)."""

    store: Access
    load: Access
    signal: Access
    observer: Access
    released: bool
    acquired: bool
    lock: bool = False
    narrow: FenceEvent | None = None
    met: bool = True
    placed: bool = False


def broken(order: Order, meets: Meets) -> tuple[Broken, ...]:
    """One for each signal and object."""
    apart = [a for a in order.of.accesses if a.root.space is Space.GLOBAL]
    stores = [a for a in apart if a.kind is AccessKind.WRITE or a.atomic_op in STORING]
    plain = [a for a in stores if a.kind is AccessKind.WRITE]
    loads = [a for a in apart if a.kind is AccessKind.READ]
    found: dict[tuple[int, int], Broken] = {}
    for word in order.words:
        if word.root.space is not Space.GLOBAL:
            continue
        ways = (
            _under_lock(order, word, plain, (*loads, *plain), meets) if word.lock else (),
            _handed(order, word, stores, loads, meets),
        )
        for way in ways:
            for one in way:
                found.setdefault((id(one.signal.node), id(one.store.root)), one)
    return tuple(found.values())


def unfenced(order: Order, first: Access, second: Access) -> HandOver | None:
    """The hand-over from one thread of a block to another that would put a store and a load in order if it had its
    fence; None: there is none, or more than a fence is missing."""
    store, load = (first, second) if first.writes else (second, first)
    if not store.writes or load.writes:
        return None
    links = order.links(store, load, NEAR)
    return next((link for link in links if link.met and not link.whole and _waits(link.observer)), None)


def _handed(order: Order, word: Word, stores: list[Access], loads: list[Access], meets: Meets) -> Iterator[Broken]:
    pairs = ((store, load) for load in loads for store in reversed(stores) if _one_object(store, load))
    for store, load in islice(pairs, PAIRS):
        if not word.holds(store) and not word.holds(load):
            link = _lacking(order, store, load)
            if (
                link is not None
                and link.word is word
                and (meets(store, load) if store.root is load.root else _moved_on(store, load))
            ):
                seen = link.observer.access
                narrow = next(order.fences(store, link.signal) if not link.released else order.fences(seen, load), None)
                yield Broken(store, load, link.signal, seen, link.released, link.acquired, narrow=narrow, met=link.met)


def _one_object(store: Access, load: Access) -> bool:
    """Whether two accesses may be to one object: to the same, or by pointers that change places in a loop."""
    if store.root is load.root:
        return True
    ours, theirs = store.root.candidates, load.root.candidates
    swapped = bool(ours) and any(one is other for one in ours for other in theirs)
    return swapped and any(loop in load.loops for loop in store.loops)


def _moved_on(store: Access, load: Access) -> bool:
    """Whether a load by one of two pointers that change places is of another element than the thread's own store by the
    other: one a fixed number of elements away."""
    places = [polynomial(access.offset).coefficients for access in (store, load)]
    bases = [[m for m in place if len(m) == 1 and (s := m[0].symbol) and s.kind is SymbolKind.PHI] for place in places]
    if not len(bases[0]) == len(bases[1]) == 1:
        return False
    ours, theirs = (
        {m: c for m, c in place.items() if m not in base} for place, base in zip(places, bases, strict=True)
    )
    constant = ours.pop((), 0) != theirs.pop((), 0)
    return constant and ours == theirs and any(s.kind is SymbolKind.BLOCK for m in ours for t in m for s in t.symbols)


def _lacking(order: Order, store: Access, load: Access) -> HandOver | None:
    """The hand-over of which a fence is all that is missing, when none is whole."""
    best: HandOver | None = None
    hasty: HandOver | None = None
    for link in order.links(store, load):
        if link.whole:
            return None
        taken = link.observer.access
        if link.observer.locks and link.signal is not taken and not _frees(link.signal, taken):
            continue
        forward = _waits(link.observer) and _forward(store, link.signal)
        if not link.met:
            hasty = hasty or (link if forward and _for_block(order, store, link.signal) else None)
        elif forward or _climbing(link, store):
            best = best or link
    return best or hasty


def _for_block(order: Order, store: Access, signal: Access) -> bool:
    """Whether one thread, picked by its index, gives the signal for all those of its block that store."""
    own = {guard.term for guard in store.guards}
    picked = [guard.term for guard in signal.guards if guard.term not in own]
    one = any(term.op == "eq" and any(symbol in THREAD for symbol in symbols(term)) for term in picked)
    all_store = any(symbol in THREAD for symbol in symbols(store.offset)) and not any(term.op == "eq" for term in own)
    return one and all_store and not any(store.order < call.order < signal.order for call in order.of.calls)


def _waits(observer: Observer) -> bool:
    """Whether an observer is sure to be one: the word is read anew each time, and others have to change it.  Who draws
    a number in each round comes to the end without them (a queue of work)."""
    access = observer.access
    draws = access.atomic_op in ("add", "inc") and observer.takes
    return bool(observer.waits) and not draws and (access.kind is AccessKind.ATOMIC or access.volatile)


def _forward(store: Access, signal: Access) -> bool:
    """Whether the signal follows the store in the text, and is one that others see at all."""
    return store.order < signal.order and (signal.kind is AccessKind.ATOMIC or signal.volatile)


_SAME = frozenset({SymbolKind.PARAM, SymbolKind.TEMPLATE, SymbolKind.SIZEOF, SymbolKind.BLOCK_DIM, SymbolKind.GRID_DIM})


def _climbing(link: HandOver, store: Access) -> bool:
    """Whether threads draw a ticket in each round of a loop that tells them whether to go on with what others have
    stored, and store something for the next round: the way up a tree, where each round has a ticket of its own."""
    ticket = link.signal
    if all(symbol.kind in _SAME for symbol in symbols(ticket.offset)):
        return False
    if link.observer.access is not ticket or not link.observer.takes or ticket.order > store.order:
        return False
    return ticket.kind is AccessKind.ATOMIC and any(loop in store.loops for loop in ticket.loops)


def _under_lock(
    order: Order, word: Word, stores: list[Access], partners: tuple[Access, ...], meets: Meets
) -> Iterator[Broken]:
    for observer in word.observers:
        taken = observer.access
        if not observer.locks or not reaches(taken, WIDE):
            continue
        for store in stores:
            backs = _give_backs(word, taken)
            given = next((s for s in backs if _forward(store, s)), None) or _put_back(store, backs)
            if given is None or not order.behind(observer, store) or not order.gathered(store, given):
                continue
            released = releases(given) or order.fenced(store, given)
            acquired = acquires(taken) or order.fenced(taken, store)
            narrow = next(order.fences(store, given) if not released else order.fences(taken, store), None)
            if released and (acquired or (narrow is None and not _fenced_elsewhere(order, word, taken, stores))):
                continue  # works in practice; what has too narrow a fence, or a twin that has one, was not meant so
            partner = next((one for one in partners if _partner(order, word, one, store, meets)), None)
            if partner is not None:
                yield Broken(store, partner, given, taken, released, acquired, lock=True, narrow=narrow)


def _give_backs(word: Word, taken: Access) -> list[Access]:
    """What may give a lock back that ``taken`` took: it stores no number that says that the lock is taken, and stands
    in the same element where anything there does so."""
    free = [s for s in word.signals if _frees(s, taken)]
    return [s for s in free if s is not taken and s.offset == taken.offset] or free


def _frees(signal: Access, taken: Access) -> bool:
    """Whether what changes a lock may put something else there than the number by which it was taken."""
    mark = taken.new if taken.atomic_op == "cas" else taken.value
    return mark is None or mark.value is None or signal.value is None or signal.value.value != mark.value


def _put_back(store: Access, backs: list[Access]) -> Access | None:
    """The plain store behind another one that gives a lock back, where nothing else does."""
    return next((s for s in backs if store.order < s.order and s.kind is AccessKind.WRITE), None)


def _fenced_elsewhere(order: Order, word: Word, taken: Access, stores: list[Access]) -> bool:
    """Whether the kernel takes the lock in another place too, and there with a fence before a store."""
    return any(
        other.locks and other.access is not taken and order.behind(other, store) and order.fenced(other.access, store)
        for other in word.observers
        for store in stores
    )


def _partner(order: Order, word: Word, one: Access, store: Access, meets: Meets) -> bool:
    """Whether ``one`` is made under the lock too, by another block and of the same element."""
    if one.root is not store.root or not any(o.locks and order.behind(o, one) for o in word.observers):
        return False
    return (one.kind is AccessKind.READ and one.offset == store.offset) or meets(store, one)
