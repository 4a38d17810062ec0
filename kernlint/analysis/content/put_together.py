"""Values that some lanes of a warp have not set, and that others take up when all lanes put theirs together.

``if (lane % 16 < 4) q = x[lane % 16];`` leaves ``q`` unset in the others; a sum by ``__shfl_xor_sync(all, q, 8, 16)``
gives it to lanes that have set theirs.  Where groups are as narrow as what is set, none comes across.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.analysis.trace.events import Trace, WarpEvent
from kernlint.analysis.warps.vacant import keeps
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.terms import BLOCK_DIM, THREAD, Symbol, SymbolKind, Term, symbols

LANES = 32
"""Lanes of a warp that are tried."""

ROUNDS = 5
"""Rounds of a loop that halves the distance."""


def taken_by_others(event: WarpEvent, conds: Sequence[Term], of: Trace) -> bool:
    """Whether a lane without a value, by ``conds`` on the thread's index, gives what it has to one that has its own,
    and something is kept of that."""
    if event.node.kind != "shuffle_xor" or len(event.operands) < 2:
        return False
    unset = [lane for lane in range(LANES) if all(evaluate(cond, _at(lane)) for cond in conds)]
    if not unset or len(unset) == LANES or not any(keeps(access, event) for access in of.accesses):
        return False
    counters = [one for one in symbols(event.operands[1]) if one.kind is SymbolKind.COUNTER]
    width = event.width.value if event.width is not None else LANES
    for round_ in range(ROUNDS if counters else 1):
        distance = evaluate(event.operands[1], dict.fromkeys(counters, round_))
        if distance is not None and 0 < distance < (width or 1):
            return any(lane ^ distance not in unset for lane in unset)
    return False


def _at(lane: int) -> dict[Symbol, int]:
    return {THREAD[0]: lane, THREAD[1]: 0, THREAD[2]: 0, BLOCK_DIM[0]: LANES, BLOCK_DIM[1]: 1, BLOCK_DIM[2]: 1}
