"""Grids that are made for columns along x and rows along y, of kernels that take rows along x and columns along y.

Both halves are the program's own: what the host rounds up along each axis, and what the kernel tests its indices along
them against.  Where the one is the other's exchanged, some elements get no thread unless both extents are the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.analysis.coverage import Cover, conjuncts
from kernlint.analysis.launching.launch_context import LaunchView
from kernlint.analysis.trace.events import Access
from kernlint.source import Span
from kernlint.symbolic.polynomial import Polynomial, polynomial
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import BLOCK, BLOCK_DIM, THREAD, substitute
from kernlint.tree.types import Space


def crossed(view: LaunchView, accesses: Sequence[Access]) -> tuple[str, str, Span, Span] | None:
    """(count along x, count along y, tests) of a launch whose kernel tests its index along x against what the grid is
    rounded up from along y, and the other way round; sizes may be a few elements off, as within a border."""
    covers = [one for one in view.covers[:2] if one.kind is Cover.ROUNDED_UP and one.count is not None]
    counts = [polynomial(one.count) for one in covers if one.count is not None]
    if len(counts) < 2 or _alike(*counts):
        return None
    images, tests = dict(view.images), dict[int, Span]()
    for access in accesses:
        for guard in access.guards if access.writes and access.root.space is Space.GLOBAL else ():
            for part in conjuncts(guard.term):
                axes = [at for at in (0, 1) if part.op == "lt" and polynomial(part.args[0]) == _PLACES[at]]
                for axis in axes:
                    if not _alike(polynomial(substitute(part.args[1], images)), counts[1 - axis]):
                        return None
                    tests.setdefault(axis, guard.span)
    if len(tests) < 2:
        return None
    x, y = (words(one.count) for one in covers if one.count is not None)
    return x, y, tests[0], tests[1]


def _alike(one: Polynomial, other: Polynomial) -> bool:
    """Whether two sizes differ by no more than a number."""
    return set((one - other).coefficients) <= {()}


_PLACES = tuple(
    polynomial(BLOCK[axis].term) * polynomial(BLOCK_DIM[axis].term) + polynomial(THREAD[axis].term) for axis in (0, 1)
)
