"""Barriers that a kernel does as well without, as a proof.

A barrier is taken out of the walk: what came after it then comes after whatever barrier came before it.  When all pairs
of accesses are proved to keep apart all the same, under every launch that is allowed, nothing rests on the barrier.
Nothing is said where anything stands in the way of a proof, nor where barriers may have another purpose: with atomic
operations, fences, asynchronous copies, words that threads wait for, volatile memory, or calls that are not followed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy

from kernlint.analysis.assumptions import assumed
from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.order.hand_overs import order
from kernlint.analysis.scenarios.policy import scenarios
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, BarrierEvent, Label, LoopContext, Trace
from kernlint.analysis.verdict.proofs import barriers, keeps_apart
from kernlint.analysis.verdict.verdicts import Ladder, Verdict, obstacle
from kernlint.record import dataclass, replace
from kernlint.symbolic.terms import conjunction
from kernlint.tree.nodes import Barrier, Scope

MOST = 6
"""Barriers of one kernel that are looked at."""

ACCESSES = 60
"""Accesses of a kernel that is looked at."""


@dataclass(frozen=True, slots=True, eq=False)
class Redundant:
    """``barrier`` keeps nothing apart, on the premises ``assumptions``."""

    barrier: BarrierEvent
    assumptions: tuple[str, ...]


def _compute(facts: Facts) -> tuple[Redundant, ...]:
    of = facts[trace]
    if not facts.options.pedantic or not _plain(facts, of):
        return ()
    synchronised = barriers(facts, refute=False)
    return tuple(_find(facts, of, synchronised)) if synchronised.status == "proved" else ()


def _find(facts: Facts, of: Trace, synchronised: Verdict) -> Iterator[Redundant]:
    told: set[object] = set()
    for barrier in of.barriers:
        again = any(other is not barrier and other.span == barrier.span for other in of.barriers)
        if barrier.span in told or again:
            continue  # in a helper that is called several times: each call has its own reasons
        told.add(barrier.span)
        left = without(of, barrier)
        if left is None:
            continue
        verdict = keeps_apart(Ladder(facts), left, synchronised)
        if verdict.status == "proved":
            yield Redundant(barrier, verdict.assumptions)


def _plain(facts: Facts, of: Trace) -> bool:
    """Whether barriers can be for nothing but the order of plain accesses."""
    if not 0 < len(of.barriers) <= MOST or len(of.accesses) > ACCESSES or obstacle(facts, of) is not None:
        return False
    if of.calls or of.fences or of.asyncs or of.images or facts[order].words:
        return False
    if any(a.kind is AccessKind.ATOMIC or a.volatile for a in of.accesses):
        return False
    return all(_bare(barrier) for barrier in of.barriers)


def _bare(barrier: BarrierEvent) -> bool:
    node = barrier.node
    if barrier.scope is Scope.WARP:
        return True
    return (
        barrier.scope is Scope.BLOCK
        and barrier.certain
        and not barrier.named
        and barrier.storage is None
        and isinstance(node, Barrier)
        and node.predicate is None
        and not node.args
    )


def without(of: Trace, barrier: BarrierEvent) -> Trace | None:
    """The walk without a barrier; None where what came before it is not told apart."""
    if barrier.scope is not Scope.BLOCK:
        return None
    left = copy(of)
    left.barriers = [other for other in of.barriers if other is not barrier]
    left.accesses = []
    for access in of.accesses:
        labels = _through(access.labels, barrier)
        if labels is None:
            return None
        moved: Access = copy(access)
        moved.labels = labels
        left.accesses.append(moved)
    return left


def _through(labels: Iterable[Label], barrier: BarrierEvent) -> tuple[Label, ...] | None:
    found: list[Label] = []
    for label in labels:
        if label.barrier is not barrier:
            found.append(label)
            continue
        for before in barrier.labels:
            if before.barrier is barrier or not (before.exact and label.exact):
                return None  # around a loop with no other barrier: it separates its own rounds
            shifts = _together(label.shifts, before.shifts)
            if shifts is None:
                return None
            found.append(replace(before, condition=conjunction(label.condition, before.condition), shifts=shifts))
    return tuple(found)


Shifts = tuple[tuple[LoopContext, "int | None"], ...]


def _together(later: Shifts, earlier: Shifts) -> Shifts | None:
    """How many rounds ago the earlier barrier ran, seen from where the later one ran ``later`` rounds ago."""
    ago = dict(later)
    found: list[tuple[LoopContext, int | None]] = []
    for loop, shift in earlier:
        more = ago.get(loop, 0)
        if shift is None or more is None:
            return None
        found.append((loop, shift + more))
    inside = {id(loop) for loop, _ in earlier}
    if any(id(loop) not in inside and shift for loop, shift in later):
        return None  # the earlier one stands before a loop that has gone round since
    return tuple(found)


redundant = KernelAnalysis("redundant_barriers", _compute, needs=(trace, order, assumed, scenarios))
"""The :class:`Redundant` barriers of a kernel variant; none unless notes are asked for."""
