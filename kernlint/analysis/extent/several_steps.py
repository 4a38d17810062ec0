"""Rounds that store as many elements as data say, and are tested once.

``while (n < 64) { for (j = 0; j < count[k]; ++j) list[n++] = ...; }``: the outer test holds when a round begins, and in
the round nothing looks where the end of the array is.  That the outer loop ends there says that data may fill it.  So
does a test of the place before a loop of constant length: ``if (top < 64) for (k = 0; k < 8; ++k) stack[top++] = k;``.
"""

from __future__ import annotations

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.limits import counter_ranges
from kernlint.analysis.extent.truths import slack_of
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Guard, GuardKind, RootKind
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, symbols
from kernlint.tree.types import Space


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """A store that goes on past the end of its array in a round that ``guard`` has let begin."""

    access: Access
    guard: Guard


def _place(access: Access) -> tuple[Symbol, Symbol, int] | None:
    """(place at which a round begins, counter of the steps in it, a number of elements) of an index that is their
    sum."""
    form = dict(polynomial(access.offset).coefficients)
    beside = form.pop((), 0)
    found = [(mono[0].symbol, value) for mono, value in form.items() if len(mono) == 1]
    if len(form) != 2 or len(found) != 2 or len({value for _, value in found}) != 1 or found[0][1] != access.size:
        return None
    first = next((s for s, _ in found if s is not None and s.kind is SymbolKind.PHI), None)
    step = next((s for s, _ in found if s is not None and s.kind is SymbolKind.COUNTER), None)
    if first is None or step is None or not access.size or beside % access.size:
        return None
    return first, step, beside // access.size


def _past(access: Access) -> Guard | None:
    """The test of a round that does not keep all of its stores inside."""
    place = _place(access)
    extent = access.root.extent
    if place is None or not extent or not access.size or len(access.loops) < 2:
        return None
    first, step, beside = place
    inner, outer = access.loops[-1], access.loops[-2]
    if inner.counter is not step or first.origin is not outer or inner.exits or inner.leaves:
        return None
    began: Guard | None = None
    rounds = counter_ranges(access).get(step, (0, 0))[1] + 1
    whole = extent // access.size % rounds == 0 and beside % rounds == 0  # as many at once as fit so many times
    several = rounds > 1 and not whole and any(guard.kind in _TESTS for guard in access.guards)
    for guard in access.guards:
        spoken = {first, step} & set(symbols(guard.term))
        if not spoken:
            continue
        if guard.kind is not GuardKind.LOOP and (step in spoken or guard.kind not in _TESTS):
            return None
        for part in conjuncts(guard.term):
            slack = slack_of(part)
            if slack is None or slack[1] != 1:
                if guard.loop is outer and part.op in ("lt", "le") and slack is not None and _below(slack[0], first):
                    continue  # the walk goes on while there is something
                return None
            left = slack[0]
            if first in symbols(part):
                per = -left.coefficients.get((first.term,), 0)
                most = left.coefficients.get((), 0) + beside * max(per, 1)
                if per < 0 and guard.loop is outer and _below(left, first):
                    continue
                if step in symbols(part) or per not in (1, access.size) or len(left.coefficients) != 2:
                    return None
                if most * (access.size // per) != extent:
                    return None
                began = guard
            elif step in symbols(part):
                rest = [s for s in symbols(part) if s is not step]
                if left.coefficients.get((step.term,), 0) != -1 or not (rest or rounds > 1):
                    return None
                several = several or (
                    bool(rest) and all(s.kind is SymbolKind.LOAD for s in rest) and len(left.coefficients) == 2
                )
    return began if several else None


_TESTS = frozenset({GuardKind.BRANCH, GuardKind.SKIP})


def _below(left: Polynomial, first: Symbol) -> bool:
    """Whether a truth keeps a place from being small."""
    return left.coefficients.get((first.term,), 0) > 0


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
