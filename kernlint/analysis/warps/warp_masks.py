"""Warp collectives whose mask does not agree with the lanes that come to them.

Two faults, both shown by a warp under a sample of values (:mod:`kernlint.analysis.warps.lanes`): a mask names a lane
that a condition keeps away while it lives on elsewhere (:class:`Absence`), and a mask leaves out a lane that comes
(:class:`Exclusion`).  Lanes that have left the kernel need not come (CUDA C++ Programming Guide, warp functions: all
non-exited threads named in the mask).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import BarrierEvent, GuardKind, LoopContext, Trace, WarpEvent
from kernlint.analysis.warps.lanes import STAYS, Block, Lanes, Undecided, Warp, lanes
from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.symbolic.terms import SymbolKind, Term, negate, symbols
from kernlint.tree.nodes import Barrier, IntLit, Scope
from kernlint.tree.types import IntType

Meeting = WarpEvent | BarrierEvent
"""A place where lanes of a warp meet."""

PATIENCE = 10
"""Warps of which nothing can be said before a question is given up."""

Evidence = TypeVar("Evidence")


def _meets(barrier: BarrierEvent) -> bool:
    """Whether all lanes of a group have to come.  AMD's barrier of a wave keeps the compiler from moving memory across
    it, and is no instruction: nobody waits (LLVM, AMDGPU usage guide, ``llvm.amdgcn.wave.barrier``)."""
    if barrier.name == "__builtin_amdgcn_wave_barrier":
        return False
    return barrier.certain and not barrier.named and barrier.scope in (Scope.WARP, Scope.TILE)


@dataclass(frozen=True, slots=True)
class Culprit:
    """A condition on which lanes disagree.  ``leaves``: lanes go where it is true (a break), instead of false."""

    term: Term
    span: Span
    what: str
    leaves: bool = False


@dataclass(frozen=True, slots=True)
class Seen:
    """The evidence: warp ``number`` of a block of ``block`` threads, where ``caller`` comes with ``mask`` and
    ``thread`` is the one that does not, or is not named."""

    block: Block
    number: int
    caller: int
    mask: int
    lane: int
    thread: Block
    size: int


@dataclass(frozen=True, slots=True)
class Absence:
    """A lane that the mask names stays away because of ``culprit``, in ``warp``.  ``implicit``: the mask is the whole
    tile."""

    event: Meeting
    culprit: Culprit
    seen: Seen
    implicit: bool
    warp: Warp


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A lane that comes is not in its own mask; or (``source``) the lane that it reads from is not."""

    event: Meeting
    seen: Seen
    source: bool = False


@dataclass(frozen=True, slots=True)
class WarpMasks:
    """Everything found about one kernel variant."""

    absences: tuple[Absence, ...]
    exclusions: tuple[Exclusion, ...]


def name_of(event: Meeting) -> str:
    """How the source calls the collective."""
    return event.node.name if isinstance(event, WarpEvent) else event.name


