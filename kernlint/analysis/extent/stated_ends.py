"""Launches with the smallest and the largest sizes that checks of the host state.

``if (bands < 0 || bands > 16) return`` says that a launch with 0 bands is meant to work, and one with 16.  What goes
with such a size in other arguments callers know: a fault counts only where it shows whatever the others are.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TypeVar

from kernlint.analysis.extent.tried import chosen_symbols, settings_of
from kernlint.analysis.launching.launch_context import LaunchView
from kernlint.analysis.trace.events import Access
from kernlint.symbolic.narrowing import narrowed
from kernlint.symbolic.terms import Symbol
from kernlint.tree.types import IntType

T = TypeVar("T")

LARGEST = 1 << 14
"""From here on an end is no size that is tried."""

SIZES = 4
"""Sizes of one launch, at most, of which the ends are tried."""

OTHERS = ((1,) * 8, (2, 3, 5, 4, 3, 2, 4, 5), (333, 45, 27, 21, 13, 9, 39, 51))
"""Values of the other variables, in order of appearance."""


def ends_of(view: LaunchView) -> Iterator[tuple[Symbol, int]]:
    """The ends that checks before a launch state of its sizes."""
    ranges = narrowed(view.checks, {})
    for symbol in chosen_symbols(view)[:SIZES] if ranges is not None else ():
        if ranges is None or not isinstance(symbol.type, IntType):
            continue
        low, high = ranges.of(symbol.term)
        least, most = symbol.type.low, symbol.type.high
        if max(least, symbol.low if symbol.low is not None else least) < low < LARGEST and low >= 0:
            yield symbol, low
        if low < high < min(most, LARGEST):
            yield symbol, high


def at_ends(
    view: LaunchView,
    unit: int,
    tried: Callable[[Mapping[Symbol, int], Collection[Access] | None], Mapping[Access, T]],
) -> Iterator[tuple[Access, T]]:
    """What is ``tried`` of a launch with a size at an end, for the accesses of which it shows with all other values."""
    for symbol, end in ends_of(view):
        if end % unit:
            continue
        found: dict[Access, T] | None = None
        settings = settings_of(view, unit, OTHERS, given={symbol: end})
        for env in settings:
            shown = tried(env, found)
            found = {access: one for access, one in (found or shown).items() if access in shown}
            if not found:
                break
        yield from (found or {}).items()
