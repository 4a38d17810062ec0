"""Shared memory that ordinary stores fill and a bulk copy takes away.

Bulk copies, those of tensors too, read memory by another way than the threads: the asynchronous proxy.  A barrier
orders threads with each other, not the two ways; ``fence.proxy.async`` does, in the thread that has stored and before
the barrier (PTX ISA, proxies; CUDA C++ Programming Guide, asynchronous data copies using TMA).  Behind the barrier it
comes too late for what other threads have stored.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.accesses.pairs import extent
from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, AsyncEvent, Event, FenceEvent, RootKind, Trace
from kernlint.record import dataclass
from kernlint.symbolic.intervals import Bound, interval, refine
from kernlint.symbolic.polynomial import Polynomial, polynomial, term_of
from kernlint.symbolic.terms import SymbolKind, Term, Uniformity, symbols
from kernlint.symbolic.uniformity import uniformity
from kernlint.tree.nodes import AsyncCopy, Scope
from kernlint.tree.types import Space

FIXED = frozenset(
    (
        SymbolKind.BLOCK,
        SymbolKind.BLOCK_DIM,
        SymbolKind.GRID_DIM,
        SymbolKind.PARAM,
        SymbolKind.TEMPLATE,
        SymbolKind.SIZEOF,
    )
)
"""Kinds of symbols that have one value for a block from beginning to end."""


@dataclass(frozen=True, slots=True, eq=False)
class Unproxied:
    """``copy`` reads what ``store`` has put into shared memory, with no fence between the two ways to it, or with one
    alone that comes too ``late``."""

    store: Access
    copy: AsyncEvent
    read: Access
    late: FenceEvent | None = None

    @property
    def by_copier(self) -> bool:
        """Whether the late fence is that of the thread that copies, for what it has seen of the others at the barrier:
        the letter of the memory model asks for a fence anywhere on the way from store to copy, the programming guide
        for one in each thread that stores."""
        return self.late is not None and chosen_for(self.copy) <= chosen_for(self.late)


def _compute(facts: Facts) -> tuple[Unproxied, ...]:
    return tuple(_find(facts[trace]))


def _find(of: Trace) -> Iterator[Unproxied]:
    told: set[int] = set()
    for copy in of.asyncs:
        if not isinstance(copy.node, AsyncCopy) or copy.node.mechanism != "bulk":
            continue
        read = _source(of, copy)
        if read is None or id(read.root) in told:
            continue
        store = next((a for a in reversed(of.accesses) if _plain(a, read) and not _kept_apart(of, a, copy)), None)
        if store is not None:
            told.add(id(read.root))
            between = (f for f in of.fences if "proxy" in f.name and store.order < f.order < copy.order)
            yield Unproxied(store, copy, read, next(between, None))


def _source(of: Trace, copy: AsyncEvent) -> Access | None:
    """The read of shared memory that a copy makes."""
    for access in of.accesses:
        if access.node is not copy.node or access.stack != copy.stack:
            continue
        if access.kind is AccessKind.READ and access.root.space is Space.SHARED:
            return access if access.root.kind is not RootKind.UNKNOWN else None
    return None


def _plain(access: Access, read: Access) -> bool:
    """Whether an ordinary store may put something where the copy reads."""
    if access.kind is not AccessKind.WRITE or access.asynchronous or access.root is not read.root:
        return False
    return not _beside(access, read)


def _beside(store: Access, read: Access) -> bool:
    """Whether a store stays clear of the bytes that a copy is sure to read; of a copy whose length nobody knows, of the
    first element.  What all threads of the block have alike and no loop changes is the same on both sides."""
    ours, theirs = polynomial(store.offset), polynomial(read.offset)
    varying = {atom for atom in ours.atoms | theirs.atoms if not _fixed(atom)}
    common = Polynomial({m: c for m, c in theirs.coefficients.items() if not varying.intersection(m)})
    low, high = _range(ours - common, store)
    first, last = _range(theirs - common, read)
    after = low is not None and last is not None and low >= last + (extent(read) or 1)
    return after or (high is not None and first is not None and high + (store.size or 1) <= first)


def _fixed(atom: Term) -> bool:
    return all(symbol.kind in FIXED for symbol in symbols(atom))


def _range(places: Polynomial, access: Access) -> Bound:
    return interval(term_of(places), refine(guard.term for guard in access.guards))


def _kept_apart(of: Trace, store: Access, copy: AsyncEvent) -> bool:
    """Whether the store is not before the copy, or something that may be the fence stands between."""
    if store.order < copy.order:
        fences = [event for event in _fences(of) if store.order < event.order < copy.order]
        return any(not isinstance(event, FenceEvent) or not _late(of, store, event, copy) for event in fences)
    shared = [loop for loop in store.loops if loop in copy.loops]
    return not shared or any(loop in event.loops for event in _fences(of) for loop in shared)


def _late(of: Trace, store: Access, fence: FenceEvent, copy: AsyncEvent) -> bool:
    """Whether a fence is behind the barrier that lets the copy begin.

    Each thread has its own stores to put in order, and none of the others waits for that any more: the thread that
    copies may be through before they have come to their fences.  One that copies what it has stored itself needs no
    barrier; in a loop the fence of another round may do."""
    waits = [each.order for each in (*of.barriers, *of.warp_ops, *of.asyncs) if store.order < each.order < copy.order]
    before = [each for each in of.barriers if store.order < each.order < fence.order and each.scope is Scope.BLOCK]
    if not before or any(fence.order < order for order in waits) or copy.loops:
        return False
    chosen = chosen_for(copy)
    return bool(chosen) and not chosen <= {guard.term for guard in store.guards}


def chosen_for(event: Event) -> set[Term]:
    """The conditions that pick the threads of a block that come to an event."""
    return {guard.term for guard in event.guards if uniformity(guard.term) > Uniformity.BLOCK}


def _fences(of: Trace) -> Iterator[Event]:
    yield from (fence for fence in of.fences if "proxy" in fence.name)
    yield from of.calls
    yield from (barrier for barrier in of.barriers if not barrier.certain)


unproxied = KernelAnalysis("unproxied", _compute, needs=(trace,))
"""Every :class:`Unproxied` copy of a kernel variant."""
