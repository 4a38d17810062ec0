"""Values that are looked for window by window, and lie behind the window.

A loop that moves its base on by the length of an array goes through values in windows of that length: there are values
for the windows to come.  A value less the base is then kept inside by a test of both ends; one of the lower end alone
lets all later values through::

    for (int base = 0; !done; base += 64)
        for (...) {
            int c = colour[k] - base;
            if (c >= 0) taken[c] = true;
        }
"""

from __future__ import annotations

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.pushed import element_of
from kernlint.analysis.extent.truths import slack_of
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Guard, RootKind
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, number
from kernlint.symbolic.terms import Symbol, SymbolKind, plain, symbols


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """An ``access`` whose index only ``guard`` tests, from below, in windows of ``length``."""

    access: Access
    guard: Guard
    length: int


def _of(access: Access) -> Window | None:
    place = element_of(access)
    room = (access.root.extent or 0) // (access.size or 1)
    if place is None or room < 2 or len(place.coefficients.keys() - {()}) != 2:
        return None
    value, base = _alone(place, 1), _alone(place, -room)
    if value is None or value.kind is not SymbolKind.LOAD or base is None or base.kind is not SymbolKind.COUNTER:
        return None
    below: Guard | None = None
    for guard in access.guards:
        for part in conjuncts(guard.term):
            if not any(symbol is value or symbol.origin == value.origin for symbol in symbols(part)):
                continue
            slack = slack_of(part)
            if slack is None or slack[0] - number(slack[1]) != place:
                return None  # something else is asked of the value
            below = guard
    return Window(access, below, room) if below is not None else None


def _alone(place: Polynomial, times: int) -> Symbol | None:
    """The symbol that stands in an index by itself, so many times."""
    found = [mono for mono, n in place.coefficients.items() if len(mono) == 1 and n == times]
    return plain(found[0][0]).symbol if len(found) == 1 else None


def _compute(facts: Facts) -> tuple[Window, ...]:
    of = facts[trace]
    found: dict[int, Window] = {}
    for access in of.accesses:
        root = access.root
        if access.loops and root.kind is RootKind.VARIABLE and root.extent and id(root) not in found:
            one = _of(access)
            if one is not None:
                found[id(root)] = one
    return tuple(found.values())


moved_windows = KernelAnalysis("moved_windows", _compute, needs=(trace,))
"""A :class:`Window` for each array of a kernel variant that has one."""
