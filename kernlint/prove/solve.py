"""The one entry: filter, algebra, exhaustion where it is finite, enumeration, at last a solver if there is one."""

from __future__ import annotations

from kernlint.prove import algebra, effort, enumerate, exhaust, last
from kernlint.prove.query import SETTLED, Answer, Bounds, Budget, Overlap, Query, Unknown, is_shared
from kernlint.symbolic.terms import SymbolKind, symbols

DEFAULT = Budget()


def solve(query: Query, budget: Budget = DEFAULT) -> Answer:
    """The verdict on ``query``: see :mod:`kernlint.prove.query` for what each answer means.  Never raises.

    For one kernel a question is worked out once: accesses to several arrays at one place ask the same.
    """
    known = effort.answers()
    try:
        answer = known.get((query, budget))
        if answer is None:
            answer = _solve(query, budget)
            if not effort.exhausted():  # one that was cut short is asked again when there is more left
                known[query, budget] = answer
        return answer
    except RecursionError:
        return Unknown("an expression is nested too deeply")


def _solve(query: Query, budget: Budget) -> Answer:
    proved = algebra.prove(query, budget) or exhaust.prove(query, budget)
    if proved is not None:
        return proved
    refuted = enumerate.refute(query, budget)
    if refuted is None and isinstance(query, Bounds) and query.access.counters:
        refuted = last.refute(query, budget)
    if refuted is not None:
        return refuted
    if not budget.rlimit or effort.spent():
        return Unknown(_why(query) or "neither a proof nor a small counterexample was found")
    from kernlint.prove import smt  # the last resort, seldom reached

    answer = smt.ask(query, budget)
    if answer is not None:
        return answer
    return Unknown(_why(query) or ("the solver gave up" if smt.available() else "no solver"))


def _why(query: Query) -> str:
    """What about the query makes it hard, if that is plain to see."""
    sides = (query.a, query.b) if isinstance(query, Overlap) else (query.access,)
    for side in sides:
        for symbol in symbols(side.offset):
            if symbol.kind is SymbolKind.UNKNOWN:
                return symbol.reason or "the index is not modelled"
            if symbol.kind is SymbolKind.LOAD and not is_shared(symbol, query):
                return "index from memory"
            if symbol.kind in (SymbolKind.PHI, SymbolKind.EXIT) and symbol.kind not in SETTLED:
                return f"the loop variable {symbol.name} has no closed form"
    return ""
