"""Shuffles that read from lanes which the last warp of a block does not have.

Where a launch in sight has a constant block that is no whole number of warps, the last warp has threads in its first
lanes alone.  What a shuffle reads from a lane without a thread is undefined (CUDA C++ Programming Guide, warp shuffle
functions: data may only be read from a thread that takes part).  That does no harm to lanes whose result nobody keeps,
or that choose by a condition between it and what they have: a :class:`Vacancy` is told where a lane writes to memory
what is made of it without any choice.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.launching.launch_context import launch_context
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Trace, WarpEvent
from kernlint.analysis.warps.lanes import Block, Lanes, Undecided, Warp, lanes
from kernlint.analysis.warps.warp_masks import computable
from kernlint.record import dataclass
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, symbols

KINDS = ("shuffle_down", "shuffle_xor")
"""Shuffles that lower lanes use to read from higher ones."""


@dataclass(frozen=True, slots=True)
class Vacancy:
    """``reader``, a lane of warp ``number`` of a block of ``block`` threads, reads from the lane ``source``, where
    there is no thread, and ``kept`` writes what comes of it."""

    event: WarpEvent
    kept: Access
    block: Block
    number: int
    reader: int
    source: int
    present: int


def _find(of: Trace, within: Lanes, blocks: tuple[Block, ...]) -> Iterator[Vacancy]:
    for event in of.warp_ops:
        if not _reads_ahead(event):
            continue
        kept = [access for access in of.accesses if _keeps(access, event)]
        vacancy = next(_vacancies(event, kept, within, blocks), None) if kept else None
        if vacancy is not None:
            yield vacancy


def _reads_ahead(event: WarpEvent) -> bool:
    """Whether a shuffle by a distance that is known in each round names lanes by number."""
    if event.node.kind not in KINDS or len(event.operands) < 2 or event.mask is None or event.mask.value is None:
        return False
    width = event.width
    return (width is None or width.value is not None) and computable(event.operands[1])


def _keeps(access: Access, event: WarpEvent) -> bool:
    return access.writes and access.order > event.order and access.value is not None and _of(access.value, event)


def _of(term: Term, event: WarpEvent) -> bool:
    """Whether a value is made of what ``event`` gives, with no choice but one by what it gives (the lesser of two)."""
    todo, seen = [term], set[Symbol]()
    while todo:
        at = todo.pop()
        symbol = at.symbol
        if symbol is None:
            if at.op != "select" or any(asked.origin is event for asked in symbols(at.args[0])):
                todo.extend(at.terms)
        elif symbol.origin is event:
            return True
        elif symbol not in seen:
            seen.add(symbol)
            if symbol.kind is SymbolKind.PHI:
                todo.extend(part for part in (symbol.init, symbol.step) if part is not None)
            elif isinstance(symbol.origin, WarpEvent) and symbol.origin.node.kind in KINDS:
                todo.extend(symbol.origin.operands[:1])
    return False


def _vacancies(event: WarpEvent, kept: list[Access], within: Lanes, blocks: tuple[Block, ...]) -> Iterator[Vacancy]:
    for block in blocks:
        for warp in within.warps(block):
            if len(warp.lanes) < warp.size:
                try:
                    yield from _in_warp(event, kept, warp)
                except Undecided:
                    continue


def _in_warp(event: WarpEvent, kept: list[Access], warp: Warp) -> Iterator[Vacancy]:
    named = event.mask.value if event.mask is not None else None
    width = warp.size if event.width is None or event.width.value is None else event.width.value
    if named is None or not 1 <= width <= warp.size or width & (width - 1):
        return
    for lane in warp.arriving(event):
        distance = int(warp.value(event.operands[1], lane))
        source = lane + distance if event.node.kind == "shuffle_down" else lane ^ distance
        first = lane // width * width
        if not 0 < distance < width or lane - first >= distance or not lane < source < first + width:
            continue
        if source in warp.lanes or not named >> source & 1:
            continue
        ends = (lane, first) if _halves(event) else (lane,)
        for access in kept:
            arriving = warp.arriving(access)
            if any(end in arriving for end in ends):
                yield Vacancy(event, access, warp.block, warp.number, lane, source, len(warp.lanes))


def _halves(event: WarpEvent) -> bool:
    """Whether the distance halves with every round of the loop, so that the first lane gets what the others read."""
    distance = plain(event.operands[1])
    counters = [loop.counter for loop in event.loops]
    return distance.op == "shr" and distance.args[0].value is not None and plain(distance.args[1]).symbol in counters


def _compute(facts: Facts) -> tuple[Vacancy, ...]:
    views = facts[launch_context].launches
    if facts.module.language != "cuda" or not views or not any(e.node.kind in KINDS for e in facts[trace].warp_ops):
        return ()
    within: Lanes = facts[lanes]
    constant = {view.block for view in views}
    odd = tuple(b for b in within.blocks if b in constant and b[0] * b[1] * b[2] % within.size)
    return tuple(_find(facts[trace], within, odd)) if within.seen and odd else ()


vacancies = KernelAnalysis("vacancies", _compute, needs=(trace, lanes, launch_context))
"""Every :class:`Vacancy` of a kernel variant, one for each shuffle."""
