"""Exchanges whose barrier, fence or atomic operation names too narrow a space or scope.

Five kinds.  A barrier of OpenCL that does not fence the space of the data that threads exchange through it.  A
value stored for other blocks before a ticket is taken by an atomic operation, with no fence for the device between
(the block that draws the last ticket may not see the value).  A ticket that one thread takes for its block before the
others have stored theirs: a fence orders what a thread does itself, and waits for nobody.  An atomic operation of
block scope on a cell that several blocks use.  A flag, turn or lock without the fence that has to go with it
(:mod:`kernlint.analysis.order`).
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from itertools import product

from kernlint.analysis.accesses.pairs import concurrent, conflicting, known, same_value
from kernlint.analysis.assumptions import assumed
from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.excuses import COLLISION
from kernlint.analysis.excuses.excuse import excused
from kernlint.analysis.order import order
from kernlint.analysis.order.broken import Broken, broken
from kernlint.analysis.order.placed import placed
from kernlint.analysis.order.published import Published, published
from kernlint.analysis.order.words import slots
from kernlint.analysis.scenarios.policy import scenarios
from kernlint.analysis.search.collisions import Asker, Race, asker_of
from kernlint.analysis.sharing.finder import Finder
from kernlint.analysis.sharing.global_races import across
from kernlint.analysis.sharing.narrow_atomics import NarrowAtomic, narrow_atomics
from kernlint.analysis.sharing.races import unbroken
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, BarrierEvent, FenceEvent, Label, Trace
from kernlint.record import dataclass, replace
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import (
    THREAD,
    Symbol,
    SymbolKind,
    Term,
    Uniformity,
    binary,
    conjunction,
    const,
    substitute,
    symbols,
)
from kernlint.symbolic.uniformity import uniformity
from kernlint.tree.nodes import Scope
from kernlint.tree.types import BOOL, I64, Space

WIDE = (Scope.GRID, Scope.SYSTEM)
"""Scopes that reach the threads of other blocks."""


@dataclass(frozen=True, slots=True)
class WeakBarrier:
    """A barrier that two accesses rest on and that does not fence their space."""

    barrier: BarrierEvent
    race: Race


@dataclass(frozen=True, slots=True)
class UnfencedTicket:
    """``store`` is meant for other blocks, which find out by ``ticket`` that it is there and then make ``load``.
    ``narrow``: a fence between that reaches the own block only."""

    store: Access
    ticket: Access
    load: Access
    narrow: FenceEvent | None = None


@dataclass(frozen=True, slots=True)
class EarlyTicket:
    """One thread takes ``ticket`` for its block, with no barrier after ``store``, which other threads of the block make
    too; whoever is told by the ticket makes ``load``."""

    store: Access
    ticket: Access
    load: Access


@dataclass(frozen=True, slots=True)
class Fences:
    """The faults of one kernel variant, of each kind."""

    barriers: tuple[WeakBarrier, ...]
    tickets: tuple[UnfencedTicket, ...]
    early: tuple[EarlyTicket, ...]
    atomics: tuple[NarrowAtomic, ...]
    handed: tuple[Broken, ...] = ()
    published: tuple[Published, ...] = ()


# ------------------------------------------------------------------------------------------------ weak barriers


def _behind(access: Access, barrier: BarrierEvent) -> Iterator[tuple[Label, ...]]:
    """The labels that ``access`` would have if ``barrier`` were not there, for each way in which it is the last one:
    in the same iterations, or in the one before of a loop around both."""
    for label in access.labels:
        if label.barrier is not barrier or not label.exact:
            continue
        turned = [(loop, shift) for loop, shift in label.shifts if shift != 0]
        if not turned:
            yield tuple(replace(b, condition=conjunction(label.condition, b.condition)) for b in barrier.labels)
        elif len(turned) == 1 and turned[0][1] == 1 and turned[0][0] in access.loops:
            loop = turned[0][0]
            one_less = {loop.counter: binary("sub", loop.counter.term, const(1, I64), I64)}
            yield tuple(
                replace(
                    b,
                    condition=conjunction(label.condition, substitute(b.condition, one_less)),
                    shifts=tuple(
                        (of, shift + 1 if of is loop and shift is not None else shift) for of, shift in b.shifts
                    ),
                )
                for b in barrier.labels
                if b.exact and (loop, None) not in b.shifts
            )


def _weak_barriers(of: Trace, asker: Asker) -> Iterator[WeakBarrier]:
    for barrier in of.barriers:
        if barrier.scope is not Scope.BLOCK or not barrier.certain or barrier.named:
            continue
        for space, bit in ((Space.SHARED, 1), (Space.GLOBAL, 2)):  # CLK_LOCAL_MEM_FENCE, CLK_GLOBAL_MEM_FENCE
            lacking = None
            if barrier.flags is not None and uniformity(barrier.flags) > Uniformity.BLOCK:
                kind = barrier.flags.type
                named = binary("and", barrier.flags, const(bit, kind), kind)
                lacking = binary("eq", named, const(0, kind), BOOL)
            elif space in barrier.spaces:
                continue
            race = _through(of, asker, barrier, space, lacking)
            if race is not None:
                yield WeakBarrier(barrier, race)


def _through(of: Trace, asker: Asker, barrier: BarrierEvent, space: Space, lacking: Term | None) -> Race | None:
    """An exchange in ``space`` that only ``barrier`` keeps in order.  ``lacking``: under which condition a thread's
    own flags leave the space out (None: those of all threads do)."""
    here = [a for a in of.accesses if a.root.space is space and known(a) and not a.asynchronous]
    before = [a for a in here if a.order < barrier.order]
    for second in here:
        for first, labels in product(before, _behind(second, barrier)):
            if not conflicting(first, second) or same_value(first, second) or _passed_on(of, first, barrier):
                continue
            for pair in concurrent(first, _relabelled(second, labels)):
                if lacking is not None:
                    pair = replace(pair, a=replace(pair.a, guards=(*pair.a.guards, lacking)))
                race = asker.race(pair)
                if race is not None and not excused(COLLISION, pair, race.witness):
                    return replace(race, pair=replace(pair, second=second))
    return None


def _passed_on(of: Trace, read: Access, barrier: BarrierEvent) -> bool:
    """Whether what was read is stored, before the barrier, into memory that the barrier does fence: the read is over
    when the store is."""
    if read.writes:
        return False
    for store in of.accesses:
        if store.writes and store.root.space in barrier.spaces and read.order < store.order < barrier.order:
            held = symbols(store.value) if isinstance(store.value, Term) else ()
            if any(s.kind is SymbolKind.LOAD and s.origin == (read.root, read.offset) for s in held):
                return True
    return False


def _relabelled(access: Access, labels: tuple[Label, ...]) -> Access:
    moved = copy(access)
    moved.labels = labels
    return moved


# ------------------------------------------------------------------------------------------------------- tickets


def _tickets(of: Trace) -> Iterator[UnfencedTicket]:
    """Stores of one block that another one reads once a counter says so, without a fence."""
    asked: _Asked | None = None
    for ticket in _counted(of):
        asked = asked or _Asked(of)
        told = asked.told(ticket)
        if not told:
            continue
        for load in of.accesses:
            if load.kind is not AccessKind.READ or load.root.space is not Space.GLOBAL or load.order < ticket.order:
                continue
            if load.root is ticket.root or not any(s in told for g in load.guards for s in symbols(g.term)):
                continue
            store = _store_before(of, ticket, load)
            if store is None:
                continue
            between = [f for f in of.fences if store.order < f.order < ticket.order and Space.GLOBAL in f.spaces]
            if not any(fence.scope in WIDE for fence in between) and not _releases(ticket):
                yield UnfencedTicket(store, ticket, load, between[0] if between else None)
                break


def _store_before(of: Trace, ticket: Access, load: Access) -> Access | None:
    """The last plain write before ``ticket`` to an element that belongs to its block, in what ``load`` reads for
    all blocks: its place does not move with all that the store's does, or is one that other blocks store to in a loop
    over shares of the work."""
    gathered = _of_block(load.offset)
    stores = [
        access
        for access in of.accesses
        if access.kind is AccessKind.WRITE
        and access.root is load.root
        and access.order < ticket.order
        and (_of_block(access.offset) > gathered or _shared_out(access, load))
    ]
    return stores[-1] if stores else None


def _shared_out(store: Access, load: Access) -> bool:
    """Whether blocks take shares of one piece of work in turn, and ``load`` goes through the shares of all: a counter
    of its own stands where the store has the number of its share."""
    jobs = [loop for loop in store.loops if loop in load.loops]
    apart = (polynomial(store.offset) - polynomial(load.offset)).coefficients
    if not jobs or len(apart) != 2 or sum(apart.values()) != 0:
        return False
    share, counter = sorted(apart, key=lambda mono: apart[mono] < 0)
    if len(share) != 1 or len(counter) != 1 or apart[share] <= 0:
        return False
    own = [loop.counter for loop in load.loops if loop not in jobs]
    return counter[0].symbol in own and bool(_of_block(share[0]))


def _early(of: Trace) -> Iterator[EarlyTicket]:
    """Tickets taken by a thread that has not waited for the stores of the others."""
    asked: _Asked | None = None
    for ticket in _counted(of):
        chosen = {part for guard in ticket.guards for part in conjuncts(guard.term) if _one_thread(part)}
        if not chosen or ticket.loops:
            continue
        asked = asked or _Asked(of)
        told = asked.told(ticket)
        for load in of.accesses:
            if load.kind is not AccessKind.READ or load.order < ticket.order or load.root is ticket.root:
                continue
            if not any(symbol in told for guard in load.guards for symbol in symbols(guard.term)):
                continue
            store = _by_others(of, ticket, chosen, load)
            if store is not None:
                yield EarlyTicket(store, ticket, load)
                break


def _one_thread(term: Term) -> bool:
    """Whether a condition picks one thread of a row: its index is a given number."""
    return term.op == "eq" and any(symbol in THREAD for symbol in symbols(term))


def _by_others(of: Trace, ticket: Access, chosen: set[Term], load: Access) -> Access | None:
    """A change that threads beside the one ``chosen`` make before ``ticket`` to what ``load`` reads, with nothing that
    waits for them."""
    for store in reversed(of.accesses):
        if not store.writes or store.root is not load.root or store.root.space is not Space.GLOBAL:
            continue
        if store.order > ticket.order or not _of_others(store, chosen):
            continue
        if _of_block(store.offset) and _of_block(store.offset) <= _of_block(load.offset):
            continue  # each block has a part of its own
        if any(store.order < barrier.order < ticket.order for barrier in of.barriers):
            return None
        return store
    return None


def _of_others(store: Access, chosen: set[Term]) -> bool:
    """Whether threads make a store, each at a place of its own, along an axis of the block on which one is ``chosen``:
    a row of threads may well be picked for both."""
    picked = (part for guard in store.guards for part in conjuncts(guard.term) if _one_thread(part))
    moving = set(symbols(store.offset)).intersection(THREAD).difference(*map(symbols, picked))
    return any(symbol in moving for term in chosen for symbol in symbols(term))


def _of_block(offset: Term) -> frozenset[Symbol]:
    """The axes of the grid along which a place moves: what is put together of other blocks' lacks one of those."""
    return frozenset(symbol for symbol in symbols(offset) if symbol.kind is SymbolKind.BLOCK)


