"""Tests of the index in the grid that no thread of the launches in sight fails.

A host that divides the number of items by the size of the block, and rounds nothing up, has no thread more than there
are items: it means the number to be a multiple, or leaves the rest out.  ``if (i < n)`` is a habit then.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.analysis.coverage import Cover, conjuncts
from kernlint.analysis.launching.launch_context import LaunchView
from kernlint.symbolic.polynomial import Polynomial, number, polynomial, term_of
from kernlint.symbolic.terms import BLOCK, BLOCK_DIM, THREAD, Term, substitute, symbols


def whole_blocks(test: Term, of: tuple[int, bool], views: Sequence[LaunchView]) -> bool:
    """Whether every launch in sight has no thread for which ``test`` is what it is not for small indices; ``of``: the
    axis whose index is tested, and whether the test is true of small ones (see ``size_test``)."""
    axis, small = of
    return bool(views) and all(_filled(_size(test, axis, small), axis, view) for view in views)


def _size(test: Term, axis: int, small: bool) -> Polynomial:
    """The size below which the index has to be for the test to be what it is for small ones."""
    index = (polynomial(BLOCK[axis].term) * polynomial(BLOCK_DIM[axis].term)) + polynomial(THREAD[axis].term)
    apart = polynomial(test.args[1]) - polynomial(test.args[0])
    if small:
        return apart + index + number(int(test.op == "le"))
    return index - apart + number(int(test.op == "lt"))


def _filled(size: Polynomial, axis: int, view: LaunchView) -> bool:
    cover, block = view.covers[axis], view.fact.block
    if cover.kind is not Cover.EXACT or cover.count is None or cover.unit is None or block is None:
        return False
    given = polynomial(substitute(term_of(size), dict(view.images)))
    return polynomial(cover.count) == given and polynomial(cover.unit) == polynomial(block[axis])


def partly_filled(test: Term, views: Sequence[LaunchView]) -> bool:
    """Whether a launch in sight rounds its grid up from the very number that ``test`` holds against the number of an
    item, of which each block has as many as the grid is divided by: in its last block some threads have one, and the
    others have none."""
    return any(_surplus(part, axis, view) for part in conjuncts(test) for axis in range(3) for view in views)


def _surplus(part: Term, axis: int, view: LaunchView) -> bool:
    cover, block = view.covers[axis], BLOCK[axis].term
    if cover.kind is not Cover.ROUNDED_UP or cover.count is None or cover.unit is None or part.op not in ("lt", "le"):
        return False
    apart = polynomial(part.args[1]) - polynomial(part.args[0]) + number(int(part.op == "le"))
    moved = {mono: value for mono, value in apart.coefficients.items() if block in mono}
    unit = Polynomial({tuple(atom for atom in mono if atom is not block): -value for mono, value in moved.items()})
    own = {m for m in apart.coefficients if any(s in THREAD for atom in m for s in symbols(atom))}
    count = Polynomial({m: v for m, v in apart.coefficients.items() if m not in moved and m not in own})
    if not own or not moved:
        return False
    images = dict(view.images)
    theirs = (polynomial(substitute(term_of(one), images)) for one in (unit, count))
    return all(one == polynomial(other) for one, other in zip(theirs, (cover.unit, cover.count), strict=True))
