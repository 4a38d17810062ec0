"""Tests of the index in the grid that no thread of the launches in sight fails.

A host that divides the number of items by the size of the block, and rounds nothing up, has no thread more than there
are items: it means the number to be a multiple, or leaves the rest out.  ``if (i < n)`` is a habit then.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.analysis.coverage import Cover
from kernlint.analysis.launching.launch_context import LaunchView
from kernlint.symbolic.polynomial import Polynomial, number, polynomial, term_of
from kernlint.symbolic.terms import BLOCK, BLOCK_DIM, THREAD, Term, substitute


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
