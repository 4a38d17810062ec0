"""Dynamic shared memory of a number of bytes, left whatever the sizes of a launch are.

``line[k]`` for ``k < 256 + taps - 1`` is beyond 256 elements for two taps as for sixty-four.  Where small sizes fit,
the number may be made for the largest that there are, which callers know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from kernlint.analysis.accesses.pairs import side
from kernlint.analysis.extent.tried import launch_with, settings_of
from kernlint.analysis.launching.launch_context import LaunchView
from kernlint.analysis.trace.events import Access
from kernlint.prove.query import Launch
from kernlint.record import replace
from kernlint.symbolic.terms import Symbol, SymbolKind, symbols

SIZES = (2, 3, 64)
"""What all sizes that the host leaves open are tried as."""

Found = TypeVar("Found")


def placing(access: Access) -> Iterator[Symbol]:
    """The symbols that say where in a block's memory an access is: a test of the number of a thread in the grid does
    not, as some blocks pass it whole."""
    asked = side(access)
    for term in (asked.offset, *asked.facts):
        if term is asked.offset or not any(symbol.kind is SymbolKind.BLOCK for symbol in symbols(term)):
            yield from symbols(term)


def whatever_sizes(view: LaunchView, access: Access, beyond: Callable[[Launch], Found | None]) -> Found | None:
    """What ``beyond`` says of a launch of one block for the smallest sizes under which the host's checks hold, if it
    says something of them and of larger ones; None for a place that rests on no size."""
    if not {symbol for symbol, term in view.images if term.value is None} & set(placing(access)):
        return None
    found: list[Found] = []
    for size in SIZES:
        env = next(settings_of(view, tried=((size,) * 16,)), None)
        launch = launch_with(view, env) if env is not None else None
        one = beyond(replace(launch, grid=(1, 1, 1))) if launch is not None else None
        if launch is not None and one is None:
            return None
        found += [one] if one is not None else []
    return found[0] if len(found) > 1 else None
