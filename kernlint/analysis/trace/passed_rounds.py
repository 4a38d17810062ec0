"""What holds behind a loop of the host that is left for good in the midst of a round.

``for (int d = 0; d < 3; ++d) if (size[d] > MOST) return false;`` checks three elements: where the host goes on behind
it, no round of the loop has found what it leaves for.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.trace.events import LoopContext, Root
from kernlint.analysis.trace.machine import Machine
from kernlint.analysis.trace.memory import loaded
from kernlint.analysis.trace.values import PointerValue
from kernlint.source import Span
from kernlint.symbolic.terms import SymbolKind, Term, const, negate, substitute, symbols

MOST = 8
"""Rounds of a loop that are looked at one by one."""


def passed_rounds(m: Machine, loop: LoopContext, ran: int | None) -> Iterator[tuple[Term, Span]]:
    """The truths that kept the host in a loop of ``ran`` rounds that changes no memory, round by round, each with the
    place of what leaves it otherwise."""
    if ran is None or not 0 < ran <= MOST or loop.returns or loop.exits:
        return
    for leaves, span in loop.leaves:
        for turn in range(ran):
            term = _in_round(m, loop, leaves, turn)
            if term is not None:
                yield negate(term), span


def _in_round(m: Machine, loop: LoopContext, term: Term, turn: int) -> Term | None:
    """``term`` in one round of a loop; None where it speaks of more than memory and the number of the round."""
    known = {loop.counter: const(turn, loop.counter.type)}
    for phi in loop.phis:
        if phi in m.closed:
            known[phi] = substitute(m.closed[phi], known)
    fixed = set(known)
    for symbol in symbols(term):
        if symbol in fixed or symbol.serial < loop.serial:
            continue
        place = symbol.origin if symbol.kind is SymbolKind.LOAD and isinstance(symbol.origin, tuple) else None
        if place is None or not isinstance(place[0], Root):
            return None
        if any(one.serial >= loop.serial and one not in fixed for one in symbols(place[1])):
            return None
        value = loaded(m, PointerValue(place[0], substitute(place[1], known), symbol.type), symbol.type)
        if not isinstance(value, Term):
            return None
        known[symbol] = value
    return substitute(term, known)
