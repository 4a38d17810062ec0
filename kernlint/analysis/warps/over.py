"""Lanes that a branch keeps away from a shuffle or a barrier of the warp, and that have nothing left to do.

They are as good as out of the kernel: ``if (i < n) { ... }`` around all that a kernel does is
``if (i >= n) return;``.  Lanes that have left the kernel need not come to a collective whose mask names them (CUDA C++
Programming Guide, warp functions: all non-exited threads named in the mask), so all that can go wrong is that another
lane reads from one of them, and keeps what it gets.  A vote is another matter: whoever counts lanes by it means all of
them.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.trace.events import Access, Event, Guard, GuardKind, Trace, WarpEvent
from kernlint.analysis.warps.gone import KINDS, at_round, source_of
from kernlint.analysis.warps.lanes import Lanes, Undecided, Warp
from kernlint.analysis.warps.vacant import keeps
from kernlint.analysis.warps.warp_masks import Absence
from kernlint.symbolic.terms import SymbolKind, symbols

ROUNDS = 6
"""Rounds of a loop whose counter says from which lane a shuffle reads: as many as halve a warp, and one more."""


_WORK = frozenset({SymbolKind.PARAM, SymbolKind.LOAD})
"""What says that there is no work for a lane."""


def over(absence: Absence, of: Trace, within: Lanes) -> bool:
    """Whether the lanes that stay away do nothing more, and no other lane keeps what it reads from them."""
    event = absence.event
    if isinstance(event, WarpEvent) and event.node.kind not in KINDS:
        return False
    at = next((n for n, g in enumerate(event.guards) if _same(g, absence)), None)
    if at is None or event.guards[at].kind is not GuardKind.BRANCH:
        return False
    if not any(symbol.kind in _WORK for symbol in symbols(absence.culprit.term)):
        return False  # lanes that constants pick are picked on purpose
    if event.loops and event.loops[0].depth <= at:
        return False  # another round may bring the branch again
    guard = event.guards[at]
    if any(guard not in other.guards for other in _later(of, guard)):
        return False
    return not isinstance(event, WarpEvent) or not _kept(event, of, within, absence)


def _same(guard: Guard, absence: Absence) -> bool:
    return guard.term == absence.culprit.term and guard.span == absence.culprit.span


def _later(of: Trace, guard: Guard) -> Iterator[Event]:
    """What comes after a branch has begun."""
    events = (*of.accesses, *of.warp_ops, *of.barriers)
    begun = min((event.order for event in events if guard in event.guards), default=0)
    return (event for event in events if event.order > begun)


def _kept(event: WarpEvent, of: Trace, within: Lanes, absence: Absence) -> bool:
    """Whether a lane keeps what it reads from one that stays away, as far as can be told: if not, it may."""
    kept = [access for access in of.accesses if keeps(access, event)]
    if not kept:
        return False
    seen = absence.seen
    warps = (absence.warp, *within.torn(seen.block, [absence.culprit.term]))
    counted = any(symbol.kind is SymbolKind.COUNTER for symbol in symbols(event.operands[1]))
    try:
        return any(
            _reads_away(event, kept, at_round(warp, event, round_))
            for warp in warps
            for round_ in (range(ROUNDS) if counted else (None,))
        )
    except Undecided:
        return True


def _reads_away(event: WarpEvent, kept: list[Access], warp: Warp) -> bool:
    width = warp.size if event.width is None else int(warp.value(event.width, warp.lanes[0]))
    arriving = warp.arriving(event)
    if not 1 <= width <= warp.size or width & (width - 1):
        return True
    readers = {lane for access in kept for lane in warp.arriving(access)}
    sources = (source_of(event, warp, lane, width) for lane in arriving if lane in readers)
    return any(source is not None and source not in arriving for source in sources)
