"""Rounds that store as many elements as data say, and are tested once.

``while (n < 64) { for (j = 0; j < count[k]; ++j) list[n++] = ...; }``: the outer test holds when a round begins, and in
the round nothing looks where the end of the array is.  That the outer loop ends there says that data may fill it.
"""

from __future__ import annotations

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.truths import slack_of
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Guard, GuardKind, RootKind
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, symbols
from kernlint.tree.types import Space


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """A store that goes on past the end of its array in a round that ``guard`` has let begin."""

    access: Access
    guard: Guard


def _place(access: Access) -> tuple[Symbol, Symbol] | None:
    """(place at which a round begins, counter of the steps in it) of an index that is their sum."""
    form = polynomial(access.offset).coefficients
    found = [(mono[0].symbol, value) for mono, value in form.items() if len(mono) == 1]
    if len(form) != 2 or len(found) != 2 or len({value for _, value in found}) != 1 or found[0][1] != access.size:
        return None
    first = next((s for s, _ in found if s is not None and s.kind is SymbolKind.PHI), None)
    step = next((s for s, _ in found if s is not None and s.kind is SymbolKind.COUNTER), None)
    return None if first is None or step is None else (first, step)


def _past(access: Access) -> Guard | None:
    """The test of a round that does not keep all of its stores inside."""
    place = _place(access)
    extent = access.root.extent
    if place is None or not extent or not access.size or len(access.loops) < 2:
        return None
    first, step = place
    inner, outer = access.loops[-1], access.loops[-2]
    if inner.counter is not step or first.origin is not outer or inner.exits or inner.leaves:
        return None
    began: Guard | None = None
    by_data = False
    for guard in access.guards:
        spoken = {first, step} & set(symbols(guard.term))
        if not spoken:
            continue
        if guard.kind is not GuardKind.LOOP:
            return None
        for part in conjuncts(guard.term):
            slack = slack_of(part)
            if slack is None or slack[1] != 1:
                return None
            left = slack[0]
            if first in symbols(part):
                per = -left.coefficients.get((first.term,), 0)
                most = left.coefficients.get((), 0)
                if step in symbols(part) or per not in (1, access.size) or len(left.coefficients) != 2:
                    return None
                if most * (access.size // per) != extent:
                    return None
                began = guard
            elif step in symbols(part):
                rest = [s for s in symbols(part) if s is not step]
                if left.coefficients.get((step.term,), 0) != -1 or not rest:
                    return None
                by_data = all(s.kind is SymbolKind.LOAD for s in rest) and len(left.coefficients) == 2
    return began if by_data else None


def _compute(facts: Facts) -> tuple[Steps, ...]:
    found: list[Steps] = []
    for access in facts[trace].accesses:
        root = access.root
        if access.writes and root.kind is RootKind.VARIABLE and root.space in (Space.PRIVATE, Space.SHARED):
            guard = _past(access)
            if guard is not None and all(one.access.root is not root for one in found):
                found.append(Steps(access, guard))
    return tuple(found)


several_steps = KernelAnalysis("several_steps", _compute, needs=(trace,))
"""Each :class:`Steps` of a kernel variant, an array once."""
