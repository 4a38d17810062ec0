"""Proofs by algebra: two threads never meet, an access never leaves its array.

A query falls into cases; each is tried in a few ways (see :mod:`kernlint.prove.attempt` for the reasoning), and what
a proof takes for granted is shown or becomes an assumption in words.
"""

from __future__ import annotations

from kernlint.prove.attempt import Attempt, free_axes
from kernlint.prove.cases import Case, cases, contradictory
from kernlint.prove.hints import is_scalar
from kernlint.prove.query import Bounds, Budget, Overlap, Proved, Query
from kernlint.prove.system import GivenUp
from kernlint.prove.translate import Suspect
from kernlint.prove.wraps import falls_short, innocent, words
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, symbols
from kernlint.tree.types import IntType

ATTEMPTS = 4
"""Attempts whose whole budget a query may spend."""


def prove(query: Query, budget: Budget) -> Proved | None:
    """A proof that the fault of ``query`` is impossible, or None."""
    sides = (query.a, query.b) if isinstance(query, Overlap) else (query.access,)
    extent = query.extent if isinstance(query, Bounds) else None
    ration = Ration(budget.steps)
    before: list[Case] = []
    for deep in (False, True):  # what guards choose between rarely matters, and makes many cases
        found = cases(query, sides, extent, deep)
        if found == before:
            break
        answer = _prove_cases(query, found, ration)
        if answer is not None:
            return answer
        before = found
    return None


class Ration:
    """Steps of one query: ``each`` for an attempt, as long as the whole lasts."""

    def __init__(self, each: int) -> None:
        self.each = each
        self.left = ATTEMPTS * each

    def take(self) -> int:
        """Steps for the next attempt; raises :class:`GivenUp` when there are none left."""
        if self.left <= 0:
            raise GivenUp
        return min(self.each, self.left)


def _prove_cases(query: Query, found: list[Case], ration: Ration) -> Proved | None:
    assumptions: dict[str, None] = {}
    filtered = True
    for case in found:
        if contradictory(case, query):
            continue
        filtered = False
        assumed = _prove_case(query, case, ration)
        if assumed is None:
            return None
        assumptions.update(dict.fromkeys(assumed))
    return Proved(tuple(assumptions), "filter" if filtered else "algebra")


def _prove_case(query: Query, case: Case, ration: Ration) -> tuple[str, ...] | None:
    warps = isinstance(query, Overlap) and (query.exclude_same_warp or query.require_same_warp)
    signs = any(_unsettled_sign(symbol) for symbol in _shared_scalars(case))
    # (scalars are positive, directions of the difference, look at warps): most proofs need none of them
    modes: list[tuple[bool, tuple[int, ...], bool]] = [(False, (0,), False)]
    if warps:
        modes.append((False, (0,), True))
    if signs:
        modes.append((True, (0,), warps))
    if isinstance(query, Overlap) and query.within == "block" and len(free_axes(query.launch)) == 1:
        modes.append((signs, (1,) if _is_symmetric(query, case) else (1, -1), False))
    for positive, directions, look in modes:
        attempts: list[Attempt] = []
        for way in directions:
            attempt = _attempt(query, case, ration, positive, look, way)
            if attempt is None:
                break
            attempts.append(attempt)
        if len(attempts) == len(directions):
            suspects = {suspect for attempt in attempts for suspect in attempt.suspects}
            assumed = {symbol: None for attempt in attempts for symbol in attempt.translator.assumed_positive}
            guilty = innocent(query, case, suspects, attempts[0].clean, ration.each)
            if any(_by_launch(suspect) for suspect in guilty):
                continue
            return (*words(guilty), *(f"{symbol.name} > 0" for symbol in assumed))
    return None


def _by_launch(suspect: Suspect) -> bool:
    """Whether an operation wraps or does not by the place of the thread in its block alone, or falls below zero by that
    of the block too, of which the first is in every launch: then it is no matter of arguments that somebody could take
    for granted."""
    kinds = {symbol.kind for symbol in symbols(suspect.term)}
    return kinds <= _IN_BLOCK or (kinds <= _IN_GRID and falls_short(suspect.term))


_IN_BLOCK = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK_DIM})
_IN_GRID = _IN_BLOCK | {SymbolKind.BLOCK}


def _attempt(query: Query, case: Case, ration: Ration, positive: bool, look: bool, direction: int) -> Attempt | None:
    """A successful attempt, or None."""
    try:
        attempt = Attempt(query, case, ration.take(), positive, look)
    except GivenUp:
        return None
    given = attempt.system.steps
    try:
        done = attempt.run(direction)
    except GivenUp:
        done = False
    ration.left -= given - max(0, attempt.system.steps)
    return attempt if done else None


def _is_symmetric(query: Overlap, case: Case) -> bool:
    """Whether exchanging the two threads gives the same case."""
    return case.sides[0] == case.sides[1] and all(ours is theirs and not shift for ours, theirs, shift in query.tied)


def _shared_scalars(case: Case) -> set[Symbol]:
    terms: list[Term] = [*case.premises, *(() if case.extent is None else (case.extent,))]
    for side in case.sides:
        terms += (side.offset, *side.facts)
    return {symbol for term in terms for symbol in symbols(term) if is_scalar(symbol)}


def _unsettled_sign(symbol: Symbol) -> bool:
    return (symbol.low is None or symbol.low < 1) and isinstance(symbol.type, IntType) and symbol.type.bits > 1
