"""Shared memory that ordinary stores fill and a bulk copy takes away.

Bulk copies, those of tensors too, read memory by another way than the threads: the asynchronous proxy.  A barrier
orders threads with each other, not the two ways; ``fence.proxy.async`` does, in the thread that has stored and before
the barrier (PTX ISA, proxies; CUDA C++ Programming Guide, asynchronous data copies using TMA).
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, AsyncEvent, Event, RootKind, Trace
from kernlint.record import dataclass
from kernlint.tree.nodes import AsyncCopy
from kernlint.tree.types import Space


@dataclass(frozen=True, slots=True, eq=False)
class Unproxied:
    """``copy`` reads what ``store`` has put into shared memory, with no fence between the two ways to it."""

    store: Access
    copy: AsyncEvent
    read: Access


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
            yield Unproxied(store, copy, read)


def _source(of: Trace, copy: AsyncEvent) -> Access | None:
    """The read of shared memory that a copy makes."""
    for access in of.accesses:
        if access.node is copy.node and access.kind is AccessKind.READ and access.root.space is Space.SHARED:
            return access if access.root.kind is not RootKind.UNKNOWN else None
    return None


def _plain(access: Access, read: Access) -> bool:
    return access.kind is AccessKind.WRITE and not access.asynchronous and access.root is read.root


def _kept_apart(of: Trace, store: Access, copy: AsyncEvent) -> bool:
    """Whether the store is not before the copy, or something that may be the fence stands between."""
    if store.order < copy.order:
        return any(store.order < event.order < copy.order for event in _fences(of))
    shared = [loop for loop in store.loops if loop in copy.loops]
    return not shared or any(loop in event.loops for event in _fences(of) for loop in shared)


def _fences(of: Trace) -> Iterator[Event]:
    yield from (fence for fence in of.fences if "proxy" in fence.name)
    yield from of.calls
    yield from (barrier for barrier in of.barriers if not barrier.certain)


unproxied = KernelAnalysis("unproxied", _compute, needs=(trace,))
"""Every :class:`Unproxied` copy of a kernel variant."""
