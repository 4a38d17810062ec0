"""Coordinates that tests let get past an end that something else says.

Another access to the array is kept below the end of *its own* axis (``x < w``), and this one below that of another axis
of the index (``x < h``); or two accesses are kept below the same number from memory, and one of them lets a place more
through (``j < end + 1`` beside ``i < end``).  And a row is as long as the one before the next begins: ``k <= 32`` lets
a place of rows of 32 be the first of the next one.  Or a launch is made for as many items as a test lets one more of
through.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.extent.ends import Coordinate, factor_of
from kernlint.analysis.extent.limits import elements
from kernlint.analysis.extent.places import moves
from kernlint.analysis.extent.wrong_guards.faults import launched, launched_for_one_more
from kernlint.analysis.launching.launch_context import LaunchContext
from kernlint.analysis.trace.events import Access, AccessKind, GuardKind
from kernlint.symbolic.polynomial import Polynomial, divided, polynomial
from kernlint.symbolic.terms import SymbolKind, symbols

TESTS = frozenset({GuardKind.BRANCH, GuardKind.SHORT, GuardKind.EXIT, GuardKind.SKIP})
"""Guards that ask something of a place, and go through none."""

Coordinates = dict[Access, tuple[Coordinate, ...]]


def crossed(one: Coordinate, other: Coordinate, beside: Sequence[Coordinate]) -> bool:
    """Whether a coordinate is kept below the end of another one of its index, where another access has it kept below
    its own, and by what else is asked not below that."""
    mine, end = one.high, other.high.size
    if end is None or mine.size is None or other.high.sizes == mine.sizes:
        return False
    peers = {peer.high.size for peer in beside if peer is not one} - {end}
    apart = [limit - end for limit in mine.limits]
    open_ = all(more > 0 for form in apart if (more := form.constant) is not None)
    return open_ and mine.size in peers and all(form.constant is not None or form + end in peers for form in apart)


def of_sizes(every: Coordinates) -> Iterator[tuple[Coordinate, Coordinate]]:
    """(coordinate that a test lets get past a number from memory, one of another access that is kept below it)."""
    found: dict[tuple[Polynomial, Polynomial, Polynomial], list[Coordinate]] = {}
    for coordinates_ in every.values():
        for one in coordinates_:
            end = one.high
            if end.size is not None and end.guard is not None and any(map(moves, end.size.atoms)):
                found.setdefault((end.size, one.pitch, one.fixed), []).append(one)
    for group in found.values():
        kept_ = [one for one in group if one.high.reach == 0 and one.high.guard and one.high.guard.kind in TESTS]
        past = [one for one in group if (one.high.reach or 0) > 0]
        if kept_ and len({one.high.guard.span for one in past if one.high.guard is not None}) == 1:
            yield from ((one, kept_[0]) for one in past if one.high.guard not in kept_[0].access.guards)


def of_rows(access: Access, found: Sequence[Coordinate]) -> Iterator[tuple[Coordinate, Polynomial]]:
    """(coordinate that tests let get past the end of its row, the length of that).

    A row of so many arguments, or one of a constant length that is stored to: others may overlap."""
    form = elements(access)
    for one in found if form is not None and not form[1] else ():
        end = one.high
        if form is None or not end.limits or end.doubts or end.part is None or end.guard is None:
            continue
        if end.guard.kind is GuardKind.ASSERT:
            continue
        if all(polynomial(side) != one.moving + one.fixed for side in end.part.args):
            continue  # it is the place beside that is tested
        others = [peer for peer in found if peer is not one]
        told = {mono for peer in others for mono in (peer.pitch * peer.moving).coefficients}
        own = set((one.pitch * one.moving).coefficients) | told
        rest = {m: v for m, v in form[0].coefficients.items() if m not in own and any(map(moves, m))}
        pitches = [peer.pitch for peer in others] + [Polynomial({factor_of(m): v}) for m, v in rest.items()]
        rows = {row for pitch in pitches if (row := _quotient(pitch, one.pitch)) is not None}
        rows = {row for row in rows if row.constant is None or access.kind is AccessKind.WRITE}
        if len(rows) == 1:
            row = rows.pop()
            beyond = [(limit - row).constant for limit in end.limits]
            if all(more is not None and more > 0 for more in beyond):
                yield one, row


def of_launches(found: Sequence[Coordinate], context: LaunchContext) -> Iterator[tuple[Coordinate, Polynomial]]:
    """(place of a thread in the grid that a test lets be as large as a size, the size), where each launch in sight is
    made for as many items: there is a thread for one more only where the launch has some to spare.

    Silent: in a grid for one more. Still told: ``if (i > n) return; x[4 * i + 1] = 0;`` in a grid for n."""
    for one in found:
        end = one.high
        if end.size is None or end.reach != 1 or end.doubts or one.fixed.coefficients or end.guard is None:
            continue
        kinds = {symbol.kind for atom in one.moving.atoms for symbol in symbols(atom)}
        only = end.guard.kind in TESTS and all((limit - end.size).constant == 1 for limit in end.limits)
        if not only or not end.limits or SymbolKind.BLOCK not in kinds or not kinds <= _GRID:
            continue
        if end.size.coefficients and launched(context, end.size) and not launched_for_one_more(context, end.size):
            yield one, end.size


_GRID = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.BLOCK_DIM})


def _quotient(pitch: Polynomial, by: Polynomial) -> Polynomial | None:
    """How many of one pitch make a larger one; None where it is no larger."""
    ((more, value),) = pitch.coefficients.items()
    ((sizes, times),) = by.coefficients.items()
    left = divided(more, sizes)
    larger = left is not None and (left or value > times) and value > 0 and value % times == 0
    return Polynomial({left: value // times}) if left is not None and larger else None
