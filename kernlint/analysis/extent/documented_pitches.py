"""Indices that are made otherwise than of the extents that a comment gives their array, in whatever order.

``// image: [coils][nz][ny][nx]`` says how far apart the coils are.  An index with a part for each of the extents, each
part kept below its own by a test, has ``nz * ny * nx`` before the one of the coils; where it has a product of fewer of
the same sizes (``c * nx * ny``), or one summand of an extent that is a sum (``beam * num_b`` in rows of ``num_a +
num_b``), it is another array's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations

from kernlint.analysis.base import Facts, KernelAnalysis, Shape
from kernlint.analysis.extent.documented import documented_sizes
from kernlint.analysis.extent.limits import elements
from kernlint.analysis.extent.places import limits_of, moves, places
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, RootKind
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, number, polynomial
from kernlint.symbolic.terms import BLOCK_DIM, SymbolKind, Term
from kernlint.tree.types import Space

MOST = 5
"""Extents that are looked at."""


@dataclass(frozen=True, slots=True, eq=False)
class Mispitched:
    """An ``access`` in steps of ``pitch`` elements along one extent of ``shape``, where these are ``right`` apart."""

    access: Access
    shape: Shape
    pitch: Polynomial
    right: Polynomial


def _digits(index: Polynomial) -> list[tuple[Polynomial, Polynomial]] | None:
    """(value, pitch) of each part of an index: a counter, a thread with its block, data; None where it is not plain."""
    pitches: dict[Term, Polynomial] = {}
    for mono, value in index.coefficients.items():
        own = [atom for atom in mono if moves(atom)]
        if len(own) > 1:
            return None
        if own:
            rest = list(mono)
            rest.remove(own[0])
            pitches[own[0]] = pitches.get(own[0], number(0)) + Polynomial({tuple(rest): value})
    found: list[tuple[Polynomial, Polynomial]] = []
    blocks = {a.symbol.axis: a for a in pitches if a.symbol is not None and a.symbol.kind is SymbolKind.BLOCK}
    for atom, pitch in pitches.items():
        symbol, whole = atom.symbol, Polynomial({(atom,): 1})
        if symbol is not None and symbol.kind is SymbolKind.BLOCK:
            continue
        if symbol is not None and symbol.kind is SymbolKind.THREAD and symbol.axis in blocks:
            wide = polynomial(BLOCK_DIM[symbol.axis].term)
            if pitches[blocks[symbol.axis]] == wide * pitch:
                whole = whole + wide * Polynomial({(blocks.pop(symbol.axis),): 1})
        found.append((whole, pitch))
    return [*found, *((Polynomial({(block,): 1}), pitches[block]) for block in blocks.values())]


def _steps(sizes: Sequence[Polynomial]) -> list[Polynomial]:
    """The distances of two elements along each extent."""
    out = [number(1)]
    for size in reversed(sizes[1:]):
        out.append(out[-1] * size)
    return out[::-1]


def _atoms(*forms: Polynomial) -> set[Term]:
    return {atom for form in forms for atom in form.atoms}


def _wrong(access: Access, sizes: Sequence[Polynomial | None]) -> tuple[Polynomial, Polynomial] | None:
    """The pitch that is none of a comment's layout, and the one that would be."""
    inner = [size for size in sizes[1:] if size is not None]
    found = elements(access)
    if found is None or len(inner) < len(sizes) - 1 or any(size.constant is not None for size in inner):
        return None
    digits = _digits(found[0])
    if digits is None or len(digits) != len(sizes) or not _atoms(*(pitch for _, pitch in digits)) <= _atoms(*inner):
        return None
    if len(sizes) == 2:
        return _of_a_sum(digits, inner[0])
    if sizes[0] is None:
        return None
    every = [sizes[0], *inner]
    if len(set(every)) < len(every):
        return None
    owned: dict[Polynomial, Polynomial] = {}
    for value, pitch in digits:
        bounds = {limit.most + number(1) for limit in limits_of(value, access)}
        mine = [size for size in every if size in bounds]
        if len(mine) != 1 or mine[0] in owned:
            return None
        owned[mine[0]] = pitch
    for order in permutations(every):
        if all(owned[size] == step for size, step in zip(order, _steps(order), strict=True)):
            return None
    return next(
        ((owned[size], step) for size, step in zip(every, _steps(every), strict=True) if owned[size] != step), None
    )


def _of_a_sum(digits: Sequence[tuple[Polynomial, Polynomial]], row: Polynomial) -> tuple[Polynomial, Polynomial] | None:
    """The pitch of rows that is one summand of their length."""
    pitches = [pitch for _, pitch in digits]
    if len(row.coefficients) < 2 or number(1) not in pitches or row in pitches:
        return None
    pitch = next((one for one in pitches if one != number(1)), None)
    if pitch is None or len(pitch.coefficients) != 1 or pitch.constant is not None:
        return None
    return (pitch, row) if pitch.coefficients.items() <= row.coefficients.items() else None


def _compute(facts: Facts) -> tuple[Mispitched, ...]:
    return tuple(_run(facts)) if facts.options.shapes else ()


def _run(facts: Facts) -> Iterator[Mispitched]:
    sizes_of = documented_sizes(facts)
    for access in facts[trace].accesses:
        if access.root.kind is not RootKind.PARAM or access.root.space is not Space.GLOBAL:
            continue
        for shape, sizes in sizes_of(access):
            if not shape.ordered or not 2 <= len(sizes) <= MOST:
                continue
            known = [None if size is None else polynomial(size) for size in sizes]
            found = _wrong(access, known)
            if found is not None:
                yield Mispitched(access, shape, *found)


mispitched = KernelAnalysis("mispitched", _compute, needs=(trace, places))
"""Each :class:`Mispitched` access of a kernel variant."""
