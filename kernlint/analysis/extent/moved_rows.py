"""Rows that are moved by a part of the length of a row, where the same part of another size bounds them.

``in[(t + columns / 2) * columns + c]`` with ``c < columns`` and ``t < rows / 2``: the second half of the rows begins at
``rows / 2``.  That the one is as large as the other holds of a square, of which one size would do.  A whole size is no
evidence: rows of one matrix may stand below those of another.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from kernlint.analysis.extent.places import Place, limits_of, places_of
from kernlint.analysis.trace.events import Access, Guard
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, substitute, symbols


@dataclass(frozen=True, slots=True)
class MovedRow:
    """``by``: what a row is moved by, a part of ``length``, the row's; ``bound``: what a ``guard`` keeps it below."""

    by: Term
    length: Symbol
    bound: Term
    guard: Guard


def moved_row(access: Access) -> MovedRow | None:
    """The dimension of an access that is moved by a part of the wrong size."""
    places = places_of(access)
    for slow, fast in pairwise(places):
        length = _single(slow.pitch)
        if length is None or fast.bound is None or _single(fast.bound) is not length:
            continue
        for by, bound, guard in _moved(slow, length, access):
            return MovedRow(by, length, bound, guard)
    return None


def _single(size: Polynomial) -> Symbol | None:
    """The argument that a size is."""
    if len(size.coefficients) != 1:
        return None
    ((mono, factor),) = size.coefficients.items()
    symbol = plain(mono[0]).symbol if len(mono) == 1 and factor == 1 else None
    return symbol if symbol is not None and symbol.kind is SymbolKind.PARAM else None


def _moved(slow: Place, length: Symbol, access: Access) -> Iterator[tuple[Term, Term, Guard]]:
    own = [atom for mono in slow.index.coefficients if len(mono) == 1 for atom in mono if _part_of(atom, length)]
    for by in own if len(own) == 1 else ():
        for limit in limits_of(slow.index, access):
            for mono in limit.size.coefficients:
                bound = mono[0] if len(mono) == 1 else None
                other = symbols(bound)[0] if bound is not None and len(symbols(bound)) == 1 else None
                if bound is None or other is None or other is length or other.kind is not SymbolKind.PARAM:
                    continue
                if plain(substitute(plain(by), {length: other.term})) == plain(bound):
                    yield by, bound, limit.guard


def _part_of(atom: Term, length: Symbol) -> bool:
    """Whether a term is a part of a size: half of it, or the like."""
    atom = plain(atom)
    return atom.op in ("div", "shr") and tuple(symbols(atom)) == (length,)
