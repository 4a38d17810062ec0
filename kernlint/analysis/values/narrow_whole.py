"""Cells of a grid of constant extents that are numbered in 32 bits, and are more.

``x + 2048 * (y + 2048 * z)`` with each coordinate kept below 2048 goes through all cells of a cube: rows lie as far
apart as they are long, so that the extents are no bounds that somebody was generous with, and there are 2**33 of them.
Rows may have a margin at both ends that no coordinate is in.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from kernlint.analysis.trace.events import Access
from kernlint.analysis.values.narrow_part import Narrow
from kernlint.analysis.values.narrow_products import Places
from kernlint.analysis.values.products import PLACE, bits
from kernlint.analysis.values.reach import Reach
from kernlint.symbolic.terms import Term
from kernlint.tree.types import IntType

BEYOND = 1 << 42
"""Cells that no memory holds, not even as bits."""

MOST = (1 << 31) - 16
"""Rows from here on are as many as there are numbers."""

AXES = 4
"""Axes of a grid, at most."""


def whole(places: Places, reach: Reach) -> Iterator[Narrow]:
    """The sums that number more cells than their type does."""
    seen: set[Term] = set()
    for access in places.accesses:
        for part in _sums(access.offset):
            kind = part.type
            if part.op not in ("add", "mul", "shl") or part in seen or not isinstance(kind, IntType) or kind.bits != 32:
                continue
            seen.add(part)
            last = _last(part, access, reach)
            if kind.high < last < BEYOND:
                yield Narrow(part, access.span, "whole", use=access, value=last)


def _sums(place: Term) -> Iterator[Term]:
    """The sums that a place is made of, or of which it has the word: what takes a remainder (a hash) may wrap."""
    todo = [place]
    while todo:
        at = todo.pop()
        yield at
        todo += at.terms if at.op in PLACE else at.args[:1] if at.op in ("shr", "div") else ()


def _last(part: Term, access: Access, reach: Reach) -> int:
    """The last of the cells that a sum of coordinates numbers, 0 where it is none or leaves some out: cells of rows as
    long as they lie apart, or rows of constant length that a test lets be so many."""
    steps: list[tuple[int, int, int]] = []
    within: list[tuple[int, Term]] = []
    todo = [(part, 1)]
    while todo and len(steps) + len(within) <= AXES:
        term, scale = todo.pop()
        kept = reach.kept(access, term)
        while kept is None and term.op == "cast":
            term = term.args[0]
            kept = reach.kept(access, term)
        if kept is not None:
            steps.append((scale, *kept))
        elif term.op == "add":
            todo += [(arg, scale) for arg in term.args]
        elif term.op == "mul" and any(arg.value is not None for arg in term.args):
            times, other = term.args if term.args[0].value is not None else term.args[::-1]
            todo.append((other, scale * (times.value or 0)))
        elif term.op == "shl" and term.args[1].value is not None and 0 <= term.args[1].value < bits(term):
            todo.append((term.args[0], scale << term.args[1].value))
        elif scale == 1:
            within.append((scale, term))
        else:
            return 0
    steps.sort()
    if todo or not steps:
        return 0
    length, _, last = steps[-1]
    if within or len(steps) < 2 or steps[0][0] != 1:
        inside = sum(scale * high for scale, _, high in steps[:-1])
        for _, term in within:
            low, high = reach.span(access, term)
            if low < 0:
                return 0
            inside += high
        return length * (last + 1) - 1 if length > 1 and inside < length and last + 1 < MOST else 0
    tight = all(after == scale * (low + high + 1) for (scale, low, high), (after, *_) in pairwise(steps))
    return sum(scale * high for scale, _, high in steps) if tight else 0
