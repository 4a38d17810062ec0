"""Lanes that a condition keeps away from a barrier of the warp, and that come to another one instead.

Barriers of a warp are matched by their masks, not by their places (PTX ISA, ``bar.warp.sync``: a thread waits until all
threads that the mask names have executed a ``bar.warp.sync`` with the same mask): the lanes that come and those that
stay away meet all the same, and nobody waits for ever.  What orders memory by such a meeting is another matter, which
races tell of.  A vote or a shuffle is another matter too: who comes to another one gets another's value.
"""

from __future__ import annotations

from kernlint.analysis.trace.events import BarrierEvent, Event, GuardKind, Trace
from kernlint.analysis.warps.warp_masks import Absence
from kernlint.tree.nodes import Scope


def met_later(absence: Absence, of: Trace) -> bool:
    """Whether all lanes that are kept away come to another barrier of the warp further on, with the same mask."""
    event = absence.event
    if not _of_warp(event) or not isinstance(event, BarrierEvent):
        return False
    return any(
        other.order > event.order and other.mask == event.mask and _of_warp(other) and _reached(other, absence)
        for other in of.barriers
    )


def _of_warp(event: Event) -> bool:
    """Whether it is a barrier of the warp, and not one of a group or tile of its own."""
    return isinstance(event, BarrierEvent) and event.scope is Scope.WARP and event.certain and not event.named


def _reached(other: BarrierEvent, absence: Absence) -> bool:
    """Whether whoever got to the condition comes to ``other``, whatever it says."""
    event, culprit = absence.event, absence.culprit
    loops = {id(loop) for loop in event.loops}
    if any(id(loop) not in loops for loop in other.loops):
        return False  # a loop may go no round
    for loop in other.loops:
        tests = ((loop.condition, loop.condition_span), *loop.exits, *loop.leaves)
        if any(term == culprit.term and span == culprit.span for term, span in tests):
            return False  # they are out of it
    return all(
        guard.kind is GuardKind.AFTER_LOOP
        or (guard in event.guards and (guard.term, guard.span) != (culprit.term, culprit.span))
        for guard in other.guards
    )
