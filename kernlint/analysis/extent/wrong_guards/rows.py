"""Tests that let an index get past the row it is in, or count rows by their length.

What says how long a row is are the products of the index itself: ``y * width + x`` has rows of ``width``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kernlint.analysis.coverage import Cover, cover_of_threads
from kernlint.analysis.extent.asking import Past
from kernlint.analysis.extent.limits import Limit
from kernlint.analysis.extent.places import Place, Places
from kernlint.analysis.extent.wrong_guards.faults import Fault, Overreach
from kernlint.analysis.trace.events import Access, RootKind
from kernlint.symbolic.polynomial import Polynomial, number, polynomial, term_of
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, symbols


def past_rows(found: Places) -> Iterator[Overreach]:
    """``if (x < width + 6)`` before an access to element x of a row of ``width``: the last rows end behind the array.

    Excused: ``if (x < window)`` in rows that begin every ``hop`` elements, of which nobody says how they compare.
    Still bad: ``if (x < hop + 2)``.
    """
    for access, places in found.items():
        for place in places:
            if place.row is None or place.extra or not place.limits or not _is_argument(place.row):
                continue
            beyond = [(limit.most - place.row + number(1)).constant for limit in place.limits]
            least = min((amount for amount in beyond if amount is not None), default=-1)
            if least < 1 or None in beyond:
                continue
            limit = next(one for one, amount in zip(place.limits, beyond, strict=True) if amount == least)
            inclusive = least == 1 and limit.part.op == "le"  # told of elsewhere, with what excuses it
            if (
                not inclusive
                and limit.part.op in ("lt", "le")
                and limit.unit == 1
                and polynomial(limit.part.args[0]) == place.index
            ):
                why = "the index is made of rows of that length"
                yield Overreach(access, Fault.PAST_ROW, limit.guard, limit.part, place.row, least, why)


def padded_rows(found: Places) -> Iterator[Overreach]:
    """``if (i < (n + 63) / 64 * 64)`` before an access to element i of a row of ``n``, which the index is made with.

    Silent: in rows of the padded length. Still told: in rows of ``n`` beside a test of another index against ``n``.
    """
    for access, places in found.items():
        for place in places:
            if place.row is None or place.extra or not place.limits:
                continue
            units = [_rounded_up(limit, place.row) for limit in place.limits]
            if None not in units and place.limits[0].unit == 1 and not _by_data(access, place):
                limit, more = place.limits[0], (units[0] or 1) - 1
                yield Overreach(
                    access, Fault.PADDED, limit.guard, limit.part, place.row, more, "it is the length of its rows"
                )
                break


def _rounded_up(limit: Limit, row: Polynomial) -> int | None:
    """The unit in which the length of a row is rounded up to what a test keeps an index strictly below."""
    size = cover_of_threads(term_of(limit.size)) if limit.slack == -1 and limit.part.op in ("lt", "le") else None
    if size is None or size.kind is not Cover.ROUNDED_UP or size.count is None or polynomial(size.count) != row:
        return None
    return plain(size.unit).value if size.unit is not None else None


def _by_data(access: Access, place: Place) -> bool:
    """Whether data, or loops that they end, are asked something of what moves in an index."""
    mine = {symbol for atom in place.index.atoms for symbol in symbols(atom)}
    return any(
        mine & set(found) and any(symbol.kind in _DATA for symbol in found)
        for guard in access.guards
        if (found := symbols(guard.term))
    )


_DATA = frozenset({SymbolKind.LOAD, SymbolKind.UNKNOWN, SymbolKind.PHI, SymbolKind.EXIT})


def rows_by_length(found: Places, reached: Callable[[Past], bool]) -> Iterator[Overreach]:
    """``if (y < width)`` before an access to row y of rows of ``width``, where elsewhere in the kernel as long rows are
    counted along the same axis by another argument.

    Excused: ``if (y < width)`` where that is all that the kernel says of rows. Still bad: beside
    ``if (y < height - 1) out[y * width + x] = 0;``

    ``reached``: whether some thread may get as far.
    """
    rows = [
        place
        for places in found.values()
        if len(places) == 2 and places[1].pitch.constant == 1 and places[0].access.root.kind is RootKind.PARAM
        for place in places[:1]
        if place.limits and not place.extra and _is_argument(place.pitch)
    ]
    for place in rows:
        limit = place.limits[0]
        if any((one.size, one.slack) != (place.pitch, -1) for one in place.limits):
            continue
        axes = _axes(place.index)
        for other in rows if len(axes) == 1 else ():
            if other.pitch != place.pitch or _axes(other.index) != axes:
                continue
            count = _count(other.limits[0].size, place.pitch)
            if count is not None and reached(Past(place.access, term_of(place.index), count)):
                why = f"it is the length of the rows, and those of {other.access.root.name} are counted by another size"
                yield Overreach(place.access, Fault.ROWS, limit.guard, limit.part, limit.size, 0, why, other.access)
                break


def _is_argument(size: Polynomial) -> bool:
    """Whether a size is one argument of the kernel as it stands."""
    atoms = size.atoms
    symbol = next(iter(atoms)).symbol if len(atoms) == 1 else None
    return symbol is not None and symbol.kind is SymbolKind.PARAM and size == polynomial(symbol.term)


def _count(size: Polynomial, length: Polynomial) -> Term | None:
    """The argument that a limit of rows is, less something perhaps, where it has nothing to do with their length."""
    named = [mono[0] for mono, value in size.coefficients.items() if value == 1 and len(mono) == 1]
    own = {symbol for atom in size.atoms for symbol in symbols(atom)}
    if len(named) != 1 or not _is_argument(polynomial(named[0])):
        return None
    rest = [value for mono, value in size.coefficients.items() if mono != (named[0],)]
    apart = own.isdisjoint(symbol for atom in length.atoms for symbol in symbols(atom))
    return named[0] if apart and all(value < 0 for value in rest) else None


def _axes(index: Polynomial) -> set[int | None]:
    """The axes of the grid that an index grows along."""
    kinds = (SymbolKind.BLOCK,)
    own: list[Symbol] = [s for atom in index.atoms for s in symbols(atom) if s.kind in kinds]
    return {s.axis for s in own}
