"""Coordinates that one end of is open, whatever says so: an access is told once."""

from __future__ import annotations

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.extent.around_stored import Around, around_stored
from kernlint.analysis.extent.kept_elsewhere import OpenHere, kept_elsewhere
from kernlint.analysis.extent.moved_on import MovedOn, moved_on
from kernlint.analysis.extent.open_coordinate import OpenCoordinate
from kernlint.analysis.extent.open_coordinates import open_coordinates
from kernlint.analysis.extent.overreach import overreach
from kernlint.source import Span

OpenEnd = MovedOn | Around | OpenCoordinate | OpenHere


def _compute(facts: Facts) -> tuple[OpenEnd, ...]:
    found: dict[tuple[Span, bool], OpenEnd] = {}
    every: tuple[OpenEnd, ...] = (
        *facts[moved_on],
        *facts[around_stored],
        *facts[open_coordinates],
        *facts[kept_elsewhere],
    )
    wrong = {(one.access.root, one.guard.span) for one in facts[overreach]} if facts[open_coordinates] else set()
    for one in every:
        guard = one.guard if isinstance(one, OpenCoordinate) and not one.below else None
        if guard is None or (one.access.root, guard.span) not in wrong:  # else its test tells what is wrong by itself
            found.setdefault((one.access.span, one.below), one)
    return tuple(found.values())


open_ends = KernelAnalysis(
    "open_ends",
    _compute,
    needs=(
        moved_on,
        around_stored,
        open_coordinates,
        kept_elsewhere,
        overreach,
    ),
)
"""Each access at a coordinate that nothing keeps inside at one end, as something else says it has to be."""
