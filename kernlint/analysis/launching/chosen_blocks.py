"""Blocks of which the host chooses one: ``dim3 block = columns > 256 ? dim3(256, 4) : dim3(32, 32);``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.launching.launches import LaunchFact
from kernlint.symbolic.terms import Term, with_parts

DEEP = 2
"""Choices, one beside or in the other, that are told apart."""

Sizes = tuple[int | None, int | None, int | None]


def chosen_blocks(launch: LaunchFact) -> Iterator[tuple[tuple[int, int, int], Sizes]]:
    """(block, grid) of a launch on each side of the host's choices, where all blocks are numbers then; none otherwise.
    Sizes of the grid that are no numbers are None."""
    if launch.block is None:
        return
    found: list[tuple[tuple[int, int, int], Sizes]] = []
    for block, grid in _ways(launch.block, launch.grid or (), DEEP):
        x, y, z = (term.value for term in block)
        if x is None or y is None or z is None:
            return
        sizes = [term.value for term in grid] or [None] * 3
        found.append(((x, y, z), (sizes[0], sizes[1], sizes[2])))
    yield from dict.fromkeys(found)


def _ways(block: Sequence[Term], grid: Sequence[Term], deep: int) -> Iterator[tuple[Sequence[Term], Sequence[Term]]]:
    choice = next((term.args[0] for term in block if term.op == "select"), None) if deep else None
    if choice is None:
        yield block, grid
        return
    for at in (1, 2):
        yield from _ways([_side(term, choice, at) for term in block], [_side(t, choice, at) for t in grid], deep - 1)


def _side(term: Term, choice: Term, at: int) -> Term:
    """``term`` on one side of a choice."""
    if term.op == "select" and term.args[0] == choice:
        return _side(term.args[at], choice, at)
    return with_parts(term, [_side(part, choice, at) for part in term.terms])
