"""Slots that threads draw from a counter and use before they look whether there are so many, or although a test keeps
another store at the slot from it.

The number that an atomic operation gives is the place in a list of fixed length, or in a row of one: all else in the
index is a multiple of that length.  That the kernel tests the number against the length says that it may get so large.
Loops that go on while the number is below the length test it when its item has been read: ``item = queue[at]; while (at
< n) { ...; at = atomic_inc(head); item = queue[at]; }``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.extent.limits import Limit, elements
from kernlint.analysis.extent.places import Place, chosen
from kernlint.analysis.extent.truths import slack_of
from kernlint.analysis.trace.events import (
    Access,
    AccessKind,
    ConditionEvent,
    Guard,
    GuardKind,
    LoopContext,
)
from kernlint.record import replace
from kernlint.symbolic.polynomial import Polynomial, number, polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, Uniformity, negate, plain, substitute, symbols
from kernlint.tree.nodes import Atomic


def drawn(
    access: Access, conditions: Sequence[ConditionEvent], others: Sequence[Access]
) -> Iterator[tuple[Polynomial, Place, Limit]]:
    """(length, the slot as the place of an access, the test that comes too late or stands before ``others`` alone) of a
    store at a drawn slot, or of a read that the test of a loop comes after."""
    found = elements(access)
    if found is None or access.kind is AccessKind.ATOMIC or found[1]:
        return
    form = found[0].coefficients
    for slot in (atom.symbol for mono, times in form.items() if times == 1 and len(mono) == 1 for atom in mono):
        if slot is None or not from_atomic(slot) or any(slot in symbols(g.term) for g in access.guards):
            continue
        tests = [test for test in conditions if slot in symbols(test.term)]
        if access.kind is AccessKind.READ:
            tests = [] if tests else _of_loops(conditions, slot, access)
        elif tests and min(test.order for test in tests) < access.order:
            tests = [test for test in tests if any(_keeps(test, one, slot) for one in others)]
        for test in tests:
            length = _length(test.term, slot)
            if length is None or not _rows_of(form, slot, length):
                continue
            guard = Guard(test.term, GuardKind.BRANCH, test.span)
            # What other threads have drawn before is out of sight: any number.
            any_ = Symbol(SymbolKind.PARAM, slot.name, slot.type, low=0, uniformity=Uniformity.GRID)
            place = Place(access, polynomial(any_.term), number(1), None, (), 0)
            yield length, place, Limit(length - number(1), guard, test.term)
            return


def _of_loops(conditions: Sequence[ConditionEvent], slot: Symbol, access: Access) -> list[ConditionEvent]:
    """The conditions of loops that speak of a slot in their next round, or their first, once it has been used."""
    found = []
    for test in conditions:
        for phi in symbols(test.term):
            first, next_ = (end is not None and plain(end).symbol is slot for end in (phi.init, phi.step))
            inside = isinstance(phi.origin, LoopContext) and phi.origin in access.loops
            if (first and test.order > access.order) or (next_ and inside):
                found.append(replace(test, term=substitute(test.term, {phi: slot.term})))
    return found


def _keeps(test: ConditionEvent, other: Access, slot: Symbol) -> bool:
    """Whether a store at a slot is made under a test of it."""
    return (
        other.kind is AccessKind.WRITE
        and slot in symbols(other.offset)
        and any(slot in symbols(guard.term) and guard.span == test.span for guard in other.guards)
    )


def from_atomic(slot: Symbol) -> bool:
    """Whether a value is what counting up by an atomic operation has given."""
    return slot.kind is SymbolKind.UNKNOWN and isinstance(slot.origin, Atomic) and slot.origin.op == "add"


def _length(test: Term, slot: Symbol) -> Polynomial | None:
    """The length that a test, or its contrary, keeps a slot below."""
    for truth in (test, negate(test)):
        slack = slack_of(truth)
        if slack is not None:
            length = slack[0] - number(slack[1]) + polynomial(slot.term) + number(1)
            if not any(slot in symbols(atom) for atom in length.atoms) and all(map(chosen, length.atoms)):
                return length
    return None


def _rows_of(form: dict[tuple[Term, ...], int], slot: Symbol, length: Polynomial) -> bool:
    """Whether all of an index but the slot is a multiple of the length."""
    rest = {mono: times for mono, times in form.items() if mono != (slot.term,)}
    if length.constant is not None:
        return length.constant > 1 and all(times % length.constant == 0 for times in rest.values())
    (mono, *more) = length.coefficients
    if more or length.coefficients[mono] != 1:
        return False
    return all(all(atom in other for atom in mono) for other in rest)
