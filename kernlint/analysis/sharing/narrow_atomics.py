"""Atomic operations of block scope on cells that several blocks use."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy

from kernlint.analysis.accesses.pairs import known
from kernlint.analysis.order import Order, Reason
from kernlint.analysis.order.words import field_of
from kernlint.analysis.scenarios.scenario import Scenario
from kernlint.analysis.search.inputs import PLAIN
from kernlint.analysis.search.supposed import on_data
from kernlint.analysis.sharing.finder import Finder
from kernlint.analysis.sharing.global_races import across
from kernlint.analysis.trace.events import Access, AccessKind, Trace
from kernlint.prove.query import Refuted
from kernlint.record import dataclass, replace
from kernlint.symbolic.terms import BLOCK, SymbolKind, Term, const, rebuild, substitute, subterms, symbols
from kernlint.tree.nodes import Scope
from kernlint.tree.types import Space

BLOCKS = frozenset(BLOCK)

LARGE = 400
"""Nodes of a place beyond which it is not looked at what a search leaves in it."""


@dataclass(frozen=True, slots=True)
class NarrowAtomic:
    """An atomic operation of block scope that two blocks make on one cell."""

    access: Access
    witness: Refuted
    shape: Scenario


def narrow_atomics(of: Trace, finder: Finder, known_order: Order) -> Iterator[NarrowAtomic]:
    atomics = [one for one in of.accesses if one.kind is AccessKind.ATOMIC and one.root.space is Space.GLOBAL]
    places = {id(one): _placing(one) for one in atomics if known(one)}
    answers: dict[frozenset[Placing], tuple[Refuted, Scenario] | None] = {}
    for access in atomics:
        if access.scope not in (Scope.BLOCK, Scope.WARP, Scope.TILE) or id(access) not in places:
            continue
        others = (one for one in atomics if one is not access and one.root is access.root and id(one) in places)
        for other in (access, *others):
            if field_of(access) != field_of(other):
                continue
            key = frozenset((places[id(access)], places[id(other)]))
            if key not in answers:
                answers[key] = _two_blocks(access, other, finder)
            answer = answers[key]
            if answer is None:
                continue
            if known_order.between_blocks(access, other) in (None, Reason.WORD, Reason.UNSURE):
                yield NarrowAtomic(access, *answer)
                break


Placing = tuple[Term, frozenset[Term]]
"""The place of an access, and its conditions as far as they say which blocks make it, or what the place is made of."""


def _placing(access: Access) -> Placing:
    about = BLOCKS.union(symbols(access.offset))
    return access.offset, frozenset(g.term for g in access.guards if not about.isdisjoint(symbols(g.term)))


def _two_blocks(access: Access, other: Access, finder: Finder) -> tuple[Refuted, Scenario] | None:
    """Where two blocks meet at one cell."""
    answer = finder.meet(across(access, other), "blocks")
    return _in_turn(access, other, finder) if answer is None or answer[0].depends_on_data else answer


def _in_turn(access: Access, other: Access, finder: Finder) -> tuple[Refuted, Scenario] | None:
    """Where two blocks meet that go from word to word round by round: each begins at one of its own and goes on to that
    of another (``b = (b + 1) % blocks``).  Data may say how long that goes on, but not who comes where."""
    ways = [(one, two) for one in _first_rounds(access) for two in _first_rounds(other)]
    if len(ways) < 2:
        return None  # neither goes on
    for one, two in ways:
        if _by_data(one) or _by_data(two):
            continue
        answer = finder.meet(across(one, two), "blocks")
        if answer is not None:
            return answer
    return None


def _first_rounds(access: Access) -> list[Access]:
    """An access whose place changes with the rounds of a loop, as it is in the first round and in the second; where a
    search gives the place, as it is when the first one looked at is taken."""
    carried = [s for s in symbols(access.offset) if s.kind is SymbolKind.PHI and s.init is not None]
    if len(carried) != 1:
        return [access]
    symbol, begins, goes = carried[0], carried[0].init, carried[0].step
    assert begins is not None
    found = []
    for value in (begins, None if goes is None else substitute(goes, {symbol: begins})):
        for reached in () if value is None else (value, *_taken_first(value)):
            for place in (access.offset, *_taken_first(access.offset)):
                turn = copy(access)
                turn.offset = substitute(place, {symbol: reached})
                turn.guards = tuple(replace(g, term=substitute(g.term, {symbol: reached})) for g in access.guards)
                found.append(turn)
    return found


def _taken_first(term: Term) -> Iterator[Term]:
    """``term`` with what a loop leaves behind that data end: what it has in the first round, when they end it there."""
    for part in subterms(term) if term.size <= LARGE else ():
        if part.op != "call" or not str(part.args[0]).endswith(".exits"):
            continue
        ends = part.terms
        half = len(ends) // 2
        for value, reason in zip(ends[1:half], ends[half + 1 :], strict=False):
            if len(ends) == 2 * half and on_data(reason):
                rounds = {s: const(0, s.type) for s in symbols(value) if s.kind is SymbolKind.TRIPS}
                yield _put_for(term, part, substitute(value, rounds))


def _put_for(term: Term, part: Term, value: Term) -> Term:
    if term is part:
        return value
    return rebuild(term, tuple(_put_for(arg, part, value) for arg in term.terms)) if term.terms else term


def _by_data(access: Access) -> bool:
    """Whether data say where an access is, or which blocks make it."""
    if any(symbol.kind not in PLAIN for symbol in symbols(access.offset)):
        return True
    return any(on_data(g.term) and not BLOCKS.isdisjoint(symbols(g.term)) for g in access.guards)