def _counted(of: Trace) -> list[Access]:
    """The atomic operations on global memory that change it."""
    atomics = (access for access in of.accesses if access.kind is AccessKind.ATOMIC)
    return [access for access in atomics if access.root.space is Space.GLOBAL and access.writes]


class _Asked:
    """What the guards and the stores to shared memory of a kernel tell, collected once for all its tickets."""

    def __init__(self, of: Trace) -> None:
        guards = {guard.term for access in of.accesses for guard in access.guards}
        self.guarding = frozenset(symbol for term in guards for symbol in symbols(term))
        self.stored = [
            (access, frozenset(symbols(access.value)))
            for access in of.accesses
            if access.kind is AccessKind.WRITE and access.root.space is Space.SHARED and access.value is not None
        ]
        valued = {access.value for access in of.accesses if access.value is not None}
        self.met = self.guarding.union(symbol for term in valued for symbol in symbols(term))
        self.slots = slots(of)

    def told(self, ticket: Access) -> frozenset[Symbol]:
        """Symbols whose value tells what ``ticket`` returned: its result, and shared memory that it was put into."""
        own = {s for s in self.met if s.kind is SymbolKind.UNKNOWN and s.origin is ticket.node}
        cells = {id(access.root) for access, found in self.stored if not own.isdisjoint(found)}
        passed = {s for s in self.guarding if s.kind is SymbolKind.LOAD and id(s.origin[0]) in cells}
        return frozenset((own | passed) - self.slots)


