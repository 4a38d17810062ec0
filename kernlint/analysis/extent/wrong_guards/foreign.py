"""Coordinates that are tested against the size of another axis, of which the kernel and its file say so.

``if (x >= g.nx || y >= g.ny || z >= g.nx) return;`` before ``proj[(v * g.nz + z) * g.bins + b]``: z stands in rows of
``g.nz``, which something in the file keeps a coordinate below, and ``g.nx``, the one size that z is tested against, is
how long the rows are that x stands in.  Where rows and columns stand in one index, ``if (y < w && x < w)`` before
``a[(c * h + y) * w + x]``, that is enough.  So it is in a product of matrices: ``for (k = 0; k < depth; k += 8)`` asks
for the row of ``a[y * depth + k + lane]`` where a tile begins, and ``k + lane < cols``, within it, for that of another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from kernlint.analysis.base import ModuleAnalysis, ModuleFacts
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.asking import Past
from kernlint.analysis.extent.places import Place, Places, chosen, moves, places_of
from kernlint.analysis.extent.sizes import last_part
from kernlint.analysis.extent.wrong_guards.faults import Fault, Overreach
from kernlint.analysis.trace.events import GuardKind, RootKind
from kernlint.analysis.trace.kernels import kernel_traces
from kernlint.symbolic.polynomial import Polynomial, number, polynomial, term_of
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, symbols


def _one(size: Polynomial | None) -> Symbol | None:
    """The argument, member of one or number that all threads read, that a size is as it stands."""
    atom = next(iter(size.atoms)) if size is not None and len(size.atoms) == 1 else None
    if atom is None or size != polynomial(atom) or not chosen(atom):
        return None
    return atom.symbol


def _kept_below(places: Iterable[Place]) -> set[str]:
    """What the sizes are called that places are kept below."""
    return {last_part(size.name) for place in places if (size := _one(place.bound)) is not None}


def _extents(facts: ModuleFacts) -> frozenset[str]:
    found: set[str] = set()
    for _, of in facts[kernel_traces].compared():
        for access in of.accesses:
            if access.root.kind is RootKind.PARAM and access.guards:
                found |= _kept_below(places_of(access))
    return frozenset(found)


extents_of_file = ModuleAnalysis("extents_of_file", _extents, needs=(kernel_traces,))
"""What sizes are called that kernels of a file keep coordinates below."""


def _axes(index: Polynomial) -> set[int | None]:
    own: list[Symbol] = [s for atom in index.atoms for s in symbols(atom)]
    return {s.axis for s in own if s.kind is SymbolKind.BLOCK}


def _alone(place: Place) -> Symbol | None:
    """The one size that everything which is asked of a place compares it with."""
    sizes = {limit.size for limit in place.limits}
    plain = all(limit.unit == 1 and limit.slack < 0 for limit in place.limits) and len(sizes) == 1
    return _one(sizes.pop()) if plain and not place.extra else None


def _asked(place: Place, row: Symbol) -> bool:
    """Whether another test than that of the place speaks of the length of its row."""
    own = place.limits[0].part
    parts = (part for guard in place.access.guards for part in conjuncts(guard.term))
    return any(part != own and row in symbols(part) for part in parts)


def _tiled(place: Place, row: Symbol) -> bool:
    """Whether the length of the row stands in the tests of loops alone that go through it in tiles, of which the place
    is an element: they ask where the tile begins."""
    own, found = place.limits[0].part, False
    for guard in place.access.guards:
        for part in conjuncts(guard.term):
            if part == own or row not in symbols(part):
                continue
            width = _tile(part.args[1], row) if guard.kind is GuardKind.LOOP and part.op == "lt" else None
            if width is None or not _begins(polynomial(part.args[0]).scaled(width), place.index):
                return False
            found = True
    return found


def _tile(end: Term, row: Symbol) -> int | None:
    """How much of a row goes into 1 of what ends there: the row itself, or a number of tiles, rounded up."""
    end = plain(end)
    if end.symbol is row:
        return 1
    width = end.args[1].value if end.op == "div" else None
    if end.op == "shr" and end.args[1].value is not None:
        width = 1 << end.args[1].value
    if width is None or width < 1:
        return None
    return width if polynomial(end.args[0]) == polynomial(row.term) + number(width - 1) else None


def _begins(tile: Polynomial, index: Polynomial) -> bool:
    """Whether a tile that a loop counts, for all threads of the block, has an index inside: the threads add to it."""
    mine = {symbol for atom in tile.atoms for symbol in symbols(atom)}
    more = [symbol for atom in (index - tile).atoms for symbol in symbols(atom)]
    counters = {symbol for symbol in mine if symbol.kind is SymbolKind.COUNTER}
    kinds = {symbol.kind for symbol in mine}
    added = any(symbol.kind is SymbolKind.THREAD for symbol in more)
    return len(counters) == 1 and SymbolKind.THREAD not in kinds and added and counters.isdisjoint(more)


def _other_matrix(place: Place, tested: Symbol, found: Iterable[Place], beside: Iterable[Place]) -> list[Place]:
    """Places in rows of the ``tested`` length that the block's number chooses, which it does not choose here: columns
    of another matrix, unless the rows of this one (``found``: its places) are counted by that length as well."""
    if _axes(place.index) or any(_one(one.bound) is tested for one in found if one is not place):
        return []
    return [one for one in beside if len(_axes(one.index)) == 1 and one.access.root is not place.access.root]


def foreign_rows(
    found: Places, extents: Callable[[], frozenset[str]], reached: Callable[[Past], bool]
) -> Iterator[Overreach]:
    """Accesses at such coordinates.

    Silent: ``if (i < n && j < n) c[j * n + i] = a[i * lda + j]`` where nothing is kept below ``lda``: a pitch.  Still
    bad: ``if (x < nx && z < nx)`` before ``a[(v * nz + z) * nx + x]`` beside ``if (z < nz)`` in another kernel.
    """
    rows: dict[Polynomial, set[Polynomial]] = {}
    lengths: dict[Symbol, list[Place]] = {}
    for places in found.values():
        for place in places:
            if place.row is not None:
                rows.setdefault(place.index, set()).add(place.row)
                size = _one(place.bound)
                if size is not None and place.row == polynomial(size.term):
                    lengths.setdefault(size, []).append(place)
    own = _kept_below(place for places in found.values() for place in places)
    for access, places in found.items():
        for at, place in enumerate(places):
            tested = _alone(place) if place.row is not None and len(place.limits) == 1 else None
            row, axes = _one(place.row), _axes(place.index)
            if tested is None or row is None or tested is row or rows[place.index] != {place.row}:
                continue
            with_it = [one for one in places[at + 1 : at + 2] if one in lengths.get(tested, ())]
            beside = with_it or [one for one in lengths.get(tested, ()) if not axes & _axes(one.index)]
            if not beside or not any(map(moves, place.index.atoms)):
                continue
            if _asked(place, row):
                beside = _other_matrix(place, tested, places, beside) if _tiled(place, row) else []
                if not beside:
                    continue
            elif not with_it and (
                len(axes) != 1
                or not all(any(map(moves, mono)) for mono in place.index.coefficients if mono)
                or (last_part(row.name) not in own and last_part(row.name) not in extents())
            ):
                continue
            if reached(Past(access, term_of(place.index), row.term)):
                limit = place.limits[0]
                why = "the index is made of rows of that length"
                length = polynomial(row.term)
                yield Overreach(access, Fault.FOREIGN, limit.guard, limit.part, length, 0, why, beside[0].access)
                break
