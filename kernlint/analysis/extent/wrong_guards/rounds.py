"""Loops that take a row in rounds of a fixed width, as many as round its length up, and never ask in the last one.

``for (t = 0; t < (n + 127) / 128; ++t) sum += x[row * n + t * 128 + threadIdx.x];``: who rounds up reckons with a
length that is no multiple of the width, and what the last round is too wide by belongs to the next row, or to nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise

from kernlint.analysis.coverage import Cover, conjuncts, cover
from kernlint.analysis.extent.asking import Past
from kernlint.analysis.extent.limits import counter_ranges
from kernlint.analysis.extent.places import Place, Places, chosen
from kernlint.analysis.extent.rounds import rounds_of
from kernlint.analysis.extent.wrong_guards.faults import Fault, Overreach, in_host_terms
from kernlint.analysis.launching.launch_context import LaunchContext
from kernlint.analysis.trace.events import Access, Guard, GuardKind
from kernlint.symbolic.polynomial import Polynomial, number, polynomial, term_of
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, cast, plain, symbols
from kernlint.tree.types import I64

_DATA = frozenset({SymbolKind.LOAD, SymbolKind.PHI, SymbolKind.UNKNOWN, SymbolKind.EXIT})


def last_rounds(found: Places, multiples: Mapping[str, int], reached: Callable[[Past], bool]) -> Iterator[Overreach]:
    """The accesses of such loops.  ``multiples``: what comments say that sizes are multiples of; ``reached``: whether
    some thread may get past a row.

    Excused: rows that may be longer than what the rounds are counted for (``x[row * pitch + t * 128 + i]``), and any
    test of the place in the row.  Still bad: a test of the row alone (``if (row < rows)``).
    """
    for access, places in found.items():
        place = places[-1]
        if len(places) < 2 or place.row is None or place.row.constant is not None or place.limits:
            continue
        for guard in access.guards:
            if guard.kind is not GuardKind.LOOP or guard.loop is None:
                continue
            for part in conjuncts(guard.term):
                unit = _width(place, guard, part)
                if unit is None or _asked(access, place, part) or _told(place.row, unit, multiples):
                    continue
                if reached(Past(access, cast(term_of(place.index), I64), cast(term_of(place.row), I64))):
                    why = "the index is made of rows of that length"
                    yield Overreach(access, Fault.ROUNDS, guard, part, place.row, 0, why)
                    break


def whole_rounds(found: Places, multiples: Mapping[str, int], reached: Callable[[Past], bool]) -> Iterator[Overreach]:
    """The same of arrays without rows: ``for (t = blockIdx.x; t < (n + 127) / 128; t += gridDim.x) x[t * 128 + i]``.

    Excused: any other test that speaks of ``n``, or of data.  Still bad: a test of the number of the round alone.
    Where something else in the round is tested against ``n``, missing-bounds-guard tells of what is not.
    """
    for access, places in found.items():
        if len(places) != 1 or places[0].limits or places[0].pitch != number(1):
            continue
        for loop in access.loops:
            rounds = rounds_of(places[0], loop)
            if rounds is None or not rounds.rounded:
                continue
            size, count = number(rounds.times) * rounds.count, term_of(rounds.count)
            tests = [(guard, part) for guard in access.guards for part in conjuncts(guard.term) if guard.loop is loop]
            ends = [(guard, part) for guard, part in tests if cover(part.args[-1]).count is not None]
            past = Past(access, cast(term_of(places[0].index), I64), cast(term_of(size), I64))
            if len(ends) != 1 or not all(map(chosen, size.atoms)) or _named(count, multiples):
                continue
            guard, part = ends[0]
            others = (one for one in found if loop in one.loops)
            if not any(_speaks(one, part, count) for one in others) and reached(past):
                yield Overreach(access, Fault.ROUNDS, guard, part, size, 0, WHOLE)
                break


WHOLE = "the rounds are of that many"
"""Why the last of some rounds is known to have fewer items."""


def last_parts(found: Places, multiples: Mapping[str, int]) -> Iterator[Overreach]:
    """``if (c < (n + part - 1) / part) for (k = 0; k < part; ++k) sum += x[c * part + k];``: the last part has fewer.

    Excused: any other test that speaks of ``n``, or of data.  Still bad: a test of the number of the part alone.
    """
    for access, places in found.items():
        if len(places) != 2 or places[1].row is None or places[1].bound != places[1].row or places[1].extra:
            continue
        unit, counters = places[1].row, {loop.counter.term for loop in access.loops}
        own = places[1].index.coefficients
        if unit.constant is not None or len(own) != 1 or not any(own.get((counter,)) == 1 for counter in counters):
            continue
        for guard in access.guards:
            for part in conjuncts(guard.term) if guard.loop is None else ():
                if part.op != "lt" or polynomial(part.args[0]) != places[0].index:
                    continue
                of = cover(part.args[1])
                if of.kind is not Cover.ROUNDED_UP or of.count is None or of.unit is None:
                    continue
                if polynomial(of.unit) != unit or _speaks(access, part, of.count) or _named(of.count, multiples):
                    continue
                size = polynomial(of.count)
                yield Overreach(access, Fault.ROUNDS, guard, part, size, 0, PARTS)
                break


def first_of_parts(found: Places, multiples: Mapping[str, int], context: LaunchContext) -> Iterator[Overreach]:
    """``if (c * part < n) for (k = 0; k < part; ++k) sum += x[c * part + k];``: the first element of a part is tested.

    Excused: any other test that speaks of ``n``, or of data, and launches that pass for ``part`` what is no number and
    nothing rounded up.  Still bad: ``part`` for which a number is passed.
    """
    for access, places in found.items():
        counters = {loop.counter.term for loop in access.loops}
        for outer, inner in pairwise(places):
            unit, own = inner.row, inner.index.coefficients
            if unit is None or unit.constant is not None or inner.bound != unit or inner.extra or len(own) != 1:
                continue
            if not any(own.get((counter,)) == 1 for counter in counters) or not _any_width(unit, context):
                continue
            tests = ((g, part) for g in access.guards for part in conjuncts(g.term) if g.loop is None)
            for guard, part in tests:
                size = part.args[1] if part.op == "lt" else None
                if size is None or size.value is not None or not chosen(size):
                    continue
                if polynomial(part.args[0]) != outer.index * unit or set(symbols(size)) & set(_names(unit)):
                    continue
                if not _speaks(access, part, size) and not _named(size, multiples):
                    yield Overreach(access, Fault.ROUNDS, guard, part, polynomial(size), 0, FIRST)
                    break


def _names(size: Polynomial) -> Iterator[Symbol]:
    return (symbol for atom in size.atoms for symbol in symbols(atom))


def _any_width(unit: Polynomial, context: LaunchContext) -> bool:
    """Whether no launch in sight passes a width that may be chosen to divide: a number, or a quotient rounded up."""
    for view in context.launches:
        given = term_of(in_host_terms(unit, dict(view.images)))
        if given.value is None and cover(plain(given)).kind is not Cover.ROUNDED_UP:
            return False
    return True


FIRST = "the first of each part is tested"
"""Why elements of the last part may be past the end."""


PARTS = "the number of parts is rounded up"
"""Why the last of some parts is known to have fewer elements."""


def _speaks(access: Access, part: Term, count: Term) -> bool:
    """Whether another test before an access speaks of a count, or of data."""
    mine = set(symbols(count))
    others = (other for guard in access.guards for other in conjuncts(guard.term) if other != part)
    return any(mine & set(symbols(other)) or any(s.kind in _DATA for s in symbols(other)) for other in others)


def _named(count: Term, multiples: Mapping[str, int]) -> bool:
    return any(symbol.name.rpartition(".")[2] in multiples for symbol in symbols(count))


def _width(place: Place, guard: Guard, part: Term) -> Polynomial | None:
    """The width of a round, where a loop's condition rounds the length of the row up to whole ones and the index goes
    through each."""
    assert guard.loop is not None and place.row is not None
    counter = guard.loop.counter
    if part.op != "lt" or plain(part.args[0]).symbol is not counter:
        return None
    of = cover(part.args[1])
    if of.kind is not Cover.ROUNDED_UP or of.count is None or of.unit is None or plain(of.unit).value == 1:
        return None
    lanes = place.extra + 1
    if polynomial(of.count) != place.row and not _share(of.count, place.row, lanes):
        return None
    width = polynomial(of.unit) * number(lanes if polynomial(of.count) != place.row else 1)
    if width.constant is None and {s.kind for atom in width.atoms for s in symbols(atom)} != {SymbolKind.BLOCK_DIM}:
        return None
    rest = place.index - width * polynomial(counter.term)
    return width if _threads(rest, counter_ranges(place.access)) else None


def _share(count: Term, row: Polynomial, lanes: int) -> bool:
    """Whether a count is that of the vectors of a row."""
    term = plain(count)
    by = term.args[1].value if term.op in ("div", "shr") else None
    if by is None or lanes < 2:
        return False
    return (by if term.op == "div" else 1 << by) == lanes and polynomial(term.args[0]) == row


def _threads(rest: Polynomial, ranges: dict[Symbol, tuple[int, int]]) -> bool:
    """Whether a part of an index is a thread's place in its block, counted from the first one on, and steps of it."""
    own = [symbol for atom in rest.atoms for symbol in symbols(atom)]
    kinds = {symbol.kind for symbol in own}
    if SymbolKind.THREAD not in kinds or kinds - {SymbolKind.THREAD, SymbolKind.COUNTER, SymbolKind.BLOCK_DIM}:
        return False
    steady = all(symbol in ranges for symbol in own if symbol.kind is SymbolKind.COUNTER)
    return steady and rest.coefficients.get((), 0) == 0 and all(value > 0 for value in rest.coefficients.values())


def _asked(access: Access, place: Place, part: Term) -> bool:
    """Whether another test before the access speaks of the round, of the row's length, or of data."""
    assert place.row is not None
    mine = {s for form in (place.index, place.row) for atom in form.atoms for s in symbols(atom)}
    mine = {s for s in mine if s.kind not in (SymbolKind.THREAD, SymbolKind.BLOCK_DIM)}
    for guard in access.guards:
        for other in conjuncts(guard.term):
            own = set(symbols(other))
            if other != part and (own & mine or any(s.kind in _DATA for s in own)):
                return True
    return False


def _told(row: Polynomial, width: Polynomial, multiples: Mapping[str, int]) -> bool:
    """Whether a comment says that a row is made of whole rounds, or may say so."""
    names = {s.name.rpartition(".")[2] for atom in row.atoms for s in symbols(atom)}
    return any(multiples[name] % (width.constant or 1) == 0 for name in names & multiples.keys())
