"""Neighbours that lie one step beyond the margin that a stencil keeps at both ends of an axis.

``x < nx - R`` in rows of ``nx`` keeps a margin of R, and the first column lies R from the beginning; ``for (z = R; z <
nz - R; ++z)`` does the same along z, so ``nz`` is where that axis ends.  What is fetched ahead for the next round,
``a[at + (R + 1) * plane]``, is behind the last plane in the last one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kernlint.analysis.extent.asking import Past
from kernlint.analysis.extent.limits import counter_ranges, standing
from kernlint.analysis.extent.places import Place, Places
from kernlint.analysis.extent.truths import truths
from kernlint.analysis.extent.wrong_guards.faults import Fault, Overreach
from kernlint.analysis.trace.events import Root
from kernlint.source import Span
from kernlint.symbolic.polynomial import Polynomial, polynomial, term_of
from kernlint.symbolic.terms import SymbolKind


def ahead(found: Places, reached: Callable[[Past], bool]) -> Iterator[Overreach]:
    """Accesses behind the end of an axis whose margin another axis has too.

    Silent: ``z + R + 1 < nz`` before it; axes whose margins are not those of the rows.  Still bad: ``a[at + R + 1]``
    where x is tested against ``nx - R``.
    """
    centres = _centres(found)
    for access, places in found.items():
        for at, place in enumerate(places):
            limit = place.limits[0] if place.limits else None
            if limit is None or limit.slack < 0 or place.extra or limit.unit != 1 or not _argument(limit.size):
                continue
            centre = _centre(place, at, len(places), centres)
            if centre is not None and reached(Past(access, term_of(place.index), term_of(limit.size))):
                why = "as wide a margin is kept at both ends, and along the rows"
                yield Overreach(
                    access, Fault.NEIGHBOUR, limit.guard, limit.part, limit.size, limit.slack + 1, why, centre.access
                )
                break


def _argument(size: Polynomial) -> bool:
    symbol = next(iter(size.atoms)).symbol if len(size.atoms) == 1 else None
    return symbol is not None and symbol.kind is SymbolKind.PARAM and size == polynomial(symbol.term)


Centres = dict[tuple[Root, int, int, Span], list[Place]]
"""Places around which a test keeps a margin at both ends, and along another axis too: by array, axis, how many axes
there are, and the test."""


def _centres(found: Places) -> Centres:
    out: Centres = {}
    seen: set[object] = set()
    for access, places in found.items():
        known = (access.root, standing(access), access.size)
        if known in seen:
            continue
        seen.add(known)
        for at, mine in enumerate(places):
            margin = -1 - mine.limits[0].slack if mine.limits else 0
            if margin < 1 or _least(mine) != margin:
                continue
            if any(_as_wide(one, margin) for other, one in enumerate(places) if other != at):
                out.setdefault((access.root, at, len(places), mine.limits[0].guard.span), []).append(mine)
    return out


def _centre(place: Place, at: int, count: int, centres: Centres) -> Place | None:
    """An access to the same array at the middle of what the test keeps a margin around, along two axes at least."""
    limit = place.limits[0]
    for mine in centres.get((place.access.root, at, count, limit.guard.span), ()):
        alike = mine.pitch == place.pitch and mine.limits[0].size == limit.size
        if alike and (place.index - mine.index).constant is not None:
            return mine
    return None


def _as_wide(place: Place, margin: int) -> bool:
    """Whether the row that a place is in is as long as a test says that keeps a margin at both of its ends."""
    limit = place.limits[0] if place.limits else None
    if limit is None or place.row is None or limit.size != place.row or limit.slack != -1 - margin:
        return False
    return _least(place) == margin


def _least(place: Place) -> int | None:
    """The first place: of the threads that tests let through, and of the first rounds of loops."""
    low = place.index.coefficients.get((), 0)
    ranges = counter_ranges(place.access)
    for mono, times in place.index.coefficients.items():
        counter = mono[0].symbol if len(mono) == 1 else None
        if counter is not None and counter in ranges:
            low += times * ranges[counter][0 if times > 0 else 1]
        elif mono and (times < 0 or any(atom.symbol is None or atom.symbol.kind not in _FROM_0 for atom in mono)):
            return None
    tested = [(place.index - truth.left).constant for truth in truths(place.access.guards)]
    return max(low, *(least for least in tested if least is not None), low)


_FROM_0 = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.BLOCK_DIM, SymbolKind.COUNTER})
