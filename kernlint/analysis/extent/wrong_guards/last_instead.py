"""Tests that let the size through, and take the last element where they do not: ``i > n ? a[n - 1] : a[i]``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.limits import elements
from kernlint.analysis.extent.truths import add_up
from kernlint.analysis.extent.wrong_guards.faults import Fault, Overreach, moves
from kernlint.analysis.trace.events import Access, Guard, Root
from kernlint.symbolic.polynomial import Polynomial, number, polynomial
from kernlint.symbolic.terms import Term

WHY = "its last element is taken instead where the test fails"


def last_instead(accesses: Sequence[Access]) -> Iterator[Overreach]:
    """Accesses at an index that a test lets be the size of the array, whose last element is read on the other side of
    the test: that is how long the array is.

    Excused: another test that keeps the index below the size.  Still bad: ``i + 32 > n ? a[n - 1] : a[i + 32]``.
    """
    ends: dict[tuple[Root, Polynomial], list[Access]] = {}
    for access in accesses:
        found = elements(access)
        fixed = found is not None and not found[1] and not any(moves(atom) for atom in found[0].atoms)
        if fixed and found is not None and found[0].coefficients.get((), 0) == -1:
            ends.setdefault((access.root, found[0] + number(1)), []).append(access)
    for access in accesses if ends else ():
        found = elements(access)
        for guard, part in _inclusive(access) if found is not None and not found[1] else ():
            assert found is not None
            size = polynomial(part.args[1])
            if polynomial(part.args[0]) != found[0] or _below(access, found[0], size):
                continue
            support = next((one for one in ends.get((access.root, size), ()) if _otherwise(one, guard, part)), None)
            if support is not None:
                yield Overreach(access, Fault.INCLUSIVE, guard, part, size, 1, WHY, support)
                break


def _below(access: Access, index: Polynomial, size: Polynomial) -> bool:
    """Whether tests of an access keep an index below a size."""
    for guard in access.guards:
        for part in conjuncts(guard.term):
            if part.op in ("lt", "le"):
                least, most = polynomial(part.args[0]) - index, polynomial(part.args[1]) - size
                room = (most - least).constant
                if room is not None and room - (part.op == "lt") < 0 and least.constant is not None:
                    return True
    return add_up(access.guards, size - index - number(1))


def _inclusive(access: Access) -> Iterator[tuple[Guard, Term]]:
    for guard in access.guards:
        for part in conjuncts(guard.term):
            if part.op == "le" and moves(part.args[0]) and not moves(part.args[1]):
                yield guard, part


def _otherwise(access: Access, guard: Guard, part: Term) -> bool:
    """Whether an access stands where just this test fails."""
    return any(
        one.span == guard.span and other.op == "lt" and other.args == part.args[::-1]
        for one in access.guards
        for other in conjuncts(one.term)
    )
