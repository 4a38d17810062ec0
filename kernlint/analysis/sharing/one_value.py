"""Cells into which only one value is ever stored.

``if (threadIdx.x == 0) limit = 256;`` at the head of each round, with a barrier behind it: the store of the next round
overtakes reads of this one and changes nothing.  All stores to the object put one number, or one argument, into one
place, and a reader has a barrier behind the first of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.analysis.trace.events import Access, AccessKind, BarrierEvent, Guard
from kernlint.symbolic.terms import BLOCK_DIM, THREAD, SymbolKind, Term, const, substitute, symbols
from kernlint.tree.nodes import Scope

_GIVEN = frozenset({SymbolKind.PARAM, SymbolKind.TEMPLATE})


def settled_reads(group: Sequence[Access]) -> frozenset[int]:
    """The reads (their identities) among the accesses to one object that get the one value which is ever stored in
    it."""
    stores = [access for access in group if access.writes]
    if not stores or not all(_alike(one, stores[0]) for one in stores):
        return frozenset()
    found = set[int]()
    for read in group:
        if read.writes or read.offset != stores[0].offset or read.size != stores[0].size:
            continue
        if any(_published(store, read) and _made_for(store, read) for store in stores):
            found.add(id(read))
    return frozenset(found)


def _alike(one: Access, other: Access) -> bool:
    if one.kind is not AccessKind.WRITE or one.asynchronous or one.doubted or one.value is None:
        return False
    same = one.value == other.value and one.offset == other.offset and one.size == other.size
    return same and one.offset.value is not None and {symbol.kind for symbol in symbols(one.value)} <= _GIVEN


def _published(store: Access, read: Access) -> bool:
    """Whether the last barrier before a read stands behind the store, in the text and so in the same round."""
    last = [label.barrier for label in read.labels if label.exact]
    between = [it for it in last if it is not None and _of_all(it) and store.order < it.order < read.order]
    return bool(last) and len(between) == len(read.labels)


def _of_all(barrier: BarrierEvent) -> bool:
    return barrier.certain and not barrier.named and barrier.scope in (Scope.BLOCK, Scope.GRID)


def _made_for(store: Access, read: Access) -> bool:
    """Whether some thread of the block makes the store whenever one makes the read."""
    held = {guard.term for guard in read.guards}
    return all(guard.term in held or _lets_first(guard) for guard in store.guards)


def _lets_first(guard: Guard) -> bool:
    """Whether a guard lets the first thread of every block through."""
    term: Term = substitute(guard.term, {thread: const(0, thread.type) for thread in THREAD})
    return term.value == 1 and set(symbols(guard.term)) <= {*THREAD, *BLOCK_DIM}
