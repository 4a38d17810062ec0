"""Shuffles that read from lanes which their mask does not name.

``__shfl_down_sync(0x7ff, top, 8)`` gives lane 3 what lane 11 has, which is undefined: data may only be read from a
thread that takes part (CUDA C++ Programming Guide, warp shuffle functions).  That does no harm to lanes whose result
nobody keeps, or that choose by a condition between it and what they have.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, WarpEvent
from kernlint.analysis.warps.gone import source_of
from kernlint.analysis.warps.lanes import Lanes, Undecided, Warp, lanes
from kernlint.analysis.warps.vacant import KINDS, halves, keeps
from kernlint.analysis.warps.warp_masks import computable
from kernlint.record import dataclass

WARPS = 4
"""Warps that are tried for one shuffle."""


@dataclass(frozen=True, slots=True)
class BesideMask:
    """``reader`` reads from the lane ``source``, which ``mask`` does not name, and ``kept`` writes what comes of it."""

    event: WarpEvent
    kept: Access
    reader: int
    source: int
    mask: int


def _under(event: WarpEvent, kept: list[Access], within: Lanes) -> Iterator[BesideMask]:
    for block in within.blocks:
        for tried, warp in enumerate(within.warps(block)):
            if tried >= WARPS:
                break
            try:
                yield from _in_warp(event, kept, warp)
            except Undecided:
                continue


def _in_warp(event: WarpEvent, kept: list[Access], warp: Warp) -> Iterator[BesideMask]:
    width = warp.size if event.width is None or event.width.value is None else event.width.value
    if event.mask is None or not 1 <= width <= warp.size or width & (width - 1):
        return
    for lane in warp.arriving(event):
        mask, distance = warp.mask(event.mask, lane), int(warp.value(event.operands[1], lane))
        source = source_of(event, warp, lane, width)
        if source is None or not 0 < distance < width or source < lane or mask >> source & 1 or not mask >> lane & 1:
            continue
        group = mask >> lane // width * width & (1 << width) - 1
        first = lane // width * width + (group & -group).bit_length() - 1
        if lane - first >= distance:
            continue  # what comes of it gets nowhere
        for access in kept:
            arriving = warp.arriving(access)
            if lane in arriving or (halves(event) and first in arriving):
                yield BesideMask(event, access, lane, source, mask)


def _compute(facts: Facts) -> tuple[BesideMask, ...]:
    of = facts[trace]
    found: list[BesideMask] = []
    for event in of.warp_ops if facts.module.language == "cuda" else ():
        mask = event.mask
        if event.node.kind not in KINDS or len(event.operands) < 2 or mask is None or not computable(mask):
            continue
        if mask.value in (-1, 0xFFFFFFFF) or not computable(event.operands[1]):
            continue
        if mask.value is None and any(isinstance(one.origin, WarpEvent) for one in mask.symbols):
            continue  # who comes to another collective, somebody has seen to
        kept = [access for access in of.accesses if keeps(access, event)]
        one = next(_under(event, kept, facts[lanes]), None) if kept else None
        if one is not None:
            found.append(one)
    return tuple(found)


beside_mask = KernelAnalysis("beside_mask", _compute, needs=(trace, lanes))
"""Every :class:`BesideMask` of a kernel variant, one for each shuffle."""
