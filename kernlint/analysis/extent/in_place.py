"""One buffer for two parameters: whether a block reads through the one what another block writes through the other.

Threads of one block may be held apart by barriers; blocks are not.  The launch is tried with numbers for its sizes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.accesses.pairs import side
from kernlint.analysis.extent.pitches import pitches, wide_rows
from kernlint.analysis.extent.places import Places
from kernlint.analysis.extent.tried import is_small, launch_with, settings_of
from kernlint.analysis.launching.launch_context import LaunchView
from kernlint.analysis.trace.events import Access
from kernlint.prove.query import Budget, Launch, Overlap, Proved, Refuted
from kernlint.prove.solve import solve
from kernlint.record import replace
from kernlint.symbolic.terms import SymbolKind

BUDGET = Budget(steps=100, points=20_000, rlimit=0)

FEW = 8
"""Pairs of a read and a write that are asked about."""

VALUES = ((37, 35, 21, 13, 9, 7), (70, 45, 5, 3, 11, 2), (300, 5, 3, 7, 2, 9))
"""Values of the host's variables, in order of appearance: few threads, and more than one block along most axes."""

_LAUNCH = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.BLOCK_DIM, SymbolKind.GRID_DIM})


def meeting(
    view: LaunchView, reads: Sequence[Access], writes: Sequence[Access], found: Places
) -> tuple[Access, Access] | None:
    """A read and a write of one element by threads of two blocks under a launch in sight; None where none is found.
    ``found``: the places of the kernel's accesses."""
    pairs = [(read, write) for read in reads for write in writes if read is not write][:FEW]
    for launch in _launches(view, found):
        if not is_small(launch) or launch.grid == (1, 1, 1):
            continue
        bx, by, bz = launch.block
        launch = replace(launch, max_threads=(bx or 1) * (by or 1) * (bz or 1))
        for read, write in pairs:
            if _told(read, launch) and _told(write, launch) and _met(read, write, launch):
                return read, write
    return None


def _launches(view: LaunchView, found: Places) -> Iterator[Launch]:
    """The launch with numbers for its sizes, rows no longer than they are apart."""
    pitched = pitches(found, view)
    for env in settings_of(view, tried=VALUES):
        wide = wide_rows(pitched, view, env)
        launch = launch_with(view, wide) if wide is not None else None
        if launch is not None:
            yield launch


def kept_apart(view: LaunchView, reads: Sequence[Access], writes: Sequence[Access], found: Places) -> bool:
    """Whether it is proved, for the values tried, that no such two exist."""
    launches = list(_launches(view, found))
    return bool(launches) and all(
        _told(read, launch) and _told(write, launch) and isinstance(_answer(read, write, launch), Proved)
        for launch in launches
        for read in reads
        for write in writes
    )


def _met(read: Access, write: Access, launch: Launch) -> bool:
    answer = _answer(read, write, launch)
    return isinstance(answer, Refuted) and not answer.depends_on_data


def _answer(read: Access, write: Access, launch: Launch) -> object:
    return solve(Overlap(side(read), side(write), "blocks", launch=launch), BUDGET)


def _told(access: Access, launch: Launch) -> bool:
    """Whether the launch says all that the place of an access rests on."""
    known = {symbol for symbol, _ in launch.values}
    rest = side(access).symbols
    return bool(access.size) and all(s in known or s.kind in _LAUNCH or s.kind is SymbolKind.COUNTER for s in rest)
