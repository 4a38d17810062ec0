"""What says that an index array names one element for several threads.

``x[index[i]] += by[i]`` loses updates where an index occurs twice, and is right where none does: permutations, lists of
distinct elements that another kernel has made, places of a sparse matrix.  The statement alone does not tell the two
apart.  It is taken for the first only where something in sight goes against distinct entries; else whoever has filled the
array is believed, as he is believed that its entries are in range.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from kernlint.analysis.trace.events import Access, Trace
from kernlint.prove.query import Refuted
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import BLOCK, BLOCK_DIM, GRID_DIM, THREAD, Symbol, SymbolKind, Term, Uniformity, plain
from kernlint.tree.types import IntType

_MANY_TO_ONE = frozenset({"div", "mod", "shr", "and", "min", "max", "select"})
"""Operations that make one element of several entries: cells, hashes, masks, clamps, wrapped ends."""


def named_twice(access: Access, witness: Refuted, of: Trace) -> bool:
    """Whether something in sight says that the entries that pick the place of an update are not distinct.

    It counts or compares what comes to an element; the place is made of an entry by an operation that makes one of
    several; the entry is tested against a size, so that nobody is believed about what it holds; an item has several
    entries, as the corners of a mesh; the entry is one of a pair of which the other is read from, as the ends of an
    edge; or the two threads of the ``witness`` read the same entry.
    """
    entries = [s for s in access.offset.symbols if _entry(s)]
    if access.value is None or not entries:
        return True  # no array of indices picks the place
    value = access.value
    old = {s for s in value.symbols if s.kind is SymbolKind.LOAD and s.origin == (access.root, access.offset)}
    if not old or all(symbol in old for symbol in value.symbols):
        return True
    return (
        any(_merged(term, entries) for term in _parts(access.offset))
        or any(_ranged(guard.term, entries) for guard in access.guards)
        or any(_several(entry) for entry in entries)
        or _other_end(value, entries)
        or _written_by_several(access, entries, of)
        or any(_one_entry(entry, witness) for entry in entries)
    )


def _entry(symbol: Symbol) -> bool:
    return symbol.kind is SymbolKind.LOAD and symbol.uniformity > Uniformity.WARP


def _parts(term: Term) -> Iterator[Term]:
    yield term
    for arg in term.terms:
        yield from _parts(arg)


def _mentions(term: Term, entries: Collection[Symbol]) -> bool:
    return any(symbol in entries for symbol in term.symbols)


def _merged(term: Term, entries: Collection[Symbol]) -> bool:
    """Whether an operation makes one place of several entries, or a conversion of a number that was rounded."""
    if term.op == "cast" and isinstance(term.type, IntType) and not isinstance(term.args[0].type, IntType):
        return _mentions(term, entries) and plain(term.args[0]).op != "sym"
    return term.op in _MANY_TO_ONE and _mentions(term, entries)


def _ranged(term: Term, entries: Collection[Symbol]) -> bool:
    """Whether an entry has to be less than a size; that it must not be negative only tells marks from places."""
    if term.op in ("land", "lor", "lnot"):
        return any(_ranged(arg, entries) for arg in term.args)
    if term.op not in ("lt", "le"):
        return False
    form = polynomial(term.args[0]) - polynomial(term.args[1])
    sized = any(s.kind is SymbolKind.PARAM for s in term.symbols) or abs(form.coefficients.get((), 0)) > 1
    return sized and any(
        value > 0 and any(_mentions(atom, entries) for atom in mono) for mono, value in form.coefficients.items()
    )


def _several(entry: Symbol) -> bool:
    """Whether each item has several entries side by side: ``corner[4 * item + k]``."""
    root, offset = entry.origin
    whole = root.element.size or entry.type.size
    steps = [
        abs(value)
        for mono, value in polynomial(offset).coefficients.items()
        if any(s.kind in (SymbolKind.THREAD, SymbolKind.BLOCK) for atom in mono for s in atom.symbols)
    ]
    return bool(steps and whole) and min(steps) > whole


def _other_end(value: Term, entries: Collection[Symbol]) -> bool:
    """Whether what is added was read at a place that the entry of another array of the same item picks."""
    mine = {(_array(entry), polynomial(entry.origin[1])) for entry in entries}
    for symbol in value.symbols:
        if symbol.kind is not SymbolKind.LOAD or symbol in entries:
            continue
        for other in symbol.origin[1].symbols:
            if not _entry(other) or other in entries:
                continue
            at = polynomial(other.origin[1])
            if any(root != _array(other) and at == place for root, place in mine):
                return True
    return False


def _array(entry: Symbol) -> int:
    return id(entry.origin[0])


def _written_by_several(access: Access, entries: Collection[Symbol], of: Trace) -> bool:
    """Whether one thread updates several elements of the object, each picked by an entry of its own."""
    for other in of.accesses:
        if other.root is not access.root or not other.writes or other.offset == access.offset:
            continue
        theirs = [s for s in other.offset.symbols if _entry(s)]
        if theirs and all(entry not in entries for entry in theirs):
            return True
    return False


def _one_entry(entry: Symbol, witness: Refuted) -> bool:
    """Whether both threads of a witness take the same entry."""
    assert witness.second is not None
    env = {**dict(zip((*BLOCK_DIM, *GRID_DIM), (*witness.block, *witness.grid), strict=True)), **dict(witness.values)}
    places = [
        evaluate(
            entry.origin[1],
            {**env, **dict(actor.counters), **dict(zip((*BLOCK, *THREAD), (*actor.block, *actor.thread), strict=True))},
        )
        for actor in (witness.first, witness.second)
    ]
    return places[0] is not None and places[0] == places[1]
