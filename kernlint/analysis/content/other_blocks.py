"""Shared memory that the threads of the first block alone fill: ``if (gid < TYPES) table[gid] = types[gid];``.

Every block has a table of its own.  Where the number of the block is part of the places that are set, or of the
conditions under which they are, a block far from the first may set nothing that lies in the array, and yet read it.
So may the first one, where others take what those before them have left: ``if (block > 0) start = ends[block - 1];``.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.analysis.accesses.pairs import side
from kernlint.analysis.accesses.touches import Toucher
from kernlint.analysis.content.cells import Unset
from kernlint.analysis.scenarios.numbers import scalar
from kernlint.analysis.scenarios.scenario import Scenario
from kernlint.analysis.trace.events import Access, AccessKind, LoopContext
from kernlint.prove.admission import Admission
from kernlint.prove.query import Launch, LoopRange, Side
from kernlint.symbolic.terms import BLOCK, Symbol, SymbolKind, Term, const, substitute, symbols
from kernlint.tree.types import I64

FAR = 64
"""The number of a block that is far from the first."""

PLENTY = 1 << 20
"""The value of sizes: there is enough for all."""

_PLAIN = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.BLOCK_DIM, SymbolKind.COUNTER})


def first_alone(
    shape: Scenario, setting: Sequence[Access], reads: Sequence[Access], results: Sequence[Access], known: Admission
) -> Unset | None:
    """A read by a block that sets nothing in an array of which the first one sets something, or by the first one where
    another does.  ``results``: what the kernel writes to global memory, which says how many blocks it is for."""
    extent = setting[0].root.extent
    if extent is None:
        return None
    for axis, block in enumerate(BLOCK):
        last = _last(shape.grid[axis], results, reads, block)
        if shape.grid[axis] == 1 or not all(_tested(write, block) for write in setting):
            continue
        given = dict(known.numbers)
        sizes = dict.fromkeys(s for access in (*setting, *reads) for s in side(access).symbols if scalar(s))
        values = tuple((size, given.get(size, PLENTY)) for size in sizes)
        launch = Launch(shape.block, (None, None, None), shape.threads, values)
        if not known.permits(shape.block, values=values):
            continue
        first = _sets(setting, block, 0, launch, extent)
        # (That a block is not the first says that there are others.)
        later = _sets(setting, block, last or FAR, launch, extent)
        if first is None or later is None or first is later or (first and last < 1):
            continue
        number = last if first else 0
        for read in reads:
            thread = _reader(read, block, number, launch)
            if thread is not None:
                place = [0, 0, 0]
                place[axis] = number
                at = (place[0], place[1], place[2])
                return Unset(read, "uncovered", shape, thread, 0, (), setting[0], block=at)
    return None


def _last(blocks: int | None, results: Sequence[Access], reads: Sequence[Access], block: Symbol) -> int:
    """The number of a block far from the first that there is: as many as a size asks for that the results of the kernel
    are kept below, else the second, where results are of the block; 0 where nothing speaks of more than one.  So do
    results that are added up, for one block that adds once to each place has no need of that."""
    if blocks is not None:
        return min(blocks - 1, FAR)
    added = any(map(_added_apart, results))
    work = (*results, *reads) if added else results
    limits = [g for one in work for g in one.guards if block in symbols(g.term) and any(map(scalar, symbols(g.term)))]
    return FAR if limits else int(added or any(block in symbols(one.offset) for one in results))


def _added_apart(result: Access) -> bool:
    """Whether each thread of a block adds atomically to a place that its index alone says: no two of them meet."""
    found = symbols(result.offset)
    kinds = {symbol.kind for symbol in found}
    own = SymbolKind.THREAD in kinds and kinds <= {SymbolKind.THREAD, SymbolKind.BLOCK_DIM, SymbolKind.COUNTER}
    return own and result.kind is AccessKind.ATOMIC and all(loop.counter in found for loop in result.loops)


def _tested(write: Access, block: Symbol) -> bool:
    """Whether a test that knows the block's number stands before a write: without one its place is wrong, and not what
    it leaves out."""
    return any(block in symbols(guard.term) for guard in write.guards)


def _of_block(at: Side, block: Symbol, number: int) -> Side:
    """What the threads of the block with a ``number`` do."""
    images = {block: const(number, block.type)}

    def moved(term: Term) -> Term:
        return substitute(term, images)

    counters = tuple(
        LoopRange(loop.counter, moved(loop.condition)) if loop.condition is not None else loop for loop in at.counters
    )
    return Side(moved(at.offset), at.size, tuple(map(moved, at.guards)), counters)


def _sets(setting: Sequence[Access], block: Symbol, number: int, launch: Launch, extent: int) -> bool | None:
    """Whether the threads of a block write anything that lies in the array; None where that cannot be listed."""
    toucher = Toucher()
    for write in setting:
        touches = toucher.of(_of_block(side(write), block, number), launch)
        if touches is None:
            return None
        if any(0 <= start < extent for start, _, _ in touches.found):
            return True
    return False


def _reader(read: Access, block: Symbol, number: int, launch: Launch) -> int | None:
    """A thread of the block that surely reads the array, wherever that is."""
    at = _of_block(_first_round(side(read)), block, number)
    if not all(s.kind in _PLAIN or scalar(s) for term in at.facts for s in symbols(term)):
        return None
    if any(term.op == "call" for term in at.facts) or any(_may_leave(loop) for loop in read.loops):
        return None
    touches = Toucher().of(at, launch)
    return touches.found[0][1] if touches is not None and touches.found else None


def _first_round(at: Side) -> Side:
    """An access in the first rounds of its loops, wherever it is."""
    first = {loop.counter: const(0, I64) for loop in at.counters}
    return Side(const(0, I64), at.size, tuple(substitute(fact, first) for fact in at.facts))


def _may_leave(loop: LoopContext) -> bool:
    return bool(loop.exits or loop.leaves)
