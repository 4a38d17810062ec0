"""Tables of starts: ``x[start[k] + i]``, where the entry says at which element row k begins.

Whoever fills such a table (row pointers, offsets of segments, of jagged tensors, of arrays packed into one buffer) does
so to keep the rows apart, and nothing in a kernel says how.  So an entry that is added as it stands, beside an inner
place that moves where the entry does not, is believed to begin a row of its own; what stands at the same place of other
tables (a length, strides) is said of that row.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from kernlint.analysis.accesses.no_rounds import without_a_round
from kernlint.analysis.accesses.pairs import Pair
from kernlint.analysis.trace.events import Access, GuardKind
from kernlint.prove.query import Side
from kernlint.record import replace
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term

_MOVING = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.COUNTER, SymbolKind.PHI, SymbolKind.TRIPS})


def rows_begun(access: Access, entries: Collection[Symbol]) -> frozenset[Symbol]:
    """Those of the ``entries`` in the place of an access that begin a row, and those that are said of such rows."""
    form = polynomial(access.offset).coefficients
    unit = access.root.element.size or access.size
    begun = [
        entry
        for entry in entries
        if form.get((entry.term,)) == unit and _within(access.offset, entry) and not ends_beyond(access, entry)
    ]
    tables = {polynomial(entry.origin[1]) for entry in begun}
    if not begun or any(_row_number(mono, entries, tables) for mono in form):
        return frozenset()
    return frozenset(entry for entry in entries if polynomial(entry.origin[1]) in tables)


def ends_beyond(access: Access, entry: Symbol) -> bool:
    """Whether the place is tested against another entry of the same table that is not the next one: the row ends there,
    and the rows between lie in it."""
    table, at = entry.origin
    ends = {s for g in access.guards for s in g.term.symbols if s.kind is SymbolKind.LOAD and s.origin[0] is table}
    steps = [polynomial(end.origin[1]) - polynomial(at) for end in ends - {entry}]
    width = table.element.size
    return any(set(step.coefficients) == {()} and step.coefficients[()] != width for step in steps)


def begins_where_another_ends(access: Access, entries: Collection[Symbol]) -> bool:
    """Whether a row goes on up to the next entry of its table (``e`` from ``begin[r]`` up to ``begin[r + 1]``): no
    element is in two such rows, whatever the table says."""
    ends = (s for loop in access.loops if loop.condition is not None for s in loop.condition.symbols)
    return any(
        end.kind is SymbolKind.LOAD
        and start.origin[0] is end.origin[0]
        and (polynomial(end.origin[1]) - polynomial(start.origin[1])).constant == start.type.size
        for end in ends
        for start in entries
    )


def _within(offset: Term, entry: Symbol) -> bool:
    """Whether there is an inner place beside the entry: something that moves from thread to thread of a block, or from
    round to round, while the entry stays the same."""
    inner = _movers(s for s in offset.symbols if s is not entry) - _movers(entry.origin[1].symbols)
    return any(symbol.kind is not SymbolKind.BLOCK for symbol in inner)


def _movers(found: Iterable[Symbol]) -> set[Symbol]:
    """What tells threads and rounds apart in symbols, and in the places that they were read at."""
    out: set[Symbol] = set()
    left, seen = list(found), set()
    while left:
        symbol = left.pop()
        if symbol in seen:
            continue
        seen.add(symbol)
        if symbol.kind in _MOVING:
            out.add(symbol)
        elif symbol.kind is SymbolKind.LOAD:
            left.extend(symbol.origin[1].symbols)
    return out


def _row_number(mono: tuple[Term, ...], entries: Collection[Symbol], tables: Collection[object]) -> bool:
    """Whether a part of the place is an entry of another list times the length of all rows: the entry beside it is a
    column then, and no start."""
    inside = [atom.symbol for atom in mono if atom.symbol is not None]
    rows = [s for s in inside if s in entries and polynomial(s.origin[1]) not in tables]
    return bool(rows) and any(s.kind is SymbolKind.PARAM for s in inside)


def without_rounds(pair: Pair) -> Pair:
    """The pair, of whose accesses one comes after a loop over a row of a table that is taken to go no round: a row may
    be empty, whatever a search would have the table hold."""
    a, b = _emptied(pair.first, pair.a), _emptied(pair.second, pair.b)
    return pair if a is pair.a and b is pair.b else replace(pair, a=a, b=b)


def _emptied(access: Access, at: Side) -> Side:
    none = {part.args[0].symbol for part in at.guards if part.op == "eq" and part.args[1].value == 0}
    for guard in access.guards:
        loop = guard.loop
        if guard.kind is not GuardKind.AFTER_LOOP or loop is None or loop.trips not in none:
            continue
        if without_a_round(loop, access) == ():
            at = replace(at, guards=tuple(one for one in at.guards if loop.trips not in one.symbols))
    return at
