"""Numbers that keep rows apart are no less than the rows are long.

A loop that goes down a column, ``x[i + k * pitch]`` for ``i < width``, moves on by ``pitch`` from row to row: the rows
have that many elements, of which ``width`` are looked at.  A number that is held against places by itself is an extent,
and may have been taken for a pitch by mistake.  Where blocks have parts of an array that are a constant number of
elements apart, an argument that keeps threads within their part, and of which no launch says a number, is no greater.
So it is where the quotient by an argument says which row it is, and the remainder the place in the row: ``x[i / many *
pitch + i % many * step]`` has rows for ``many`` items.
An argument that names a place instead of the block's own is for launches of one block.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Set

from kernlint.analysis.accesses.pairs import Pair
from kernlint.prove.admission import Admission
from kernlint.prove.cases import conjuncts
from kernlint.prove.query import Side
from kernlint.record import replace
from kernlint.symbolic.polynomial import Polynomial, polynomial, term_of
from kernlint.symbolic.terms import (
    BLOCK,
    Symbol,
    SymbolKind,
    Term,
    binary,
    cast,
    const,
    plain,
    replaced,
    subterms,
    symbols,
)
from kernlint.tree.types import BOOL, I64, IntType


def rows_apart(pair: Pair) -> list[Term]:
    """That what moves an access on from row to row is no less than the number that its column is below, for an access
    by which two threads may meet."""
    return list(dict.fromkeys(one for at in (pair.a, pair.b) for one in _rows_apart(at)))


def inside_rows(pair: Pair, shorter: Set[Symbol], admission: Admission) -> tuple[Term, ...]:
    """That places lie inside rows of a length that launches make ``shorter`` than is asked for, where an argument of
    which they tell nothing says how far the places go: that one fits the other is the host's business."""
    ways = [
        {symbol for symbol, image in way.images if not any(s.kind is SymbolKind.UNKNOWN for s in symbols(image))}
        for way in admission.ways
    ]
    told = set.intersection(*ways) if ways else set()
    return tuple(dict.fromkeys(one for at in (pair.a, pair.b) for one in _inside_rows(at, shorter & told, told)))


def _inside_rows(at: Side, lengths: Set[Symbol], told: Set[Symbol]) -> Iterator[Term]:
    if not any(s.kind is SymbolKind.PARAM and s not in told for guard in at.guards for s in symbols(guard)):
        return
    form = polynomial(at.offset).coefficients
    for mono, factor in form.items():
        pitches = [atom for atom in mono if atom.symbol is not None and atom.symbol.kind is SymbolKind.PARAM]
        if len(pitches) != 1 or len(mono) != 2 or factor < 0 or pitches[0].symbol not in lengths:
            continue
        column = term_of(Polynomial({other: value for other, value in form.items() if pitches[0] not in other}))
        row = term_of(Polynomial({(pitches[0],): factor}))
        yield binary("lt", cast(column, I64), cast(row, I64), BOOL)


def parts_apart(pair: Pair, admission: Admission) -> list[Term]:
    """That what the threads of a block are kept below fits the part of the array that the block has, in
    ``x[blockIdx.y * 4096 + t * 16]`` for ``t < many``, where no launch passes a number for it."""
    found = dict.fromkeys(one for at in (pair.a, pair.b) for one in _parts_apart(at))
    passed = {symbol for way in admission.ways for symbol, image in way.images if image.value is not None}
    return [binary("le", cast(many.term, I64), const(room), BOOL) for many, room in found if many not in passed]


def digits_apart(pair: Pair, admission: Admission) -> list[Term]:
    """That rows which a quotient tells apart are as long as what the remainder makes of them, in ``x[i / many * pitch +
    i % many * step]``, unless a launch says what it makes their distance of."""
    made = {symbol for way in admission.ways for symbol, image in way.images if not _is_free(image)}
    found = dict.fromkeys(one for at in (pair.a, pair.b) for one in _digits_apart(at))
    return [least for least, pitch in found if made.isdisjoint(symbols(pitch))]


def _is_free(image: Term) -> bool:
    """Whether a launch passes a number of which nothing is known."""
    symbol = plain(image).symbol
    return symbol is not None and symbol.kind in (SymbolKind.PARAM, SymbolKind.LOAD)


@functools.lru_cache(maxsize=1 << 10)
def _digits_apart(at: Side) -> tuple[tuple[Term, Term], ...]:
    """(what is supposed, the distance of rows)."""
    parts = [(atom, mono, value) for mono, value in polynomial(at.offset).coefficients.items() for atom in mono]
    found = []
    for column, inner, step in parts:
        if column.op != "mod" or not symbols(column.args[1]):
            continue
        for row, outer, pitch in parts:
            if row.op != "div" or row.args != column.args or step <= 0 or pitch <= 0:
                continue
            left, right = (
                Polynomial({tuple(atom for atom in mono if atom is not digit): value})
                for digit, mono, value in ((column, inner, step), (row, outer, pitch))
            )
            if all(s.kind is SymbolKind.PARAM for form in (left, right) for at in form.atoms for s in symbols(at)):
                needed = left * polynomial(column.args[1])
                if right.constant is None and needed != right:
                    pitch_ = cast(term_of(right), I64)
                    found.append((binary("le", cast(term_of(needed), I64), pitch_, BOOL), pitch_))
    return tuple(found)


