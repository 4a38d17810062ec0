"""Halos before the part of a block: a launch has its last block for items that are there, and so are those before."""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.analysis.extent.limits import counter_ranges
from kernlint.analysis.extent.places import Places
from kernlint.analysis.launching.launch_context import LaunchView
from kernlint.analysis.trace.events import Access
from kernlint.symbolic.intervals import interval
from kernlint.symbolic.polynomial import Polynomial, term_of
from kernlint.symbolic.terms import BLOCK, THREAD, Symbol, SymbolKind


def before_block(found: Places, access: Access, axis: int, launches: Sequence[LaunchView]) -> bool:
    """Whether the place of an access along ``axis``, in its rows or columns, is before the first item of the block's
    own part for all its threads, in all rounds of the loops around it: ``(blockIdx.x - 1) * 64 + 16 * i + threadIdx.x``
    with ``i < 4``."""
    sizes = [view.block[axis] for view in launches]
    most = max((size for size in sizes if size is not None), default=0)
    if not most or None in sizes:
        return False
    ranges = counter_ranges(access)

    def bounds(symbol: Symbol) -> tuple[int | None, int | None]:
        if symbol is THREAD[axis]:
            return 0, most - 1
        return ranges.get(symbol, (0, None)) if symbol.kind is SymbolKind.COUNTER else (None, None)

    mine = [place for place in found.get(access, ()) if any(BLOCK[axis] in atom.symbols for atom in place.index.atoms)]
    for place in mine if len(mine) == 1 else ():
        own = {m: v for m, v in place.index.coefficients.items() if any(BLOCK[axis] in atom.symbols for atom in m)}
        if all(len(mono) == 1 and mono[0].symbol is BLOCK[axis] and step > 0 for mono, step in own.items()):
            last = interval(term_of(place.index - Polynomial(own)), bounds)[1]
            return last is not None and last + place.extra < 0
    return False
