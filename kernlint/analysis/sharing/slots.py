"""Slots that an atomic counter hands out, where two threads may get the same one.

``a[atomicAdd(&count, 1)] = x`` gives each thread an element of its own, as the counter moves on with every thread.
It does not where a thread adds nothing (the one that comes next gets the same number), nor where some threads take a
fixed element instead of asking the counter, which may hand out that very number.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.accesses.pairs import Pair, known, same_value, side
from kernlint.analysis.assumptions import assumed
from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.excuses.values import equal_values
from kernlint.analysis.scenarios.policy import scenarios
from kernlint.analysis.search.collisions import asker_of
from kernlint.analysis.sharing.finder import Finder, GlobalRace
from kernlint.analysis.sharing.global_races import handshakes
from kernlint.analysis.sharing.races import unbroken
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, RootKind, Trace
from kernlint.prove.query import Side
from kernlint.record import dataclass, replace
from kernlint.symbolic.terms import (
    FALSE,
    Symbol,
    SymbolKind,
    Term,
    Uniformity,
    binary,
    const,
    negate,
    substitute,
    symbols,
)
from kernlint.symbolic.uniformity import uniformity
from kernlint.tree.nodes import Atomic
from kernlint.tree.types import BOOL, IntType, Space

KEEPING = frozenset({"add", "sub", "or", "xor"})
"""Operations that leave the counter as it is when their operand is 0."""

MOVING = frozenset({"add", "sub", "inc", "dec"})

_LAUNCH = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.BLOCK_DIM, SymbolKind.GRID_DIM})


@dataclass(frozen=True, slots=True)
class Slot:
    """A plain write of an element that ``atomic`` picks, and two threads that get the same one.

    ``fixed``: the second thread has not asked the counter, and writes this element whatever others get (None: both
    have asked, and what the second adds is 0).
    """

    access: Access
    atomic: Access
    race: GlobalRace
    fixed: int | None = None


def _compute(facts: Facts) -> tuple[Slot, ...]:
    of = facts[trace]
    counters = _counters(of)
    if not counters or not unbroken(of) or handshakes(of):
        return ()
    updated = {id(access.root) for access in of.accesses if access.kind is AccessKind.ATOMIC}
    finder: Finder | None = None
    out: list[Slot] = []
    for access in of.accesses:
        if access.kind is not AccessKind.WRITE or id(access.root) in updated or not known(access):
            continue
        if access.root.space not in (Space.GLOBAL, Space.SHARED) or access.root.kind is RootKind.LOADED:
            continue
        drawn = [s for s in set(symbols(access.offset)) if s.kind is SymbolKind.UNKNOWN and id(s.origin) in counters]
        if len(drawn) != 1 or not isinstance(drawn[0].type, IntType) or _same_for_all(access):
            continue
        finder = finder or Finder(asker_of(facts, of), facts[scenarios])
        found = _met(finder, access, drawn[0], counters[id(drawn[0].origin)])
        if found is not None:
            out.append(found)
    return tuple(out)


def _same_for_all(access: Access) -> bool:
    """Whether all threads of the grid write the same value."""
    value = access.value
    return same_value(access, access) and value is not None and uniformity(value) is Uniformity.GRID


def _counters(of: Trace) -> dict[int, Access]:
    """The atomic operations of a kernel by their node; those of a helper that is called more than once are left out,
    and those that each thread makes on a counter of its own, or more than once."""
    found: dict[int, list[Access]] = {}
    for access in of.accesses:
        if access.kind is AccessKind.ATOMIC and isinstance(access.node, Atomic):
            found.setdefault(id(access.node), []).append(access)
    return {
        key: every[0]
        for key, every in found.items()
        if len(every) == 1 and not every[0].loops and uniformity(every[0].offset) <= Uniformity.BLOCK
    }


def _met(finder: Finder, access: Access, symbol: Symbol, atomic: Access) -> Slot | None:
    for fixed, a, b in _ways(access, symbol, atomic):
        pair = Pair(access, access, a, b)
        answer = None if same_value(access, access) else finder.meet(pair, "block")
        if answer is not None and not equal_values.holds(pair, answer[0]):
            return Slot(access, atomic, GlobalRace(pair, *answer, across=False), fixed)
        one_counter = uniformity(atomic.offset) <= Uniformity.GRID
        if one_counter and Space.SHARED not in (access.root.space, atomic.root.space):
            answer = finder.meet(pair, "blocks")
            if answer is not None and not equal_values.holds(pair, answer[0]):
                return Slot(access, atomic, GlobalRace(pair, *answer, across=True), fixed)
    return None


def _ways(access: Access, symbol: Symbol, atomic: Access) -> Iterator[tuple[int | None, Side, Side]]:
    """What two threads would have to do to get one slot: (the fixed element if any, each as a side)."""
    plain = side(access)
    if any(s.kind not in _LAUNCH and s is not symbol and s.kind is not SymbolKind.PARAM for s in _guarding(plain)):
        return
    if atomic.atomic_op in KEEPING and atomic.value is not None:
        nothing = binary("eq", atomic.value, const(0, atomic.value.type), BOOL)
        if nothing != FALSE and all(s.kind in _LAUNCH for s in symbols(nothing)):
            told = _drawing(plain, symbol, 0)
            if told is not None:
                yield None, told, _with(told, nothing)
    if atomic.atomic_op in MOVING:
        for condition, fixed in _fixed(access.offset, symbol):
            told = _drawing(plain, symbol, fixed)
            if told is not None and all(s.kind in _LAUNCH for s in symbols(condition)):
                yield fixed, _with(told, negate(condition)), _with(told, condition)


def _guarding(plain: Side) -> Iterator[Symbol]:
    for fact in plain.facts:
        yield from symbols(fact)


def _with(told: Side, guard: Term) -> Side:
    return told if guard.value == 1 else replace(told, guards=(*told.guards, guard))


def _drawing(plain: Side, symbol: Symbol, number: int) -> Side | None:
    """The access of a thread to which the counter gives ``number``; None when it is not made then."""
    images = {symbol: const(number, symbol.type)}
    guards = tuple(substitute(guard, images) for guard in plain.guards)
    if FALSE in guards or plain.counters:
        return None
    return replace(plain, offset=substitute(plain.offset, images), guards=guards)


def _fixed(term: Term, symbol: Symbol) -> Iterator[tuple[Term, int]]:
    """Choices in ``term`` between what ``symbol`` gives and a number: (condition of the number, number)."""
    if term.op == "select":
        condition, then, other = term.args
        for drawn, number, when in ((then, other.value, negate(condition)), (other, then.value, condition)):
            if number is not None and number >= 0 and symbol in symbols(drawn):
                yield when, number
    for arg in term.terms:
        yield from _fixed(arg, symbol)


slots = KernelAnalysis("slots", _compute, needs=(trace, scenarios, assumed))
"""The plain writes of one kernel variant to slots from a counter that two threads may get, as :class:`Slot`."""
