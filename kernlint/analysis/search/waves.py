"""What a kernel counts on of runs of threads that the hardware keeps in step."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from kernlint.analysis.trace.events import Access, Trace
from kernlint.symbolic.terms import THREAD, WARP_SIZE, SymbolKind, Term, symbols
from kernlint.tree.nodes import Scope
from kernlint.tree.types import Space

WAVE = 64
"""Threads of a wavefront on AMD hardware (32 on some: two threads of different waves of 64 are in different ones)."""


def of_waves(of: Trace) -> bool:
    """Whether a HIP kernel speaks of waves: collectives or barriers of theirs, fences or memory that is read anew each
    time, their size, or groups of as many threads."""
    if of.warp_ops or of.fences or any(barrier.scope is Scope.WARP for barrier in of.barriers):
        return True
    shared = [access for access in of.accesses if access.root.space is Space.SHARED]
    return any(
        access.volatile or any(by_run(t) or WARP_SIZE in t.symbols for t in (access.offset, *_conditions(access)))
        for access in shared
    )


def _conditions(access: Access) -> Iterator[Term]:
    return (guard.term for guard in access.guards)


@functools.lru_cache(maxsize=1 << 12)
def by_run(term: Term) -> bool:
    """Whether threads are counted within runs of :data:`WAVE`, or such runs are: ``t & 63``, ``t / 64``."""
    by = {"and": WAVE - 1, "mod": WAVE, "div": WAVE, "shr": 6}.get(term.op)
    if by is not None and term.args[1].value == by:
        return any(symbol.kind is SymbolKind.THREAD for symbol in symbols(term.args[0]))
    return any(map(by_run, term.terms))


def counts_on_groups(of: Trace) -> bool:
    """Whether a kernel has barriers of sub-groups, or gives each sub-group a part of shared memory of its own."""
    if any(barrier.scope is Scope.WARP for barrier in of.barriers):
        return True
    shared = (access for access in of.accesses if access.writes and access.root.space is Space.SHARED)
    return any(WARP_SIZE in access.offset.symbols and THREAD[0] in access.offset.symbols for access in shared)
