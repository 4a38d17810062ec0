"""Coordinates that are tested against a limit which the host makes of the size of another axis.

``if (y >= v.z_end) return;`` before ``a[(z * v.ny + y) * v.nx + x]`` of a launch that passes ``nz - 1`` for ``z_end``:
y stands in rows of ``ny``, which nothing ties to ``nz``, and rows of that length stand in the same index, or columns of
them, where z does.  Cases of a switch are looked at one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.asking import Past
from kernlint.analysis.extent.places import Place, Places, chosen, moves, places_of
from kernlint.analysis.extent.wrong_guards.faults import Fault, Overreach, in_host_terms
from kernlint.analysis.launching.launch_context import LaunchContext, LaunchView
from kernlint.analysis.trace.events import Access, ConditionEvent, Guard
from kernlint.record import replace
from kernlint.symbolic.polynomial import Polynomial, term_of
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, negate, symbols, with_parts

BY_HOST = "the index is made of rows of that length, and the launch makes the limit of the length of others"
"""Why a limit is that of another axis."""

CASES = 8
"""Cases that are told apart."""

VIEWS = 4
"""Launches that are looked at."""


def other_limits(
    found: Places, conditions: Sequence[ConditionEvent], context: LaunchContext, reached: Callable[[Past], bool]
) -> Iterator[Overreach]:
    """Accesses at such coordinates, under all launches in sight.

    Excused: another test of the length of the row, and checks of the host that speak of both sizes.  Still bad: a
    margin, ``nz - 1``, that the limit keeps from its own end.
    """
    if not 0 < len(context.launches) <= VIEWS:
        return
    for access, places in found.items():
        rows = {place.pitch: place.row for place in places if place.row is not None}
        cases = (places, *(places_of(one) for one in _cases(access)))
        for place in (one for mine in cases if len(rows) > 1 for one in mine):
            fault = _fault(place, rows, context, reached)
            if fault is not None:
                test = next((one for one in conditions if fault.part in (one.term, negate(one.term))), None)
                guard = fault.guard if test is None else replace(fault.guard, span=test.span)
                yield replace(fault, access=access, guard=guard)
                break


def _fault(
    place: Place, rows: dict[Polynomial, Polynomial], context: LaunchContext, reached: Callable[[Past], bool]
) -> Overreach | None:
    """What is wrong with a place, maybe of a case, of an access in ``rows`` by their pitch."""
    row, access = rows.get(place.pitch), place.access
    if row is None or len(place.limits) != 1 or place.extra or not any(map(moves, place.index.atoms)):
        return None
    limit = place.limits[0]
    if (
        limit.unit != 1
        or limit.slack > 0
        or limit.part.op not in ("lt", "le")
        or not all(map(chosen, limit.size.atoms))
    ):
        return None
    mine = {symbol for atom in row.atoms for symbol in symbols(atom)}
    parts = (part for guard in access.guards for part in conjuncts(guard.term))
    if any(part != limit.part and mine & set(symbols(part)) for part in parts):
        return None
    others = [one for pitch, one in rows.items() if pitch != place.pitch]
    if not all(_of_another(view, row, limit.size, others) for view in context.launches):
        return None
    if not reached(Past(access, term_of(place.index), term_of(row))):
        return None
    return Overreach(access, Fault.FOREIGN, limit.guard, limit.part, row, 0, BY_HOST)


def _of_another(view: LaunchView, row: Polynomial, limit: Polynomial, others: list[Polynomial]) -> bool:
    """Whether a launch makes a limit of the length of ``others`` among the rows, which has nothing to do with that of
    this ``row``."""
    images = dict(view.images)
    mine, tested = _variable(in_host_terms(row, images)), _variable(in_host_terms(limit, images), margin=True)
    if mine is None or tested is None or mine is tested:
        return False
    if not any(_variable(in_host_terms(other, images)) is tested for other in others):
        return False
    return not any(mine in symbols(check) and tested in symbols(check) for check in view.checks)


def _variable(size: Polynomial, margin: bool = False) -> Symbol | None:
    """The host's variable that a size is; ``margin``: or is that less a number."""
    moving = {mono: times for mono, times in size.coefficients.items() if mono}
    if len(moving) != 1 or (size.coefficients.get((), 0) and not margin) or size.coefficients.get((), 0) > 0:
        return None
    ((mono, times),) = moving.items()
    symbol = mono[0].symbol if len(mono) == 1 and times == 1 else None
    return symbol if symbol is not None and symbol.kind in (SymbolKind.PARAM, SymbolKind.LOAD) else None


def _cases(access: Access) -> Iterator[Access]:
    """An access in each case of a choice that its guards leave: ``case 2: y = i; if (y >= n) return; break;``."""
    for at, guard in enumerate(access.guards):
        cases = list(_alternatives(guard.term))
        for case in cases if 1 < len(cases) <= CASES else ():
            held = set(conjuncts(case))
            guards = tuple(Guard(part, guard.kind, guard.span, guard.loop) for part in conjuncts(case))
            rest = (*access.guards[:at], *guards, *access.guards[at + 1 :])
            yield replace(access, offset=_settled(access.offset, held), guards=rest)


def _alternatives(term: Term) -> Iterator[Term]:
    if term.op == "lor":
        for part in term.args:
            yield from _alternatives(part)
    else:
        yield term


def _settled(term: Term, held: set[Term]) -> Term:
    """``term`` where the choices are made that what is ``held`` decides."""
    if term.op == "select":
        parts = conjuncts(term.args[0])
        if all(part in held for part in parts):
            return _settled(term.args[1], held)
        if any(negate(part) in held or _apart(part, held) for part in parts):
            return _settled(term.args[2], held)
    return with_parts(term, [_settled(part, held) for part in term.terms]) if term.terms else term


def _apart(part: Term, held: set[Term]) -> bool:
    """Whether a truth is that something equals another number than it does."""
    if part.op != "eq" or part.args[1].value is None:
        return False
    same = [one.args[1].value for one in held if one.op == "eq" and one.args[0] == part.args[0]]
    return any(value is not None and value != part.args[1].value for value in same)
