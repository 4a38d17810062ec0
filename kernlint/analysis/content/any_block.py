"""Cells of shared memory that no block sets, however many threads it has.

Where no launch is in sight a kernel is meant for one block or another.  A cell that is read and not set under any of
the sizes in use, as far as the block's threads stay within the array, is set under none: ``if (threadIdx.x < 32) h[
threadIdx.x] = 0;`` of a table of 64 that data choose from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kernlint.analysis.accesses.pairs import side
from kernlint.analysis.accesses.touches import Toucher
from kernlint.analysis.content.cells import Unset, touched
from kernlint.analysis.scenarios.scenario import Provenance, Scenario
from kernlint.analysis.trace.events import Access
from kernlint.record import replace

BLOCKS = (32, 64, 128, 256, 512, 1024)
"""Threads of blocks in a row that are in use."""


def whatever_the_block(
    shape: Scenario,
    accesses: Sequence[Access],
    ask: Callable[[Scenario], Unset | None],
    most: int,
) -> Unset | None:
    """What is found under each block in a row of no more than ``most`` threads (the largest one's), None where one is
    fine."""
    result: Unset | None = None
    for size in BLOCKS if shape.block[1:] == (1, 1) else ():
        under = replace(shape, block=(size, 1, 1), provenance=Provenance.COMPILED)
        if size > most or not all(_fits(access, under) for access in accesses):
            continue
        one = ask(under)
        if one is None:
            return None
        result = replace(one, shape=replace(shape, block=under.block))
    return result


def _fits(access: Access, shape: Scenario) -> bool:
    """Whether the threads of a block stay within an array, as far as can be listed."""
    touches, extent = touched(Toucher(), side(access), shape, ()), access.root.extent
    return touches is None or extent is None or all(0 <= start < extent for start, _, _ in touches.found)
