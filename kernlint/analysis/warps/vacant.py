"""Shuffles that read from lanes which the last warp of a block does not have.

Where a launch in sight has a constant block that is no whole number of warps, the last warp has threads in its first
lanes alone.  What a shuffle reads from a lane without a thread is undefined (CUDA C++ Programming Guide, warp shuffle
functions: data may only be read from a thread that takes part).  That does no harm to lanes whose result nobody keeps,
or that choose by a condition between it and what they have: a :class:`Vacancy` is told where a lane writes to memory
what is made of it without any choice.

A block that is as large as a number of items, perhaps capped (``min(cols, 1024)``), is no whole number of warps where
that number is none.  It is tried with such numbers when something says that any may come: it is capped, the host
refuses what is more than a warp, or the kernel counts the warps of its block rounded up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.launching.launch_context import launch_context
from kernlint.analysis.launching.launches import LaunchFact, launches
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Trace, WarpEvent
from kernlint.analysis.warps.lanes import Block, Lanes, Undecided, Warp, lanes
from kernlint.analysis.warps.running import running
from kernlint.analysis.warps.samples import Sample
from kernlint.analysis.warps.warp_masks import computable
from kernlint.record import dataclass
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import BLOCK_DIM, Symbol, SymbolKind, Term, plain, symbols

Given = tuple[str, int] | None
"""A parameter and what a launch passes for it; None: a constant block."""

KINDS = ("shuffle_down", "shuffle_xor")
"""Shuffles that lower lanes use to read from higher ones."""


@dataclass(frozen=True, slots=True)
class Vacancy:
    """``reader``, a lane of warp ``number`` of a block of ``block`` threads, reads from the lane ``source``, where
    there is no thread, and ``kept`` writes what comes of it.  ``given``: the argument that makes the block so large."""

    event: WarpEvent
    kept: Access
    block: Block
    number: int
    reader: int
    source: int
    present: int
    given: Given = None


def _find(of: Trace, warps: Sequence[tuple[Warp, Given]]) -> Iterator[Vacancy]:
    for event in of.warp_ops:
        if not _reads_ahead(event):
            continue
        kept = [access for access in of.accesses if keeps(access, event)]
        vacancy = next(_vacancies(event, kept, warps), None) if kept else None
        if vacancy is not None:
            yield vacancy


def _reads_ahead(event: WarpEvent) -> bool:
    """Whether a shuffle by a distance that is known in each round names lanes by number."""
    if event.node.kind not in KINDS or len(event.operands) < 2 or event.mask is None:
        return False
    if event.mask.value is None and running(event) is None:
        return False
    width = event.width
    return (width is None or width.value is not None) and computable(event.operands[1])


def keeps(access: Access, event: WarpEvent) -> bool:
    """Whether a write puts what is made of what ``event`` gives, without any choice, into memory."""
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
            elif isinstance(symbol.origin, WarpEvent) and (
                symbol.origin.node.kind in KINDS or _hands_on(symbol.origin)
            ):
                todo.extend(symbol.origin.operands[:1])
    return False


def _hands_on(event: WarpEvent) -> bool:
    """Whether a shuffle gives lower lanes what higher ones have, or all lanes what the first has."""
    first = event.node.kind == "shuffle" and len(event.operands) > 1 and event.operands[1].value == 0
    return first or event.node.kind in KINDS


def _vacancies(event: WarpEvent, kept: list[Access], warps: Sequence[tuple[Warp, Given]]) -> Iterator[Vacancy]:
    for warp, given in warps:
        try:
            yield from _in_warp(event, kept, warp, given)
        except Undecided:
            continue


def _in_warp(event: WarpEvent, kept: list[Access], warp: Warp, given: Given) -> Iterator[Vacancy]:
    named = event.mask.value if event.mask is not None and running(event) is None else -1
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
        ends = (lane, first) if halves(event) else (lane,)
        for access in kept:
            arriving = warp.arriving(access)
            if any(end in arriving for end in ends):
                yield Vacancy(event, access, warp.block, warp.number, lane, source, len(warp.lanes), given)


def halves(event: WarpEvent) -> bool:
    """Whether the distance halves with every round of the loop, so that the first lane gets what the others read."""
    distance = plain(event.operands[1])
    counters = [loop.counter for loop in event.loops]
    return distance.op == "shr" and distance.args[0].value is not None and plain(distance.args[1]).symbol in counters


def _as_many(of: Trace, launch: LaunchFact) -> Iterator[tuple[Block, Symbol | None, tuple[str, int]]]:
    """Blocks, no whole number of warps, that a launch makes of one number of items which it passes on; with the
    parameter that gets it, and what that is."""
    if launch.block is None or any(size.value != 1 for size in launch.block[1:]):
        return
    threads = plain(launch.block[0])
    host = next(iter(symbols(threads)), None)
    if host is None or len(set(symbols(threads))) > 1 or host.kind is not SymbolKind.PARAM or not _unrounded(threads):
        return
    held = any(_held(check.term, host) for check in launch.guards)
    if threads.symbol is not None and not held and not _counts_warps(of):
        return
    passed = (name for name, value in launch.arguments if isinstance(value, Term) and plain(value).symbol is host)
    params = {symbol.name: symbol for term in _terms(of) for symbol in symbols(term) if symbol.kind is SymbolKind.PARAM}
    param = next((params[name] for name in passed if name in params), None)
    if param is None and not held:
        return
    for items in ITEMS:
        env = {host: items}
        size = evaluate(threads, env)
        if size and size % WARP and not any(evaluate(check.term, env) == 0 for check in launch.guards):
            yield (size, 1, 1), param, (param.name if param is not None else host.name, items)
            return


def _held(check: Term, size: Symbol) -> bool:
    """Whether the host refuses sizes above a warp, and lets all others be."""
    return any(
        part.op in ("lt", "le") and plain(part.args[0]).symbol is size and 1 < (part.args[1].value or 0) <= WARP + 1
        for part in conjuncts(check)
    )


ITEMS = (40, 20, 72, 200, 1000)
"""Numbers of items that make no whole number of warps."""

WARP = 32


def _unrounded(threads: Term) -> bool:
    """Whether a number of threads is one of items as it stands, or the less of it and a constant."""
    if threads.op in ("select", "min", "cast"):
        return all(map(_unrounded, threads.terms[-2:]))
    return threads.op in ("const", "sym")


def _counts_warps(of: Trace) -> bool:
    """Whether a kernel makes a number of warps of its block that is rounded up."""
    return any(map(_rounds_up, _terms(of)))


def _terms(of: Trace) -> dict[Term, None]:
    """Places, conditions and ends of loops."""
    conditions = (loop.condition for loop in of.loops if loop.condition is not None)
    guards = (guard.term for access in of.accesses for guard in access.guards)
    return dict.fromkeys((*(access.offset for access in of.accesses), *guards, *conditions))


def _rounds_up(term: Term) -> bool:
    if (term.op, term.terms[-1].value if term.terms else None) in (("div", WARP), ("shr", 5)):
        form = polynomial(term.args[0]).coefficients
        if form == {(BLOCK_DIM[0].term,): 1, (): WARP - 1}:
            return True
    return any(map(_rounds_up, term.terms))


def _compute(facts: Facts) -> tuple[Vacancy, ...]:
    of = facts[trace]
    if facts.module.language != "cuda" or not any(_reads_ahead(event) for event in of.warp_ops):
        return ()
    within: Lanes = facts[lanes]
    constant = {view.block for view in facts[launch_context].launches}
    odd = [b for b in within.blocks if within.seen and b in constant and b[0] * b[1] * b[2] % within.size]
    warps: list[tuple[Warp, Given]] = [(warp, None) for block in odd for warp in within.warps(block)]
    for launch in facts[launches] if not warps else ():
        for block, param, given in _as_many(of, launch):
            sample = Sample(0, {param: given[1]} if param is not None else {}, {})
            last = (block[0] - 1) // within.size
            warps.append((Warp(last, within.size, block, (0, 0, 0), sample), given))
    partial = [(warp, given) for warp, given in warps if len(warp.lanes) < warp.size]
    return tuple(_find(of, partial)) if partial else ()


vacancies = KernelAnalysis("vacancies", _compute, needs=(trace, lanes, launch_context, launches))
"""Every :class:`Vacancy` of a kernel variant, one for each shuffle."""
