"""Sums that all blocks add to, read behind a barrier of the block: it does not wait for the other blocks.

Which element a thread adds to is said by data (a bin, a segment, a cell), with no part of the block's own, so that any
block may add to any element; behind the barrier each thread reads the element of its number in the grid.  Nothing is
told where something may order the blocks, or where a ticket says which of them comes last.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.launching.launch_context import LaunchContext, launch_context
from kernlint.analysis.order import Order, order
from kernlint.analysis.sharing.global_races import grid_wide, handshakes
from kernlint.analysis.sharing.races import followed
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, BarrierEvent, RootKind, Trace
from kernlint.record import dataclass
from kernlint.symbolic.terms import SymbolKind, Uniformity, symbols
from kernlint.tree.nodes import Scope
from kernlint.tree.types import Space

SUMMING = frozenset({"add", "sub", "inc", "dec"})
"""Atomic operations after which an element has its value only when all threads have made theirs."""

_FOUND = frozenset({SymbolKind.LOAD, SymbolKind.UNKNOWN, SymbolKind.PHI})


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """``read`` of what ``update`` adds up for the whole grid, with nothing but ``barrier`` between."""

    update: Access
    read: Access
    barrier: BarrierEvent


def _compute(facts: Facts) -> tuple[Gathered, ...]:
    of = facts[trace]
    updates = [access for access in of.accesses if _sums_up(access)]
    if not updates or not followed(of) or of_one_block(facts[launch_context]) or grid_wide(of) or handshakes(of):
        return ()
    found: dict[int, Gathered] = {}
    for one in _found(of, updates, facts[order]):
        found.setdefault(id(one.update.root), one)
    return tuple(found.values())


def _found(of: Trace, updates: list[Access], known: Order) -> Iterator[Gathered]:
    barriers = [one for one in of.barriers if one.scope is Scope.BLOCK and one.certain and not one.named]
    for update in updates:
        for read in of.accesses:
            if read.root is not update.root or not _own(read) or any(loop in read.loops for loop in update.loops):
                continue
            between = next((one for one in barriers if update.order < one.order < read.order), None)
            if between is not None and known.between_blocks(update, read) is None:
                yield Gathered(update, read, between)


def of_one_block(context: LaunchContext) -> bool:
    """Whether every launch that is known of has one block."""
    given = context.grid is not None and context.grid == (1, 1, 1)
    grids = [view.fact.grid for view in context.launches]
    return given or (bool(grids) and all(grid is not None and all(n.value == 1 for n in grid) for grid in grids))


def _sums_up(access: Access) -> bool:
    """Whether an atomic operation adds to an element that data alone pick."""
    if access.kind is not AccessKind.ATOMIC or access.atomic_op not in SUMMING or access.root.space is not Space.GLOBAL:
        return False
    if access.root.kind is not RootKind.PARAM or access.scope not in (Scope.GRID, Scope.SYSTEM):
        return False
    parts = symbols(access.offset)
    picked = any(one.kind is SymbolKind.LOAD and one.uniformity is Uniformity.VARYING for one in parts)
    return picked and not any(one.kind in (SymbolKind.BLOCK, SymbolKind.PHI, SymbolKind.UNKNOWN) for one in parts)


def _own(read: Access) -> bool:
    """Whether each thread of the grid reads an element of its own, whatever the data are."""
    if read.kind is not AccessKind.READ or read.volatile:
        return False
    kinds = {one.kind for one in symbols(read.offset)}
    chosen = (one for guard in read.guards for one in symbols(guard.term))
    found = any(one.kind in _FOUND and one.uniformity is not Uniformity.GRID for one in chosen)
    return {SymbolKind.BLOCK, SymbolKind.THREAD} <= kinds and not kinds & _FOUND and not found


gathered = KernelAnalysis("gathered", _compute, needs=(trace, launch_context, order))
"""Each object of a kernel variant that is read before all blocks have added to it: :class:`Gathered`."""
