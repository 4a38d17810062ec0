"""What says that two threads have one index, of a plain write that puts something of the thread's own there."""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum

from kernlint.analysis.order.words import field_of
from kernlint.analysis.sharing.repeats import in_row, may_repeat
from kernlint.analysis.trace.events import Access, AccessKind, Trace
from kernlint.record import dataclass, field
from kernlint.symbolic.polynomial import number, polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, negate, plain, symbols
from kernlint.tree.types import FloatType, IntType, Space


class Met(Enum):
    """What says that several threads have one index: that it is the cell of a position, that what it picks elsewhere is
    updated atomically, that the element is what others are linked to, or that threads ask who was there first."""

    CELL = "a position in floating point has been rounded to it"
    ATOMIC = "what it picks elsewhere is updated atomically"
    LINK = "what the element held before is kept: it is the head of a list"
    CLAIM = "some find it taken, and who finds it free puts a record there"
    TAKEN = "who finds it free marks it, and puts down that it is his"


@dataclass(frozen=True, slots=True)
class Picked:
    """What data pick in an address, each with one value for all threads in its place: loads, and whole ``terms`` that
    are numbers made from loads in floating point.  ``alike``: all threads of a block load the same."""

    loads: dict[Symbol, Term]
    terms: dict[Term, Term] = field(default_factory=dict)
    alike: bool = False


def met(access: Access, picked: Picked, of: Trace) -> Met | None:
    """What says that two threads may have the same index in ``access``, which puts something of their own there."""
    given = {*picked.loads, *(symbol for term in picked.terms for symbol in term.symbols)}
    if access.value is None or not any(own_of(symbol, given) for symbol in symbols(access.value)):
        return None
    if any(_rounded(term) for term in picked.terms):
        return Met.CELL
    for other in of.accesses:
        if other.root is access.root:
            continue
        if other.kind is AccessKind.ATOMIC and other.atomic_op != "load" and _one_index(access, other):
            return Met.ATOMIC
        if other.kind is AccessKind.WRITE and other.order < access.order and _holds_old(other, access):
            return Met.LINK
    return Met.CLAIM if _claims(access, picked, of) else None


def _claims(access: Access, picked: Picked, of: Trace) -> bool:
    """Whether a thread looks whether an element is free, puts a mark there if it is, and several things of its own at
    the same index, and does something else if it is not: of two that have found it free each may put a part."""
    writes = [one for one in of.accesses if one.writes and one.value is not None]
    for asked in (g.term for g in access.guards if g.term.op == "eq" and g.term.args[1].value is not None):
        looks = {s.origin for s in asked.symbols if s.kind is SymbolKind.LOAD}
        behind = [one for one in writes if any(guard.term == asked for guard in one.guards)]
        own = [
            one for one in behind if any(own_of(symbol, picked.loads) for symbol in symbols(one.value or one.offset))
        ]
        marks = [one for one in behind if (one.root, one.offset) in looks]
        there = [one for one in own if one not in marks and not picked.loads.keys().isdisjoint(one.offset.symbols)]
        told = next((one for one in own if one in marks), there[0] if there and marks else None)
        lost = any(guard.term == negate(asked) for one in writes for guard in one.guards)
        several = len({(id(one.root), field_of(one)) for one in there}) > 1
        if told is not None and access.order == told.order and several and lost:
            return True
    return False


def takes(access: Access, picked: Picked, of: Trace) -> bool:
    """Whether a thread looks whether an element is free, marks it if it is, and then puts down at a place of its own
    that it has it (the index, or more of what it had): of two that have found it free both believe so.

    Data pick the element (``picked``) in a way that may give one to several threads, or from a row of candidates.  Not
    where the thread has been named there before.
    """
    if not may_repeat(access, picked.loads, of) and not any(map(in_row, picked.loads)):
        return False
    for asked in (g.term for g in access.guards if g.term.op == "eq" and g.term.args[1].value is not None):
        if not any(s.kind is SymbolKind.LOAD and s.origin == (access.root, access.offset) for s in asked.symbols):
            continue
        if access.value is None or access.value is plain(asked.args[1]) or _named(access, picked):
            continue
        behind = (one for one in of.accesses if any(guard.term == asked for guard in one.guards))
        if any(_gains(one, picked) for one in behind if one.order > access.order or one.writes):
            return True
    return False


def _named(access: Access, picked: Picked) -> bool:
    """Whether a condition is that what data hold of the element is a number of the thread's own."""
    for term in (guard.term for guard in access.guards if guard.term.op == "eq"):
        sides = [side.symbols for side in term.terms]
        for one, other in (sides, sides[::-1]):
            held = (
                s for s in one if s.kind is SymbolKind.LOAD and not picked.loads.keys().isdisjoint(s.origin[1].symbols)
            )
            if any(held) and any(own_of(symbol, picked.loads) for symbol in other):
                return True
    return False


def _gains(one: Access, picked: Picked) -> bool:
    """Whether a thread puts down at a place of its own which element it has taken, or more than it had."""
    if one.kind is not AccessKind.WRITE or one.value is None or one.root.space is not Space.GLOBAL:
        return False
    if not any(s.kind is SymbolKind.THREAD for s in one.offset.symbols):
        return False
    if any(s in picked.loads for s in one.offset.symbols):
        return False
    held = one.value.symbols
    return any(s in picked.loads or (s.kind is SymbolKind.LOAD and s.origin == (one.root, one.offset)) for s in held)


def _holds_old(other: Access, access: Access) -> bool:
    """Whether ``other`` puts the whole number aside that the element of ``access`` held."""
    held = other.value.symbol if other.value is not None else None
    if held is None or held.kind is not SymbolKind.LOAD or not isinstance(held.type, IntType):
        return False
    return bool(held.origin == (access.root, access.offset))


def own_of(symbol: Symbol, given: Collection[Symbol]) -> bool:
    """Whether a value is another one for two threads to which data have given the same."""
    if symbol.kind is SymbolKind.LOAD and symbol not in given:
        return by_thread(symbol.origin[1], given)
    return symbol.kind is SymbolKind.THREAD


def _rounded(term: Term) -> bool:
    """Whether a whole number has been computed in floating point: not where one is only kept as such."""
    if term.op == "cast" and isinstance(term.type, IntType) and isinstance(term.args[0].type, FloatType):
        return plain(term.args[0]).op not in ("sym", "const")
    return any(map(_rounded, term.terms))


def _one_index(access: Access, other: Access) -> bool:
    """Whether two accesses are to elements of one index."""
    if access.size is None or other.size is None:
        return False
    return polynomial(access.offset) * number(other.size) == polynomial(other.offset) * number(access.size)


def looked_at(access: Access, of: Trace) -> bool:
    """Whether something hangs on what an atomic operation gives back."""
    terms = (t for a in of.accesses for t in (a.value, a.offset, *(g.term for g in a.guards)) if t is not None)
    return any(symbol.origin is access.node for term in terms for symbol in term.symbols)


def by_thread(offset: Term, picked: Collection[Symbol], depth: int = 3) -> bool:
    """Whether a place is that of the thread itself: its index is used, and no memory but what lies at such places
    (``depth`` steps) and is not what was ``picked``."""
    found = symbols(offset)
    loads = [symbol for symbol in found if symbol.kind is SymbolKind.LOAD]
    if not loads:
        return any(symbol.kind is SymbolKind.THREAD for symbol in found)
    return depth > 0 and any(s not in picked and by_thread(s.origin[1], picked, depth - 1) for s in loads)