def _releases(ticket: Access) -> bool:
    """Whether the atomic operation itself makes earlier stores visible."""
    return getattr(ticket.node, "order", "relaxed") in ("release", "acq_rel", "seq_cst") and ticket.scope in WIDE


def _compute(facts: Facts) -> Fences:
    of = facts[trace]
    if not unbroken(of):
        return Fences((), (), (), ())
    asker = asker_of(facts, of)
    weak = tuple(_weak_barriers(of, asker)) if facts.module.language == "opencl" else ()
    finder = Finder(asker, facts[scenarios])
    atomics = {id(found.access.node): found for found in narrow_atomics(of, finder, facts[order])}
    early = {id(found.ticket.node): found for found in _early(of)}

    def meets(store: Access, load: Access) -> bool:
        if any(symbol.kind is SymbolKind.LOAD for symbol in symbols(load.offset)):
            return True  # data pick the element: it may be any
        return known(store) and known(load) and finder.meet(across(store, load), "blocks") is not None

    tickets = {id(found.store.node): found for found in _tickets(of)}
    handed = (*broken(facts[order], meets), *placed(facts[order]))
    ahead = published(facts[order], meets)
    return Fences(weak, tuple(tickets.values()), tuple(early.values()), tuple(atomics.values()), handed, ahead)


fences = KernelAnalysis("fences", _compute, needs=(trace, scenarios, assumed, order))
"""Exchanges of one kernel variant whose fence is too narrow."""
