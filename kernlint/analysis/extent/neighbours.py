"""Neighbours of one place that do not lie opposite one another, as one of them is read twice.

``a[i - 1] a[i + 1] a[i - w] a[i + w] a[i - p] a[i + w]``: the steps from a place come in pairs, forth and back, but for
one that has no other, and one that is there twice.  A single exception of six or more is a slip of who copied a line;
kernels that read neighbours again for something else have more than one of them twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.extent.places import moves
from kernlint.analysis.trace.events import Access, AccessKind
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, polynomial

LEAST = 6
"""Neighbours that are enough to see what is meant."""

PLAIN = 8
"""Neighbours of which one may be anywhere.  Fewer have to be read in pairs, as a derivative to one side takes one
neighbour alone."""

MOST = 64
"""Neighbours that are looked at."""


@dataclass(frozen=True, slots=True, eq=False)
class Twice:
    """``access`` reads the neighbour that ``first`` has read; none lies opposite the one that ``alone`` reads.
    ``count``: how many reads of neighbours there are."""

    access: Access
    first: Access
    alone: Access
    count: int


def neighbours(accesses: Sequence[Access]) -> Iterator[Twice]:
    """The places around which one neighbour is read twice and one is missing."""
    around: dict[tuple[int, Polynomial], list[tuple[Polynomial, Access]]] = {}
    for access in accesses:
        if access.kind is AccessKind.READ and access.size and access.root.decl is not None:
            place, step = _apart(polynomial(access.offset))
            if place.coefficients:
                around.setdefault((id(access.root), place), []).append((step, access))
    for group in around.values():
        if LEAST <= len(group) <= MOST:
            found = _odd(group)
            if found is not None:
                yield found


def _apart(offset: Polynomial) -> tuple[Polynomial, Polynomial]:
    """(what moves with threads and loops, the step from there)."""
    moving = {mono: factor for mono, factor in offset.coefficients.items() if any(moves(atom) for atom in mono)}
    place = Polynomial(moving)
    return place, offset - place


def _odd(group: Sequence[tuple[Polynomial, Access]]) -> Twice | None:
    steps: dict[Polynomial, list[Access]] = {}
    for step, access in group:
        if step.coefficients and all(access.span != other.span for other in steps.get(step, ())):
            steps.setdefault(step, []).append(access)
    count = sum(map(len, steps.values()))
    again = [reads for reads in steps.values() if len(reads) > 1]
    alone = [step for step in steps if _back(step) not in steps]
    if count < LEAST or len(again) != 1 or len(again[0]) != 2 or len(alone) != 1:
        return None
    ((first, access),) = again
    (single,) = steps[alone[0]]
    if abs(first.span.start - single.span.start) < abs(access.span.start - single.span.start):
        first, access = access, first  # the slip is the one beside what lacks its other
    if count < PLAIN and not _in_pairs(steps, single):
        return None
    return Twice(access, first, single, count)


def _in_pairs(steps: dict[Polynomial, list[Access]], single: Access) -> bool:
    """Whether neighbours are read two by two, each beside the one opposite, but for the pair of ``single``."""
    order = sorted(
        ((read.span.start, step, read) for step, reads in steps.items() for read in reads), key=lambda one: one[0]
    )
    pairs = list(zip(order[::2], order[1::2], strict=False))
    odd = [pair for pair in pairs if pair[0][1] != _back(pair[1][1])]
    return len(order) % 2 == 0 and len(odd) == 1 and any(read is single for _, _, read in odd[0])


def _back(step: Polynomial) -> Polynomial:
    return step.scaled(-1)
