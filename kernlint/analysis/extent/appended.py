"""Rows that a thread fills one by one with what data let through, and that nobody tests the length of.

``row[i * room + found++] = j`` under a condition on data, in a loop that goes as far as other data say: how many there
are is not known before, and ``room`` stands in no condition at all.  Where anything asks for the count or for the
length, somebody has thought of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.extent.open_fills import numbers_of_items, open_fills
from kernlint.analysis.extent.places import Place, Places, places
from kernlint.analysis.launching.launch_context import launch_context
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, GuardKind, RootKind, Trace
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import number, polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, const, plain, symbols
from kernlint.tree.types import I32


@dataclass(frozen=True, slots=True, eq=False)
class Appended:
    """A store at a count in a row of ``room`` elements, of which nothing tests the one or the other."""

    access: Access
    room: Term


def _count(place: Place) -> Symbol | None:
    """The variable that a place in a row is, where that only counts up from 0."""
    atoms = list(place.index.atoms)
    symbol = atoms[0].symbol if len(atoms) == 1 else None
    if symbol is None or symbol.kind is not SymbolKind.PHI or place.index != polynomial(symbol.term):
        return None
    return symbol if symbol.step is not None and _goes_up(symbol.step, set(), 0) == 1 else None


def _goes_up(term: Term, seen: set[Symbol], depth: int) -> int | None:
    """How much a count grows by at the most in a round: 0 or 1; None: it is no such count."""
    term = plain(term)
    if depth > DEEP:
        return None
    if term.op == "select":
        ways = [_goes_up(part, seen, depth + 1) for part in term.args[1:]]
        known = [way for way in ways if way is not None]
        return max(known) if len(known) == len(ways) else None
    form = polynomial(term)
    more = form.coefficients.get((), 0)
    atoms = list(form.atoms)
    symbol = atoms[0].symbol if len(atoms) == 1 else None
    if symbol is None or symbol.kind is not SymbolKind.PHI or form - number(more) != polynomial(symbol.term):
        return None
    if more not in (0, 1):
        return None
    if symbol in seen or symbol.step is None:
        return more
    seen.add(symbol)
    inner = _goes_up(symbol.step, seen, depth + 1)
    return None if inner is None else max(more, inner)


DEEP = 8


def _conditions(kernel: Trace) -> Iterator[Term]:
    yield from (test.term for test in kernel.conditions)
    for loop in kernel.loops:
        if loop.condition is not None:
            yield loop.condition
        yield from (term for term, _ in (*loop.exits, *loop.leaves))


def _compute(facts: Facts) -> tuple[Appended, ...]:
    kernel, known = facts[trace], facts[places]
    found = list(_appended(kernel, known)) if not kernel.calls else []
    told = {one.access for one in found}
    found += [Appended(one, const(room, I32)) for one, room in open_fills(facts) if one not in told]
    return tuple(found)


def _appended(kernel: Trace, known: Places) -> Iterator[Appended]:
    asked: set[Symbol] | None = None
    for access, mine in known.items():
        if access.kind is not AccessKind.WRITE or access.root.kind is not RootKind.PARAM or len(mine) < 2:
            continue
        place = mine[-1]
        room = place.row
        atoms = list(room.atoms) if room is not None else []
        size = atoms[0].symbol if len(atoms) == 1 else None
        if room is None or size is None or size.kind is not SymbolKind.PARAM or room != polynomial(size.term):
            continue
        count = _count(place)
        if count is None or not _by_data(access):
            continue
        if asked is None:
            asked = {symbol for term in _conditions(kernel) for symbol in symbols(term)}
        if size not in asked and count not in asked and not any(s in asked for s in _made_of(count)):
            yield Appended(access, size.term)


def _made_of(count: Symbol) -> set[Symbol]:
    found: set[Symbol] = set()
    open_ = [count]
    while open_ and len(found) < 16:
        symbol = open_.pop()
        if symbol not in found:
            found.add(symbol)
            for end in (symbol.init, symbol.step):
                if end is not None:
                    open_ += [s for s in symbols(end) if s.kind is SymbolKind.PHI]
    return found


def _by_data(access: Access) -> bool:
    """Whether data decide if the store is made, in a loop whose rounds data or arguments count."""
    data = any(
        s.kind is SymbolKind.LOAD
        for guard in access.guards
        if guard.kind not in (GuardKind.LOOP, GuardKind.AFTER_LOOP)
        for s in symbols(guard.term)
    )
    counted = (SymbolKind.LOAD, SymbolKind.PARAM)
    return data and any(
        s.kind in counted for loop in access.loops if loop.condition is not None for s in symbols(loop.condition)
    )


appended = KernelAnalysis("appended", _compute, needs=(trace, places, launch_context, numbers_of_items))
"""Each :class:`Appended` store of a kernel variant."""
