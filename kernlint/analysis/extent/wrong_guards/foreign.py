"""Coordinates that are tested against the size of another axis, of which the kernel and its file say so.

``if (x >= g.nx || y >= g.ny || z >= g.nx) return;`` before ``proj[(v * g.nz + z) * g.bins + b]``: z stands in rows of
``g.nz``, which something in the file keeps a coordinate below, and ``g.nx``, the one size that z is tested against, is
how long the rows are that x stands in.  Where rows and columns stand in one index, ``if (y < w && x < w)`` before
``a[(c * h + y) * w + x]``, that is enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from kernlint.analysis.base import ModuleAnalysis, ModuleFacts
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.asking import Past
from kernlint.analysis.extent.places import Place, Places, chosen, moves, places_of
from kernlint.analysis.extent.sizes import last_part
from kernlint.analysis.extent.wrong_guards.faults import Fault, Overreach
from kernlint.analysis.trace.events import RootKind
from kernlint.analysis.trace.kernels import kernel_traces
from kernlint.symbolic.polynomial import Polynomial, polynomial, term_of
from kernlint.symbolic.terms import Symbol, SymbolKind, symbols


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
            if not beside or not any(map(moves, place.index.atoms)) or _asked(place, row):
                continue
            if not with_it and (
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