class _Finder:
    def __init__(self, of: Trace, within: Lanes, language: str) -> None:
        self.of = of
        self.within = within
        self.language = language
        self.meetings: list[Meeting] = [event for event in of.warp_ops if event.node.synchronising]
        self.meetings += [b for b in of.barriers if _meets(b)]
        self.meetings.sort(key=lambda event: event.order)

    # ---------------------------------------------------------------------------------------------- absences

    def absences(self) -> Iterator[Absence]:
        """Lanes that stay away; one for each culprit."""
        told: set[tuple[Span, Span]] = set()
        fruitless: set[tuple[object, ...]] = set()
        for event in self.meetings:
            culprits = [c for c in _culprits(event) if self.within.varies(c.term) and not self._elsewhere(event, c)]
            culprits = [c for c in culprits if (event.span, c.span) not in told]
            if not culprits or self._members(event) == 0:
                continue
            question = (event.mask, self._members(event), event.guards, tuple(culprits))
            if question in fruitless:
                continue
            found = self._under_blocks(partial(self._absent, event, culprits), [c.term for c in culprits])
            if found is None:
                fruitless.add(question)
            else:
                told.add((event.span, found.culprit.span))
                yield found

    def _members(self, event: Meeting) -> int | None:
        """Threads of the tile that has to come as a whole; None: the mask says which lanes; 0: not known."""
        if event.mask is not None:
            return None
        if self.language == "opencl":
            return self.within.size
        if isinstance(event, BarrierEvent):
            size = event.node.args[-1] if isinstance(event.node, Barrier) and event.node.args else None
            if isinstance(size, IntLit):
                return size.value
            return self.within.size if event.scope is Scope.WARP else 0
        if event.node.mask is None and event.width is not None and event.width.value is not None:
            return event.width.value
        return 0

    def _under_blocks(self, ask: Callable[[Warp], Evidence | None], torn: Sequence[Term] = ()) -> Evidence | None:
        """Evidence from each block that may be launched (from one of them when they are in sight).  ``torn``:
        conditions for which samples are made when those by chance show nothing."""
        first: Evidence | None = None
        for block in self.within.blocks:
            found = self._first(self.within.warps(block), ask) or self._first(self.within.torn(block, torn), ask)
            if found is not None and self.within.seen:
                return found
            if found is None and not self.within.seen:
                return None
            first = first or found
        return first

    def _first(self, warps: Iterable[Warp], ask: Callable[[Warp], Evidence | None]) -> Evidence | None:
        """The first warp that shows the fault.  Where the first few can say nothing, no other will."""
        undecided = 0
        for warp in warps:
            try:
                found = ask(warp)
            except Undecided:
                undecided += 1
                if undecided >= PATIENCE:
                    return None
                continue
            if found is not None:
                return found
        return None

    def _absent(self, event: Meeting, culprits: list[Culprit], warp: Warp) -> Absence | None:
        warp = self.within.in_mode(warp, event)
        arriving = warp.arriving(event)
        if not arriving or not any(len({bool(warp.value(c.term, n)) for n in warp.lanes}) > 1 for c in culprits):
            return None
        alive = warp.alive(event)
        for caller in arriving:
            mask = self._mask(event, warp, caller)
            for lane in alive:
                culprit = self._kept_away(culprits, warp, lane, caller) if mask >> lane & 1 else None
                if culprit is not None:
                    seen = Seen(warp.block, warp.number, caller, mask, lane, warp.thread(lane), warp.size)
                    return Absence(event, culprit, seen, event.mask is None, warp)
        return None

    def _mask(self, event: Meeting, warp: Warp, caller: int) -> int:
        if event.mask is not None:
            return warp.mask(event.mask, caller)
        members = min(self._members(event) or warp.size, warp.size)
        return ((1 << members) - 1) << caller // members * members

    def _kept_away(self, culprits: list[Culprit], warp: Warp, lane: int, caller: int) -> Culprit | None:
        for culprit in culprits:
            held = bool(warp.value(culprit.term, lane))
            if culprit.leaves:
                if held and not warp.value(culprit.term, caller):
                    return culprit
            elif not held:
                return culprit
        return None

    def _elsewhere(self, event: Meeting, culprit: Culprit) -> bool:
        """Whether the lanes that the culprit keeps away call the same collective on the other branch."""
        other = negate(culprit.term)
        return any(
            twin is not event
            and name_of(twin) == name_of(event)
            and twin.mask == event.mask
            and any(guard.term == other for guard in twin.guards)
            for twin in self.meetings
        )

    # -------------------------------------------------------------------------------------------- exclusions

    def exclusions(self) -> Iterator[Exclusion]:
        """Lanes that come to a collective whose mask leaves them out; one for each place."""
        told: set[Span] = set()
        for event in self.meetings:
            if event.mask is None or event.span in told or not computable(event.mask):
                continue
            if event.mask.value is not None and event.mask.value & (full := (1 << self.within.size) - 1) == full:
                continue
            if self.language == "hip" and event.mask.value == 0xFFFFFFFF:
                continue  # it names all 32 lanes there are on some targets: hard-coded-warp-size
            found = self._under_blocks(partial(self._excluded, event))
            if found is not None:
                told.add(event.span)
                yield found

    def _excluded(self, event: Meeting, warp: Warp) -> Exclusion | None:
        warp = self.within.in_mode(warp, event)
        for caller in warp.arriving(event):
            mask = self._mask(event, warp, caller)
            source = _source(event, warp, caller)
            if not mask >> caller & 1 or (source is not None and not mask >> source & 1):
                own = not mask >> caller & 1
                lane = caller if own or source is None else source
                seen = Seen(warp.block, warp.number, caller, mask, lane, warp.thread(caller), warp.size)
                return Exclusion(event, seen, not own)
        return None


def _source(event: Meeting, warp: Warp, lane: int) -> int | None:
    """The lane that a shuffle with a constant source reads from; None for other collectives."""
    if not isinstance(event, WarpEvent) or event.node.kind != "shuffle" or len(event.operands) < 2:
        return None
    index = event.operands[1].value
    width = warp.size if event.width is None else event.width.value
    if index is None or width is None or width < 1 or width & (width - 1):
        return None
    return lane // width * width + index % width


def computable(mask: Term) -> bool:
    """Whether a mask follows from the place of the thread, loop counters and other collectives alone."""
    known = (SymbolKind.THREAD, SymbolKind.BLOCK_DIM, SymbolKind.COUNTER, SymbolKind.WARP_SIZE)
    return all(symbol.kind in known or isinstance(symbol.origin, WarpEvent) for symbol in symbols(mask))


_WORDS = {
    GuardKind.BRANCH: "branch",
    GuardKind.LOOP: "loop condition",
    GuardKind.SKIP: "break, continue or return before it",
    GuardKind.SHORT: "condition",
}


def _culprits(event: Meeting) -> list[Culprit]:
    """Conditions that may keep lanes away from ``event`` without ending them."""
    found = [Culprit(g.term, g.span, _WORDS[g.kind]) for g in event.guards if g.kind in STAYS]
    for loop in event.loops:
        found += _of_loop(loop)
    return found


def _of_loop(loop: LoopContext) -> Iterator[Culprit]:
    for term, span in loop.exits:
        yield Culprit(term, span, "break", True)
    if loop.post_tested and loop.condition is not None:
        yield Culprit(negate(loop.condition), loop.condition_span or loop.span, "loop condition", True)


def bad_width(event: WarpEvent, size: int) -> int | None:
    """The constant width of a shuffle that is no power of two up to ``size`` lanes, else None."""
    width = event.width
    if not event.node.kind.startswith("shuffle") or width is None or not isinstance(width.type, IntType):
        return None
    value = width.value
    if value is None or (1 <= value <= size and not value & (value - 1)):
        return None
    return value


def _compute(facts: Facts) -> WarpMasks:
    finder = _Finder(facts[trace], facts[lanes], facts.module.language)
    if not finder.meetings:
        return WarpMasks((), ())
    return WarpMasks(tuple(finder.absences()), tuple(finder.exclusions()))


warp_masks = KernelAnalysis("warp_masks", _compute, needs=(trace, lanes))
"""The :class:`WarpMasks` of a kernel variant."""
