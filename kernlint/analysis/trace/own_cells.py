"""Cells of shared memory that each thread has for itself.

``first[threadIdx.x] = blockIdx.x;`` in an array that is never used in another way is a variable of the thread: what it
reads there is what it has put there itself, and as much alike for all threads as that.
"""

from __future__ import annotations

from kernlint.analysis.trace.events import Access, AccessKind, Root, RootKind, Trace
from kernlint.analysis.trace.machine import FACTS
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import THREAD, SymbolKind, Term
from kernlint.tree.types import Space


def own_cells(trace: Trace) -> dict[int, dict[Term, None]]:
    """For each array (its identity) of which each thread uses one cell alone, its own: what is written there, and
    under which conditions."""
    shared = [access for access in trace.accesses if access.root.space is Space.SHARED]
    if not shared or any(gap.kind in ("budget", "goto") for gap in trace.gaps) or not _along_one_axis(trace):
        return {}
    lost: set[int] = set(trace.overwritten)
    lost.update(id(root) for barrier in trace.barriers for root in barrier.given)
    lost.update(id(address.root) for address in trace.addresses)
    for access in trace.accesses:
        if access.root.kind is RootKind.UNKNOWN:
            if not access.root.candidates and access.root.space not in (Space.GLOBAL, Space.PRIVATE):
                return {}
            lost.update(map(id, access.root.candidates))
    places: dict[Root, Term] = {}
    found: dict[int, dict[Term, None]] = {}
    for access in shared:
        root = access.root
        if places.setdefault(root, access.offset) != access.offset or not _plain(access):
            lost.add(id(root))
        elif access.value is not None:
            terms = found.setdefault(id(root), {})
            terms.update(dict.fromkeys((access.value, *(g.term for g in access.guards if g.kind not in FACTS))))
    alone = {id(root) for root, offset in places.items() if id(root) not in lost and _apart(offset, root.element.size)}
    return {root: terms for root, terms in found.items() if root in alone}


def _plain(access: Access) -> bool:
    if access.asynchronous or access.doubted or access.volatile or access.size != access.root.element.size:
        return False
    return access.kind is AccessKind.READ or (access.kind is AccessKind.WRITE and access.value is not None)


def _apart(offset: Term, size: int | None) -> bool:
    """Whether a place is that of the thread's number, times at least the size of an element."""
    form = {mono: value for mono, value in polynomial(offset).coefficients.items() if mono}
    return size is not None and set(form) == {(THREAD[0].term,)} and abs(form[THREAD[0].term,]) >= size


def _along_one_axis(trace: Trace) -> bool:
    """Whether a kernel asks for the first number of a thread alone: its blocks have one axis then."""
    found = {
        symbol.axis
        for access in trace.accesses
        for term in (access.offset, access.value, *(guard.term for guard in access.guards))
        if term is not None
        for symbol in term.symbols
        if symbol.kind is SymbolKind.THREAD
    }
    return found == {0}
