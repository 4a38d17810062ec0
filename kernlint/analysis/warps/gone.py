"""Shuffles that read from lanes which have left the kernel.

Lanes that have returned need not come to a collective whose mask names them; but what a shuffle reads from one of them
is undefined (CUDA C++ Programming Guide, warp shuffle functions: data may only be read from a thread that takes part).
That is a fault where some lanes of a warp are sure to have left in a launch in sight, which rounds its grid up from the
very size that they are held against, and another lane writes to memory what is made of the result without any choice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.launching.launch_context import LaunchView, launch_context
from kernlint.analysis.launching.padded import padded_by_callers
from kernlint.analysis.launching.whole_blocks import partly_filled
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Guard, GuardKind, Trace, WarpEvent
from kernlint.analysis.warps.lanes import Lanes, Undecided, Warp, lanes
from kernlint.analysis.warps.samples import Sample
from kernlint.analysis.warps.vacant import keeps
from kernlint.record import dataclass
from kernlint.symbolic.terms import Symbol, SymbolKind, symbols

KINDS = frozenset({"shuffle", "shuffle_down", "shuffle_up", "shuffle_xor"})
"""Shuffles that name the lane to read from."""

ROUNDS = (None, 0, 16)
"""Rounds of the loop whose counter says from which lane a shuffle reads (None: the one of the sample)."""

MOST = 6
"""Warps that are tried for one shuffle."""


@dataclass(frozen=True, slots=True)
class Gone:
    """``reader``, a lane of a warp, reads from the lane ``source``, which has left by ``exit``; ``kept`` writes what
    comes of it.  ``given``: the arguments of which that is so."""

    event: WarpEvent
    kept: Access
    exit: Guard
    reader: int
    source: int
    given: tuple[tuple[Symbol, int], ...]


def _find(of: Trace, within: Lanes, views: Sequence[LaunchView], facts: Facts) -> Iterator[Gone]:
    for event in of.warp_ops:
        if event.node.kind not in KINDS or len(event.operands) < 2 or event.doubted:
            continue
        exits = [g for g in event.guards if g.kind is GuardKind.EXIT and within.varies(g.term)]
        exits = [guard for guard in exits if partly_filled(guard.term, views)]
        kept = [access for access in of.accesses if keeps(access, event)] if exits else []
        if kept:  # callers are asked last: it takes a look into every file of the project
            open_ = [view for view in views if not _padded(view, facts)]
            exits = [guard for guard in exits if partly_filled(guard.term, open_)]
        found = next(_under(event, exits, kept, within), None) if kept and exits else None
        if found is not None:
            yield found


def _under(event: WarpEvent, exits: list[Guard], kept: list[Access], within: Lanes) -> Iterator[Gone]:
    for block in within.blocks:
        tried = 0
        for warp in within.torn(block, [guard.term for guard in exits]):
            tried += 1
            if tried > MOST:
                return
            for round_ in ROUNDS:
                try:
                    yield from _in_warp(event, exits, kept, at_round(warp, event, round_))
                except Undecided:
                    continue


def at_round(warp: Warp, event: WarpEvent, round_: int | None) -> Warp:
    """A warp in another round of the loop whose counter is in the lane that is read from."""
    counters = [symbol for symbol in symbols(event.operands[1]) if symbol.kind is SymbolKind.COUNTER]
    if round_ is None or not counters:
        return warp
    fixed = {**warp.sample.fixed, counters[0]: round_}
    return Warp(warp.number, warp.size, warp.block, warp.place, Sample(warp.sample.seed, fixed, warp.sample.numbers))


def _in_warp(event: WarpEvent, exits: list[Guard], kept: list[Access], warp: Warp) -> Iterator[Gone]:
    width = warp.size if event.width is None else int(warp.value(event.width, warp.lanes[0]))
    if not 1 <= width <= warp.size or width & (width - 1):
        return
    arriving = warp.arriving(event)
    for reader in arriving:
        source = source_of(event, warp, reader, width)
        if source is None or source in arriving or source not in warp.lanes:
            continue
        if event.mask is not None and not warp.mask(event.mask, reader) >> source & 1:
            continue  # another rule's business
        left = next((guard for guard in exits if not warp.value(guard.term, source)), None)
        if left is None:
            continue
        failed = {s for part in conjuncts(left.term) if not warp.value(part, source) for s in symbols(part)}
        for access in kept:
            if reader in warp.arriving(access):
                given = tuple((s, v) for s, v in warp.sample.fixed.items() if s in failed)
                yield Gone(event, access, left, reader, source, given)


def source_of(event: WarpEvent, warp: Warp, lane: int, width: int) -> int | None:
    """The lane that a shuffle reads from; None where it is its own."""
    by = int(warp.value(event.operands[1], lane))
    first = lane // width * width
    if event.node.kind == "shuffle":
        source = first + by % width
    elif event.node.kind == "shuffle_xor":
        source = lane ^ by
    else:
        source = lane + by if event.node.kind == "shuffle_down" else lane - by
    return source if first <= source < first + width and source != lane else None


def _compute(facts: Facts) -> tuple[Gone, ...]:
    of = facts[trace]
    if facts.module.language not in ("cuda", "hip") or not any(op.node.kind in KINDS for op in of.warp_ops):
        return ()
    views = facts[launch_context].launches
    return tuple(_find(of, facts[lanes], views, facts)) if views else ()


def _padded(view: LaunchView, facts: Facts) -> bool:
    """Whether the only callers, in Python, see to it that all blocks are full."""
    return any(padded_by_callers(view.fact.host, cover, facts.module_facts) for cover in view.covers)


gone = KernelAnalysis("gone", _compute, needs=(trace, lanes, launch_context))
"""Every :class:`Gone` of a kernel variant, one for each shuffle."""
