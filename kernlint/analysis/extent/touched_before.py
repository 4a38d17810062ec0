"""Surplus threads that touch nothing but what the threads before the end touch as well.

A thread beyond the last item may be let through on purpose: whole warps leave together, and the spare lanes of the last
one read the entry of their warp (``start[i / 32]`` where ``i / 32 * 32 < n``).  Small launches are tried: nothing is
exposed where no surplus thread that passes the tests on its way reads another element than those of the items.
"""

from __future__ import annotations

from kernlint.analysis.trace.events import Access
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.terms import BLOCK, BLOCK_DIM, THREAD, Symbol, SymbolKind, Term, plain, subterms, symbols

THREADS = 128
"""Threads of a block that are tried, where the text does not say how many there are."""

SIZES = (1, 33, 101, 130)
"""Numbers of items that are tried: none fills its last block, or its last warp."""

_GIVEN = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.BLOCK_DIM})


def touched_before(access: Access, test: Term, axis: int) -> bool:
    """Whether every element that ``access`` reads is one that a thread with ``test``, a comparison of its index with a
    size, reads too; False where that is not known of the index."""
    index, size = access.offset, plain(test.args[1]).symbol
    if size is None or size in index.symbols or any(s.kind not in _GIVEN or s.axis != axis for s in symbols(index)):
        return False
    if not any(part.op in ("div", "shr", "mod", "and") for part in subterms(index)):
        return False
    return all(_all_touched(access, test, axis, {size: count}) for count in SIZES)


def _all_touched(access: Access, test: Term, axis: int, given: dict[Symbol, int]) -> bool:
    inside, surplus = set[int](), set[int]()
    for block in range(2):
        for thread in range(THREADS):
            env = given | {BLOCK[axis]: block, THREAD[axis]: thread, BLOCK_DIM[axis]: THREADS}
            place, asked = evaluate(access.offset, env), evaluate(test, env)
            if place is None or asked is None:
                return False
            if asked:
                inside.add(place)
            elif all(evaluate(guard.term, env) != 0 for guard in access.guards):
                surplus.add(place)
    return surplus <= inside
