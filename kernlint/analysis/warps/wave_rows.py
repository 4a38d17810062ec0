"""Rows that a whole wavefront goes through, with sums that are brought together over 32 lanes.

``for (c = lane; c < cols; c += warpSize) sum += x[c]`` leaves a part of the sum in each of 64 lanes; shuffles from a
distance of 16 on join those of 32.  Told is only a kernel in which nothing works in groups of 32 lanes: there each
half of a wavefront may have its own result.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import LoopContext, Trace, WarpEvent
from kernlint.analysis.warps.wave_size import HALF, WAVE, MadeUp, WaveFault, asks_for_size, lane_groups, lanes_joined
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, symbols
from kernlint.tree.types import Space
from kernlint.tree.walk import walk

STEPS = 64
"""Symbols of one sum that are followed to where they come from."""


class _InRound(MadeUp):
    """What a thread has in one round of a loop."""

    def __init__(self, thread: int, counter: Symbol, number: int) -> None:
        super().__init__(thread)
        self.counter, self.number = counter, number

    def __getitem__(self, symbol: Symbol) -> int:
        return self.number if symbol is self.counter else super().__getitem__(symbol)


def _by_waves(place: Term, loop: LoopContext) -> bool:
    """Whether the lanes of a wavefront take neighbouring elements, and those of the next 64 in the next round."""
    first, other, later = (
        evaluate(place, _InRound(*at)) for at in ((0, loop.counter, 0), (1, loop.counter, 0), (0, loop.counter, 1))
    )
    if first is None or other is None or later is None:
        return False
    return other != first and later - first == WAVE * (other - first)


def _rounds(value: Term) -> Iterator[LoopContext]:
    """The loops in which a value is added up."""
    todo, seen = list(symbols(value)), set[Symbol]()
    while todo and len(seen) < STEPS:
        symbol = todo.pop()
        if symbol in seen:
            continue
        seen.add(symbol)
        if symbol.kind is SymbolKind.PHI:
            if isinstance(symbol.origin, LoopContext):
                yield symbol.origin
            for term in (symbol.init, symbol.step):
                todo += symbols(term) if term is not None else ()
        elif isinstance(symbol.origin, WarpEvent):
            todo += (one for operand in symbol.origin.operands for one in symbols(operand))


def _compute(facts: Facts) -> tuple[WaveFault, ...]:
    targets = facts.options.targets
    of: Trace = facts[trace]
    if facts.module.language != "hip" or (targets and all(target.value("warp_size") == HALF for target in targets)):
        return ()
    joins = [event for event in of.warp_ops if event.node.kind in ("shuffle_down", "shuffle_xor")]
    if not joins or lanes_joined(joins) != HALF or any(event.width is not None for event in of.warp_ops):
        return ()
    if any(access.root.space is Space.SHARED for access in of.accesses):
        return ()  # the parts of several may be brought together there
    terms = [access.offset for access in of.accesses] + [test.term for test in of.conditions]
    if any(HALF in lane_groups(term) for term in terms) or any(
        asks_for_size(node) for function in facts.reached if function.body is not None for node in walk(function.body)
    ):
        return ()
    rows = {
        loop: access
        for access in of.accesses
        if access.root.space is Space.GLOBAL
        for loop in access.loops[-1:]
        if _by_waves(access.offset, loop)
    }
    for event in joins:
        over = next((loop for loop in _rounds(event.operands[0]) if loop in rows and loop not in event.loops), None)
        if over is not None:
            what = (
                f"each of the {WAVE} lanes of a wavefront has a part of the row, and the shuffles bring together those "
                f"of {HALF} lanes"
            )
            return (WaveFault("mixed", event.span, what, rows[over].span, event.stack),)
    return ()


wave_rows = KernelAnalysis("wave_rows", _compute, needs=(trace,))
"""The first shuffle of sums over rows that whole wavefronts go through, where it joins 32 lanes: :class:`WaveFault`."""