def own_places(pair: Pair) -> Pair:
    """``pair`` with each block at its own place, in ``x[which == 0 ? blockIdx.x : which]``: with another number the
    kernel is launched for the one place, and no launch in sight says so of more blocks."""
    a, b = (_own_place(at.offset) for at in (pair.a, pair.b))
    if a is pair.a.offset and b is pair.b.offset:
        return pair
    return replace(pair, a=replace(pair.a, offset=a), b=replace(pair.b, offset=b))


@functools.lru_cache(maxsize=1 << 10)
def _own_place(offset: Term) -> Term:
    arms: dict[Term, Term] = {}
    for term in subterms(offset):
        if term.op != "select" or any(s.kind is not SymbolKind.PARAM for s in symbols(term.args[0])):
            continue
        for own, named in (term.args[1:], term.args[:0:-1]):
            kinds = {symbol.kind for symbol in symbols(named)}
            if kinds <= {SymbolKind.PARAM} and any(symbol in BLOCK for symbol in symbols(own)):
                arms[term] = own
    return replaced(offset, arms) if arms else offset


@functools.lru_cache(maxsize=1 << 10)
def _parts_apart(at: Side) -> tuple[tuple[Symbol, int], ...]:
    """(argument, number of its elements in a part)."""
    form = polynomial(at.offset).coefficients
    parts = [value for mono, value in form.items() if len(mono) == 1 and mono[0].symbol in BLOCK]
    if not parts:
        return ()
    found = []
    for column, many in (one for guard in at.guards for one in _columns(guard, at)):
        own = polynomial(column).coefficients
        units = {form.get(mono, 0) // value for mono, value in own.items() if mono}
        if len(units) != 1 or any(symbol.kind is not SymbolKind.THREAD for symbol in symbols(column)):
            continue
        (unit,) = units
        room = min((part for part in parts if part > unit > 0 and part % unit == 0), default=0)
        inside = all(abs(value) < unit or value >= room for mono, value in form.items() if mono and mono not in own)
        if room and inside:
            found.append((many, room // unit))
    return tuple(found)


@functools.lru_cache(maxsize=1 << 10)
def _rows_apart(at: Side) -> tuple[Term, ...]:
    pitches = [pitch for pitch in _stepped(at) if not any(_extent(fact, pitch) for fact in at.facts)]
    if len(pitches) != 1:
        return ()
    widths = [width for guard in at.guards for width in _lengths(guard, at) if width is not pitches[0]]
    return tuple(binary("le", cast(width.term, I64), cast(pitches[0].term, I64), BOOL) for width in widths)


def _stepped(at: Side) -> set[Symbol]:
    """Parameters by which a place, or what a loop holds against its end, moves in each round of a loop."""
    found = set()
    forms = (polynomial(at.offset), *(form for fact in at.facts for form in _compared(fact)))
    for mono in (mono for form in forms for mono in form.coefficients):
        kinds = {atom.symbol.kind: atom.symbol for atom in mono if atom.symbol is not None}
        if len(mono) == len(kinds) == 2 and kinds.keys() == {SymbolKind.COUNTER, SymbolKind.PARAM}:
            found.add(kinds[SymbolKind.PARAM])
    return found


def _extent(fact: Term, pitch: Symbol) -> bool:
    """Whether a number is held against places that are not multiples of it."""
    for form in _compared(fact):
        inside = [pitch.term in mono for mono in form.coefficients]
        moving = (mono for mono in form.coefficients if pitch.term not in mono)
        if any(inside) and any(s.kind in _MOVING for mono in moving for atom in mono for s in symbols(atom)):
            return True
    return False


_MOVING = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.COUNTER})


def _compared(fact: Term) -> Iterator[Polynomial]:
    for part in conjuncts(fact):
        if part.op in ("lt", "le", "eq", "ne") and all(isinstance(arg.type, IntType) for arg in part.args):
            yield polynomial(part.args[0]) - polynomial(part.args[1])


def _lengths(guard: Term, at: Side) -> Iterator[Symbol]:
    """Parameters that the column, a number of the thread's own in the place, is less than."""
    return (width for _, width in _columns(guard, at))


def _columns(guard: Term, at: Side) -> Iterator[tuple[Term, Symbol]]:
    """Numbers of the thread's own in the place, and the parameters that they are less than."""
    inside = {plain(part) for part in subterms(at.offset)}
    for part in conjuncts(guard):
        if part.op != "lt" or (column := plain(part.args[0])) not in inside:
            continue
        width = plain(part.args[1]).symbol
        own = any(symbol.kind is SymbolKind.THREAD for symbol in symbols(column))
        if own and width is not None and width.kind is SymbolKind.PARAM:
            yield column, width
