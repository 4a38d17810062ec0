"""Coordinates that tests let get past an end that something else says.

Another access to the array is kept below the end of *its own* axis (``x < w``), and this one below that of another axis
of the index (``x < h``); or two accesses are kept below the same number from memory, and one of them lets a place more
through (``j < end + 1`` beside ``i < end``).  And a row is as long as the one before the next begins: ``k <= 32`` lets
a place of rows of 32 be the first of the next one.  Or a launch is made for as many items as a test lets one more of
through.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from kernlint.analysis.extent.alike import alike
from kernlint.analysis.extent.ends import CLAMPS, Coordinate, End, factor_of
from kernlint.analysis.extent.limits import counter_ranges, elements
from kernlint.analysis.extent.places import moves
from kernlint.analysis.extent.wholes import comparison, raised, whole_part
from kernlint.analysis.extent.wrong_guards.faults import launched, launched_for_one_more
from kernlint.analysis.launching.launch_context import LaunchContext
from kernlint.analysis.trace.events import Access, AccessKind, GuardKind, RootKind
from kernlint.analysis.trace.tables import column
from kernlint.symbolic.polynomial import Polynomial, divided, number, polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, subterms, symbols
from kernlint.tree.types import FloatType, IntType

TESTS = frozenset({GuardKind.BRANCH, GuardKind.SHORT, GuardKind.EXIT, GuardKind.SKIP})
"""Guards that ask something of a place, and go through none."""

FAR = 2
"""Places, at the most, that a neighbour lies from the one that is tested."""

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


def of_neighbours(every: Coordinates) -> Iterator[tuple[Coordinate, Coordinate]]:
    """(neighbour of a place that a test lets pass the end, the like of it along another axis, which one more test
    keeps inside for another access): ``r < h && c < w``, ``c + 1 < w`` before the one, and nothing before the other."""
    for found in every.values():
        for one in found:
            past = one.high.reach or 0
            if not 0 < past <= FAR or one.fixed.constant != past or one.high.doubts or len(one.high.limits) != 1:
                continue
            beside = {peer.moving for peer in found if peer is not one}
            for theirs in every.values():
                hits = (o for o in theirs if o.moving in beside and o.fixed == one.fixed and o.high.reach == 0)
                other = next((o for o in hits if alike(one, o)), None)
                if other is not None:
                    yield one, other
                    break


def of_positions(every: Coordinates) -> Iterator[tuple[Coordinate, Access | None]]:
    """(coordinate beside a position in floating point, which a test lets into the last place; the access at the
    position itself, or None where the place is the position rounded): ``x < w`` before ``p[y0 * w + (int)x + 1]``.

    That rows are as long as the test says is told by the place itself, how many there are by the test beside it.

    Silent: where places before the position are read too, the array may have a margin."""
    before = {one.moving for found in every.values() for one in found if (one.fixed.constant or 0) < 0}
    for access, found in every.items():
        mine = [one for one in found if _of_position(one)]
        if not 2 <= len(mine) <= 3 or any(one.high.doubts or len(one.high.limits) != 1 for one in mine):
            continue
        past = [one for one in mine if 0 < (one.high.reach or 0) <= FAR and one.high.part and comparison(one.high.part)]
        rows = {one.pitch * one.high.size for one in mine if one.high.size is not None}
        if not past or not any(one.pitch in rows for one in mine) or any(one.moving in before for one in mine):
            continue
        movings = {one.moving for one in mine}
        at = (
            other
            for other, theirs in every.items()
            if {one.moving for one in theirs if not one.fixed.coefficients} == movings and len(theirs) == len(mine)
        )
        other = next(at, None)
        if other is access:
            other = None
        if other is not None or all(raised(_atom(one)) and not one.fixed.coefficients for one in mine):
            yield past[0], other


def _atom(one: Coordinate) -> Term:
    ((mono, _),) = one.moving.coefficients.items()
    return mono[0]


def _of_position(one: Coordinate) -> bool:
    """Whether a coordinate is a number in floating point made whole that data or arguments put somewhere, and nothing
    keeps in a range."""
    if [len(mono) for mono in one.moving.coefficients] != [1] or one.clamps is not None:
        return False
    found = whole_part(_atom(one))
    if found is None or any(part.op == "select" or part.op in _RANGES for part in subterms(found[0])):
        return False
    if any(part.op == "call" and _RANGES & {*str(part.args[0]).split("_")} for part in subterms(found[0])):
        return False
    return any(s.kind is SymbolKind.LOAD or isinstance(s.type, FloatType) for s in symbols(found[0]))


_RANGES = frozenset({"min", "mod", "fmin", "fminf", "fmod", "fmodf", "fract", "remainder", "remainderf", "clamp"})


def of_steps(access: Access, found: Sequence[Coordinate]) -> Iterator[tuple[Coordinate, Polynomial, bool]]:
    """(neighbour of a cell along its row, the length of that, whether it may be negative) where a test keeps it inside
    at one end alone, and steps lead past the other: ``c = cell % cols + step[k]; if (c < 0) continue;``

    The cell is a remainder by the length of the row, and the index counts whole rows besides.  Steps are numbers,
    rounds of loops of constant length, numbers of threads, or elements of tables that stand in the source."""
    form = elements(access)
    for one in found if form is not None and not form[1] and access.root.kind is RootKind.PARAM else ():
        cell = next((atom for atom in one.moving.atoms if atom.op == "mod" and isinstance(atom.type, IntType)), None)
        if form is None or cell is None or one.moving.coefficients.get((cell,)) != 1 or one.pitch != number(1):
            continue
        length = polynomial(plain(cell.args[1]))
        rest = form[0] - one.moving - one.fixed
        known = length.constant if length.constant is not None else None
        whole = all(v % known == 0 for v in rest.coefficients.values()) if known else _rows_of(rest, length)
        steps = _steps(one.moving + one.fixed - polynomial(cell), access) if whole and rest.coefficients else None
        if steps is None or not _signed(cell):
            continue
        if steps[0] < 0 and one.high.limits == (length,) and _unasked(one, one.low):
            yield one, length, True
        elif steps[1] > 0 and one.low.exact and _unasked(one, one.high):
            yield one, length, False


def _unasked(one: Coordinate, end: End) -> bool:
    """Whether nothing is asked at an end, of a coordinate whose parts are in no range but that of the remainder."""
    return not end.kept and not end.doubts and not any(p.op in CLAMPS for a in one.moving.atoms for p in subterms(a))


def _signed(cell: Term) -> bool:
    return isinstance(cell.type, IntType) and cell.type.signed


def _rows_of(rest: Polynomial, length: Polynomial) -> bool:
    """Whether a sum counts whole rows of a length."""
    ((mono, _),) = length.coefficients.items() if len(length.coefficients) == 1 else (((), 1),)
    return bool(mono) and all(divided(one, mono) is not None for one in rest.coefficients)


def _steps(step: Polynomial, access: Access) -> tuple[int, int] | None:
    """The farthest steps back and forth, where they are known; of what threads add only that it may be 0."""
    low = high = 0
    ranges = counter_ranges(access)
    for mono, times in step.coefficients.items():
        symbol = mono[0].symbol if len(mono) == 1 else None
        if not mono:
            values: tuple[int, ...] = (1,)
        elif symbol is not None and symbol.kind is SymbolKind.THREAD:
            values = (0,)
        elif symbol is None:
            return None
        elif symbol.kind is SymbolKind.LOAD and isinstance(symbol.origin, tuple):
            root, offset = symbol.origin
            values = column(root, offset, as_written=True)
        else:
            values = ranges.get(symbol, ())
        if not values:
            return None
        ends = [times * value for value in (min(values), max(values))]
        low, high = low + min(ends), high + max(ends)
    return low, high


def of_wholes(every: Coordinates) -> Iterator[tuple[Coordinate, Polynomial, Access]]:
    """(row that may be past the last one, how many there are, an access to the array as a whole that a test keeps below
    its size): ``if (i >= w * h) return;`` for ``a[i]``, and for ``a[i + w]`` too, where nothing but ``i / w > 0`` is
    asked."""
    wholes: dict[Polynomial, Access] = {}
    for access, found in every.items():
        form = elements(access)
        if form is None or len(found) != 1 or found[0].pitch != number(1) or found[0].fixed.coefficients:
            continue
        end = found[0].high
        if form[0] == found[0].moving and not form[1] and len(end.limits) == 1:
            wholes.setdefault(end.limits[0], access)
    for access, found in every.items() if wholes else ():
        slow = [one for one in found if all(_quotient(one.pitch, o.pitch) is not None for o in found if o is not one)]
        for one in slow if len(found) > 1 else ():
            if one.high.doubts or not one.high.limits or not one.low.kept or one.low.guard is None:
                continue
            for size, whole in wholes.items():
                rows = _rows_in(size, one.pitch)
                past = [(limit - rows).constant for limit in one.high.limits] if rows is not None else [None]
                if rows is not None and whole is not access and all(more is not None and more > 0 for more in past):
                    yield one, rows, whole
                    break


def _rows_in(size: Polynomial, pitch: Polynomial) -> Polynomial | None:
    """How many rows of a pitch a size is."""
    ((mono, times),) = pitch.coefficients.items()
    parts = {left: value for one, value in size.coefficients.items() if (left := divided(one, mono)) is not None}
    if len(parts) < len(size.coefficients) or any(value % times for value in parts.values()):
        return None
    return Polynomial({left: value // times for left, value in parts.items()})


def of_fields(group: Sequence[Access], every: Coordinates) -> Iterator[tuple[Access, Access, End]]:
    """(access at a field of data of so many bits, another one at such a field, the end that a test keeps that below),
    where nothing is asked of the first, and all others are tested: ``if (c > 3) return;`` for ``first[c + 1]``."""
    ends: dict[tuple[int, int], list[Coordinate]] = {}
    for found in every.values():
        for one in found:
            field = _field(one.moving) if one.pitch == number(1) and one.high.limits else None
            if field is not None and all(limit.constant is not None for limit in one.high.limits):
                ends.setdefault((field[0], id(field[1].origin[0])), []).append(one)
    tested = {one.access for mine in ends.values() for one in mine}
    for access in group if ends else ():
        form = elements(access) if access not in tested else None
        field = _field(form[0]) if form is not None and not form[1] else None
        others = ends.get((field[0], id(field[1].origin[0])), []) if field is not None else []
        if form is None or field is None or not others or access.writes:
            continue
        if any(field[1] in symbols(guard.term) for guard in access.guards):
            continue
        last = max(others, key=lambda one: max(limit.constant or 0 for limit in one.high.limits))
        places = max(limit.constant or 0 for limit in last.high.limits)
        left = last.high.guard is not None and last.high.guard.kind in (GuardKind.EXIT, GuardKind.SKIP)
        if field[0] + form[0].coefficients.get((), 0) >= places and (left or len(others) > 1):
            yield access, last.access, last.high


def _field(form: Polynomial) -> tuple[int, Symbol] | None:
    """(mask, word) of a place that is a field of a word in memory, and a number."""
    moving = [mono for mono in form.coefficients if mono]
    if len(moving) != 1 or len(moving[0]) != 1 or form.coefficients[moving[0]] != 1:
        return None
    atom = plain(moving[0][0])
    if atom.op != "and":
        return None
    word, mask = sorted(atom.terms, key=lambda part: part.value is not None)
    while word.op in ("cast", "shr"):
        word = word.args[0]
    held = word.symbol
    if held is None or held.kind is not SymbolKind.LOAD or not isinstance(held.origin, tuple) or not mask.value:
        return None
    return mask.value, held


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


def of_peers(access: Access, found: Sequence[Coordinate]) -> Iterator[tuple[Coordinate, Polynomial]]:
    """(coordinate that data choose, the length of its row) where tests keep it below how many rows there are, by the
    index itself, and not below the length of its row: ``y < h && x < h`` before ``a[(c * h + y) * w + x]``."""
    form = elements(access)
    if form is None or form[1]:
        return
    pitches = {Polynomial({factor_of(m): 1}) for m in form[0].coefficients if any(map(moves, m))}
    rows = {pitch: min(_rows_above(pitch, pitches), key=_factors, default=None) for pitch in pitches}
    for one in found:
        row, end = rows.get(one.pitch), one.high
        if row is None or row.constant is not None or not end.limits or end.doubts or end.guard is None:
            continue
        others = {rows.get(peer.pitch) for peer in found if peer is not one} - {row, None}
        data = any(s.kind is SymbolKind.LOAD for atom in one.moving.atoms for s in symbols(atom))
        apart = [(limit - other).constant for limit in end.limits for other in others if other is not None]
        if data and len(others) == 1 and None not in apart and end.guard.kind in TESTS:
            yield one, row


def _rows_above(pitch: Polynomial, pitches: Collection[Polynomial]) -> Iterator[Polynomial]:
    return (row for larger in pitches if (row := _quotient(larger, pitch)) is not None)


def _factors(row: Polynomial) -> int:
    return min(map(len, row.coefficients))


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
