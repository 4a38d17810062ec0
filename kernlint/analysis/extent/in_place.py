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
from kernlint.prove.query import Axes, Budget, Launch, Overlap, Proved, Refuted, Scope
from kernlint.prove.solve import solve
from kernlint.record import replace
from kernlint.symbolic.terms import BLOCK, THREAD, SymbolKind
from kernlint.tree.types import IntType

BUDGET = Budget(steps=100, points=20_000, rlimit=0)

FEW = 8
"""Pairs of a read and a write that are asked about."""

VALUES = ((37, 35, 21, 13, 9, 7), (70, 45, 5, 3, 11, 2), (300, 5, 3, 7, 2, 9))
"""Values of the host's variables, in order of appearance: few threads, and more than one block along most axes."""

SMALL, GRIDS = (8, 2, 2), ((16, 4, 2), (4, 2, 2), (2, 2, 1), (4, 1, 1), (2, 1, 1))
"""Blocks in threads and grids in blocks where the host's are not known."""

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
    """Whether it is proved, for the values tried, that no such two exist: where the host's sizes are not known, for
    sizes of the kernel's own, and not within a block either."""
    if launches := list(_launches(view, found)):
        scopes: tuple[Scope, ...] = ("blocks",)
    else:
        launches, scopes = list(_made_up(view, [*reads, *writes])), ("blocks", "block")
    return bool(launches) and all(
        _told(read, launch) and _told(write, launch) and isinstance(_answer(read, write, launch, scope), Proved)
        for launch in launches
        for read in reads
        for write in writes
        for scope in scopes
    )


def _made_up(view: LaunchView, accesses: Sequence[Access]) -> Iterator[Launch]:
    """Launches along the axes that the places rest on, in which each argument is large in one and small in another."""
    found = {symbol: None for access in accesses for symbol in side(access).symbols}
    sizes = [one for one in found if one.kind is SymbolKind.PARAM and isinstance(one.type, IntType)]
    axes = [THREAD[axis] in found or BLOCK[axis] in found for axis in range(3)]
    given = tuple(size.value for size in view.fact.block) if view.fact.block is not None else ()
    if len(sizes) > len(VALUES[0]) or not any(axes):
        return

    def along(size: tuple[int, int, int]) -> tuple[int, int, int]:
        x, y, z = (one if used else 1 for one, used in zip(size, axes, strict=True))
        return x, y, z

    block: Axes = (given[0], given[1], given[2]) if given and all(given) else along(SMALL)
    for values in (order for tried in VALUES for order in (tried, tried[::-1])):
        known = tuple(zip(sizes, values, strict=False))
        launch = next(filter(is_small, [Launch(block, along(grid), values=known) for grid in GRIDS]), None)
        if launch is not None:
            yield launch


def _met(read: Access, write: Access, launch: Launch) -> bool:
    answer = _answer(read, write, launch)
    return isinstance(answer, Refuted) and not answer.depends_on_data


def _answer(read: Access, write: Access, launch: Launch, scope: Scope = "blocks") -> object:
    return solve(Overlap(side(read), side(write), scope, launch=launch), BUDGET)


def _told(access: Access, launch: Launch) -> bool:
    """Whether the launch says all that the place of an access rests on."""
    known = {symbol for symbol, _ in launch.values}
    rest = side(access).symbols
    return bool(access.size) and all(s in known or s.kind in _LAUNCH or s.kind is SymbolKind.COUNTER for s in rest)
