"""Temporary storage of a library's collective that is used again too early.

A block-wide primitive of CUB, hipCUB or rocPRIM writes to its storage, has the threads wait for each other, and reads;
then it returns without another barrier.  A thread that has returned and begins with the next primitive in the same
storage overwrites what slower threads still read (CUB documentation: a barrier is needed before ``temp_storage`` is
reused or repurposed).  Any barrier in between will do, that inside a collective with other storage too.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.scenarios.policy import scenarios
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import BarrierEvent, Label, LoopContext, RootKind, Trace
from kernlint.record import dataclass
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.terms import FALSE

WARP = 32
"""Threads up to which a block is one warp, for which a collective's barrier is one of the warp."""


@dataclass(frozen=True, slots=True, eq=False)
class Reuse:
    """``second`` begins to write where ``first`` may still read.  ``loop``: it is the next round of that loop in which
    it does (None: both in one run of the code)."""

    first: BarrierEvent
    second: BarrierEvent
    loop: LoopContext | None

    @property
    def name(self) -> str:
        """The object that is the storage."""
        assert self.first.storage is not None
        return self.first.storage[0].name


def _compute(facts: Facts) -> tuple[Reuse, ...]:
    of = facts[trace]
    uses = [barrier for barrier in of.barriers if _stored(barrier)]
    if not uses or all(shape.threads <= WARP for shape in facts[scenarios].plausible):
        return ()
    return tuple(_find(of, uses))


def _stored(barrier: BarrierEvent) -> bool:
    return barrier.storage is not None and barrier.storage[0].kind is not RootKind.UNKNOWN


def _find(of: Trace, uses: list[BarrierEvent]) -> Iterator[Reuse]:
    told: set[object] = set()
    for second in uses:
        for label in second.labels:
            first = label.barrier
            if first is None or not label.exact or label.condition == FALSE or not _stored(first):
                continue
            if first.storage != second.storage or _asked_between(of, first, second):
                continue
            rounds = [(loop, shift) for loop, shift in label.shifts if shift]
            if any(not _again(loop, shift) for loop, shift in rounds) or second.span in told:
                continue
            told.add(second.span)
            yield Reuse(first, second, _carried(label))


def _asked_between(of: Trace, first: BarrierEvent, second: BarrierEvent) -> bool:
    """Whether a call that may hold a barrier stands between."""
    if first.order < second.order:
        return any(call.may_sync and first.order < call.order < second.order for call in of.calls)
    return any(call.may_sync and set(call.loops) & set(second.loops) for call in of.calls)


def _carried(label: Label) -> LoopContext | None:
    return next((loop for loop, shift in label.shifts if shift), None)


def _again(loop: LoopContext, shift: int | None) -> bool:
    """Whether a loop may go round once more."""
    if loop.condition is None or shift is None:
        return True
    return evaluate(loop.condition, {loop.counter: shift}) != 0


reuses = KernelAnalysis("storage_reuses", _compute, needs=(trace, scenarios))
"""Every :class:`Reuse` of a kernel variant."""
