"""The last thread that tests against numbers let through, as a witness: too far out for a search from the first one.

``if (x >= 512 || y >= 384) return;`` leaves a corner at (511, 383); a place made of threads and numbers alone, which
grows along each axis, is largest there.
"""

from __future__ import annotations

from kernlint.analysis.accesses.pairs import side
from kernlint.analysis.base import Facts
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.asking import Past
from kernlint.analysis.extent.truths import slack_of
from kernlint.analysis.launching.launch_context import launch_context
from kernlint.prove.query import Actor, Refuted
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import BLOCK, BLOCK_DIM, GRID_DIM, THREAD, SymbolKind, Term, symbols

_PLACED = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.BLOCK_DIM})


def corner(past: Past, facts: Facts) -> Refuted | None:
    """The thread at the corner that the tests leave, where no launch is in sight and its index is past the size."""
    context = facts[launch_context]
    about = side(past.access)
    terms = (past.index, past.size, *about.guards)
    if context.launches or context.stated or not {s.kind for term in terms for s in symbols(term)} <= _PLACED:
        return None
    tops = [_top(axis, about.guards) for axis in range(3)]
    used = {s.axis for s in symbols(past.index)}
    if not used or any(tops[axis] is None for axis in used):
        return None
    x, y, z = (
        (top // size, top % size, top // size + 1)
        for top, size in zip((top or 0 for top in tops), context.blocks[0].block, strict=True)
    )
    block, thread, grid = (x[0], y[0], z[0]), (x[1], y[1], z[1]), (x[2], y[2], z[2])
    env = dict(zip(BLOCK, block, strict=True)) | dict(zip(THREAD, thread, strict=True))
    env |= dict(zip(BLOCK_DIM, context.blocks[0].block, strict=True)) | dict(zip(GRID_DIM, grid, strict=True))
    index, size, offset = (evaluate(term, env) for term in (past.index, past.size, past.access.offset))
    if index is None or size is None or offset is None or index < size:
        return None
    if not all(evaluate(guard, env) for guard in about.guards):
        return None
    return Refuted(context.blocks[0].block, grid, (), Actor(block, thread, index), extent=size)


def _top(axis: int, guards: tuple[Term, ...]) -> int | None:
    """The largest number of a thread along an axis that tests let through; None where no number limits it."""
    own = polynomial(BLOCK[axis].term) * polynomial(BLOCK_DIM[axis].term) + polynomial(THREAD[axis].term)
    tops = []
    for guard in guards:
        for part in conjuncts(guard):
            slack = slack_of(part)
            most = (slack[0] + own).constant if slack is not None else None
            if slack is not None and most is not None:
                tops.append(most - slack[1])
    return min((top for top in tops if top >= 0), default=None)
