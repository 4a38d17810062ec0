"""One thread that arrives at a barrier object for others, before they have stored what it stands for.

With split barriers (``mbarrier``, ``cuda::barrier``, ``bar.arrive``) whoever waits is told of what those have done that
have arrived, and of what these have waited for (PTX ISA, ``mbarrier.arrive``: release, for the thread that executes
it).  Where all lanes of a warp store and one of them arrives for all, ``__syncwarp()`` has to stand between.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, BarrierEvent, Event, RootKind, Trace
from kernlint.record import dataclass
from kernlint.symbolic.terms import THREAD, Term, Uniformity, negate, symbols
from kernlint.symbolic.uniformity import uniformity
from kernlint.tree.nodes import Barrier, Ref, Scope, VarDecl
from kernlint.tree.types import Space
from kernlint.tree.walk import walk


@dataclass(frozen=True, slots=True, eq=False)
class Announced:
    """``arrival``, by one thread of those that make ``store``, tells whoever makes ``load`` behind ``wait`` that all
    have stored."""

    store: Access
    arrival: BarrierEvent
    wait: BarrierEvent
    load: Access


def _compute(facts: Facts) -> tuple[Announced, ...]:
    of = facts[trace]
    arrivals = [event for event in of.arrivals if event.scope is not Scope.WARP]
    waits = [b for b in of.barriers if b.named and isinstance(b.node, Barrier)]
    if not arrivals or not waits or of.calls or any(not b.certain for b in of.barriers):
        return ()
    return tuple(_find(of, arrivals, waits))


def _find(of: Trace, arrivals: list[BarrierEvent], waits: list[BarrierEvent]) -> Iterator[Announced]:
    told: set[int] = set()
    shared = [a for a in of.accesses if a.root.space is Space.SHARED and a.root.kind is not RootKind.UNKNOWN]
    for store in shared:
        if store.kind is not AccessKind.WRITE or store.asynchronous or id(store.root) in told or not _of_lanes(store):
            continue
        for_it = [a for a in arrivals if a.order > store.order and not _parted(a, store)]
        if not for_it or not all(_for_others(a, store) for a in for_it) or _gathered(of, store, for_it[0]):
            continue
        for load in shared:
            if load.root is not store.root or load.kind is not AccessKind.READ or not _parted(load, store):
                continue
            ahead = [w for w in waits if w.order < load.order and not _parted(w, load) and _parted(w, store)]
            if ahead and _waits_for(ahead[-1], for_it[0]) and not _gathered(of, ahead[-1], load):
                told.add(id(store.root))
                yield Announced(store, for_it[0], ahead[-1], load)
                break


def _of_lanes(store: Access) -> bool:
    """Whether the lanes of a warp each make a store of their own."""
    return any(symbol in THREAD for symbol in symbols(store.offset)) and not any(
        term.op == "eq" for term in _chosen(store)
    )


def _chosen(event: Event) -> set[Term]:
    """The conditions on which lanes of a warp may disagree."""
    return {guard.term for guard in event.guards if uniformity(guard.term) > Uniformity.WARP}


def _for_others(arrival: BarrierEvent, store: Access) -> bool:
    """Whether one lane alone arrives, picked by its number."""
    extra = _chosen(arrival) - {guard.term for guard in store.guards}
    return any(term.op == "eq" and any(symbol in THREAD for symbol in symbols(term)) for term in extra)


def _parted(one: Event, other: Event) -> bool:
    """Whether no thread comes to both: they are on the two branches of one condition."""
    theirs = {guard.term for guard in other.guards}
    return any(negate(guard.term) in theirs for guard in one.guards)


def _waits_for(wait: BarrierEvent, arrival: BarrierEvent) -> bool:
    """Whether ``wait`` is for ``arrival``, among others: who arrives and waits at once does so at one object."""
    if isinstance(wait.node, Barrier) and wait.node.part == "both":
        ours, theirs = _object(wait), _object(arrival)
        return ours is not None and ours is theirs
    return True


def _object(event: BarrierEvent) -> VarDecl | None:
    node = event.node
    found = walk(node.barrier_id) if isinstance(node, Barrier) and node.barrier_id is not None else ()
    return next((part.decl for part in found if isinstance(part, Ref)), None)


def _gathered(of: Trace, first: Event, second: Event) -> bool:
    """Whether threads of a warp, or more, wait for each other between two events."""
    meetings: list[Event] = [*of.barriers, *(op for op in of.warp_ops if op.node.synchronising)]
    return any(first.order < event.order < second.order for event in meetings)


announced = KernelAnalysis("announced", _compute, needs=(trace,))
"""Every :class:`Announced` store of a kernel variant, one for each object."""
