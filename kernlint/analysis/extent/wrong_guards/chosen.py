"""Places that data choose in rows of a length that stands in the index: tests that let the length itself through,
neighbours of the last element, tests of something else than the index.

A sample shifted by a delay from memory, a node that a position falls on: who tests such an index against the number
that the rows are apart means the end of the row.  Indices that threads alone make are looked at with the launches in
:mod:`~kernlint.analysis.extent.wrong_guards.inclusive` and :mod:`~kernlint.analysis.extent.wrong_guards.steps`.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.bounds import mentions
from kernlint.analysis.extent.limits import Limit
from kernlint.analysis.extent.places import Place, Places, chosen
from kernlint.analysis.extent.wrong_guards.faults import Fault, Overreach
from kernlint.analysis.trace.events import Access, GuardKind
from kernlint.symbolic.polynomial import Polynomial, number, polynomial
from kernlint.symbolic.terms import SymbolKind, Term, plain, subterms, symbols

_DATA = frozenset({SymbolKind.LOAD, SymbolKind.UNKNOWN})


def chosen_rows(found: Places) -> Iterator[Overreach]:
    """Accesses to element ``e`` of row ``r`` of rows of ``n``, where data are part of ``e`` and the tightest test is
    ``e <= n``, or ``e - k < n``.

    Excused: rows that the kernel also reads before their start, or that are ``n + 1`` apart; an index that a minimum or
    a remainder keeps inside.  Still bad: ``if (t >= 0 && t <= n) sum += x[c * n + t];``
    """
    before = {id(place.access.root) for places in found.values() for place in places if _reaches_back(place)}
    for access, places in found.items():
        for place in places[1:] if id(access.root) not in before else ():
            if place.extra or place.row is None or place.row.constant is not None or not _of_data(place.index):
                continue
            limit = _tightest(place)
            if limit is None or _kept(place.index) or _asked(access, place.index, place.row):
                continue
            fault = Fault.INCLUSIVE if limit.part.op == "le" else Fault.NEIGHBOUR
            why = "it is the pitch of a dimension"
            yield Overreach(access, fault, limit.guard, limit.part, place.row, limit.slack + 1, why)
            break


def clamped_neighbours(found: Places) -> Iterator[Overreach]:
    """The neighbour of a place that data choose along the slowest axis, where a clamp keeps the place itself inside,
    and clamps or tests of the same array keep the neighbours along another axis inside.

    ``x = min(x, w - 2), y = min(y, h - 1)`` before ``a[y * w + x + 1]`` and ``a[(y + 1) * w + x]``.  Neighbours of what
    is tested are looked at in :mod:`~kernlint.analysis.extent.let_past`.
    Excused: ``min(y, h - 1)`` before ``a[(y + 1) * w + x]`` alone: the array may have a row more.
    """
    before = {id(place.access.root) for places in found.values() for place in places if _reaches_back(place)}
    ends: dict[tuple[int, int], Access] = {}
    for access, places in found.items():
        for place in places[1:] if _of_data(places[0].index) else ():
            step, top = place.index.coefficients.get((), 0), place.limits[0] if place.limits else _clamp(place)
            if step > 0 and place.row is not None and top is not None and (top.size, top.slack) == (place.row, -1):
                ends.setdefault((id(access.root), step), access)
    for access, places in found.items() if ends else ():
        place = places[0]
        step, top = place.index.coefficients.get((), 0), None if place.limits else _clamp(place)
        support = ends.get((id(access.root), step))
        if support is None or top is None or len(places) < 2 or id(access.root) in before or not 0 <= top.slack < step:
            continue
        if _of_data(place.index) and not _asked(access, place.index, top.size):
            why = "neighbours along the rows are kept inside"
            yield Overreach(access, Fault.CLAMPED, top.guard, top.part, top.size, top.slack + 1, why, support)


def _clamp(place: Place) -> Limit | None:
    """How far a clamp lets a place get; None where there is none, or something else has a say."""
    guard = next(iter(place.access.guards), None)
    moving = [mono for mono in place.index.coefficients if mono]
    if (
        guard is None
        or place.extra
        or len(moving) != 1
        or len(moving[0]) != 1
        or place.index.coefficients[moving[0]] != 1
    ):
        return None
    ends = _clamps(moving[0][0])
    shift = number(place.index.coefficients.get((), 0))
    return Limit(ends[0] + shift, guard, guard.term) if len(ends) == 1 and ends[0].constant is None else None


def _clamps(term: Term) -> list[Polynomial]:
    """What a minimum of data and arguments holds a number down to, through conversions and what keeps it above 0."""
    term = plain(term)
    if term.op == "max":
        return [end for part in term.terms for end in _clamps(part)]
    fixed = [part for part in term.terms if chosen(part)] if term.op == "min" else []
    return [polynomial(part) for part in fixed] if len(fixed) == 1 else []


def repeated_tests(found: Places) -> Iterator[Overreach]:
    """``for (b = first; b < last; b += 64) if (b < last) use(x[b + thread]);``: the test asks again what the loop has
    asked, of the same number, and nothing asks for what the thread adds."""
    for access, places in found.items():
        rounds = [guard.term for guard in access.guards if guard.kind is GuardKind.LOOP]
        again = (guard for guard in access.guards if guard.kind is GuardKind.BRANCH) if rounds else ()
        for guard in again:
            asked = [part for part in conjuncts(guard.term) if part.op in ("lt", "le")]
            part = next((part for part in asked if any(part in conjuncts(term) for term in rounds)), None)
            added = None if part is None or len(asked) > 1 else places[-1].index - polynomial(part.args[0])
            kinds = set() if added is None else {s.kind for atom in added.atoms for s in symbols(atom)}
            if part is None or kinds != {SymbolKind.THREAD}:
                continue
            if not any(mentions(one.term, SymbolKind.THREAD) for one in access.guards):
                yield Overreach(access, Fault.REPEATED, guard, part, polynomial(part.args[1]), 0, "")


def _tightest(place: Place) -> Limit | None:
    """The test against the length of the row, where it lets the length or more through and no other test says less."""
    own = [limit for limit in place.limits if limit.size == place.row]
    others = [limit for limit in place.limits if limit.size != place.row and not _of_index(limit, place)]
    if not own or others or own[0].slack < 0 or own[0].slack > 2 or own[0].unit != 1:
        return None
    return own[0]


def _of_index(limit: Limit, place: Place) -> bool:
    """Whether what a test leaves open is itself part of the index that moves: it says nothing of the sum."""
    moving = {s for atom in place.index.atoms for s in symbols(atom) if s.kind in _DATA}
    return any(s in moving for atom in limit.size.atoms for s in symbols(atom))


def _of_data(index: Polynomial) -> bool:
    return any(s.kind in _DATA for atom in index.atoms for s in symbols(atom))


def _reaches_back(place: Place) -> bool:
    """Whether an index is moved back by a number: rows begin with room for neighbours, or have it tested otherwise."""
    return place.index.coefficients.get((), 0) < 0


def _kept(index: Polynomial) -> bool:
    """Whether a minimum, a remainder or a choice holds part of an index back, whatever the tests say."""
    moving = (atom for atom in index.atoms if any(one.kind is not SymbolKind.COUNTER for one in symbols(atom)))
    parts = (plain(part) for atom in moving for part in subterms(atom))  # digits of a loop's rounds hold nothing back
    return any(part.op in ("min", "max", "mod", "select", "and") for part in parts)


def _asked(access: Access, index: Polynomial, row: Polynomial) -> bool:
    """Whether an equality in a test asks for the last place or the one behind it."""
    ends = (row - index, index - row, row - number(1) - index, index - row + number(1))
    asked = (part for guard in access.guards for part in subterms(guard.term) if part.op in ("eq", "ne"))
    return any(polynomial(part.args[0]) - polynomial(part.args[1]) in ends for part in asked)
