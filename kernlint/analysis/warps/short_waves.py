"""Code for HIP that counts on wavefronts of 64 lanes, in a file that a comment says is built for 32 as well.

A shuffle reaches over 32 lanes, where there are no more.  Or the first of every 64 threads fetches something for its
wavefront, and all take it over from lane 0: every other wavefront of 32 has nobody who fetches.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import BuiltFor, Facts, KernelAnalysis
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Trace
from kernlint.analysis.warps.wave_size import HALF, WAVE, FirstRound, WaveFault, fetched
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.terms import WARP_SIZE, Symbol, plain, symbols


class _Short(FirstRound):
    """The first round of loops on a wavefront of 32 lanes."""

    def __getitem__(self, symbol: Symbol) -> int:
        return HALF if symbol is WARP_SIZE else super().__getitem__(symbol)


def _compute(facts: Facts) -> tuple[WaveFault, ...]:
    short = [one for one in facts.options.built_for if one.lanes == HALF]
    targets = facts.options.targets
    if facts.module.language != "hip" or (targets and all(target.value("warp_size") == HALF for target in targets)):
        return ()
    if not short or facts.module.setting:
        return ()
    of: Trace = facts[trace]
    return (*_far(of, short[0]), *_led(of, short[0]))


def _far(of: Trace, built: BuiltFor) -> Iterator[WaveFault]:
    """Shuffles, without a width, over 32 lanes or more."""
    for event in of.warp_ops:
        if event.node.kind not in ("shuffle_down", "shuffle_xor", "shuffle_up") or len(event.operands) < 2:
            continue
        distance = evaluate(event.operands[1], _Short())
        width = HALF if event.width is None else evaluate(event.width, _Short())
        if distance is None or not HALF <= distance < WAVE or width is None or (width == HALF and event.width):
            continue
        what = f"{event.node.name} reaches {distance} lanes further, and a wavefront of {built.name} has {HALF} lanes"
        yield WaveFault("short", event.span, what, built.span, event.stack)


def _led(of: Trace, built: BuiltFor) -> Iterator[WaveFault]:
    """What the first of every 64 threads has fetched, passed on from lane 0 of each wavefront."""
    for event in of.warp_ops:
        if event.node.kind != "shuffle" or event.width is not None or len(event.operands) < 2:
            continue
        value, lane = map(plain, event.operands[:2])
        if lane.value != 0 or any(WARP_SIZE in symbols(guard.term) for guard in event.guards):
            continue
        if fetched(value, WAVE) is not None and WARP_SIZE not in symbols(value.args[0]):
            what = (
                f"{event.node.name} takes from lane 0 what one of every {WAVE} threads has, and a wavefront of "
                f"{built.name} has {HALF} lanes: every other one gets nothing"
            )
            yield WaveFault("led", event.span, what, built.span, event.stack)


short_waves = KernelAnalysis("short_waves", _compute, needs=(trace,))
"""The first of each place that counts on 64 lanes where the file is built for 32 as well: :class:`WaveFault`."""
