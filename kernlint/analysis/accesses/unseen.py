"""Calls out of sight between two accesses: what a race takes for granted of them.

A call that is given objects in shared memory, and of which nothing else speaks of a barrier, may hold one.  What it is
given it orders itself; for everything else a search takes it for no barrier, and says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kernlint.analysis.accesses.pairs import Pair
from kernlint.analysis.trace.events import BarrierEvent
from kernlint.record import replace


def past(calls: Iterable[BarrierEvent], pair: Pair) -> Pair | None:
    """``pair`` with what it takes for granted of the calls out of sight; None where one orders its accesses itself."""
    passed = list(_between(calls, pair))
    if any(pair.first.root in call.given for call in passed):
        return None
    words = dict.fromkeys(f"{call.name}, which is not in sight, holds no barrier" for call in passed)
    return replace(pair, unseen=tuple(words)) if words else pair


def _between(calls: Iterable[BarrierEvent], pair: Pair) -> Iterator[BarrierEvent]:
    first, second = (pair.second, pair.first) if pair.reversed else (pair.first, pair.second)
    for call in calls:
        after, before = call.order > first.order, call.order < second.order
        if (pair.carried in call.loops and (after or before)) if pair.carried is not None else (after and before):
            yield call
