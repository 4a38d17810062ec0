"""Slots that threads draw from a counter and use before they look whether there are so many, or although a test keeps
another store at the slot from it.

The number that an atomic operation gives is the place in a list of fixed length, or in a row of one: all else in the
index is a multiple of that length.  That the kernel tests the number against the length says that it may get so large.
Loops that go on while the number is below the length test it when its item has been read: ``item = queue[at]; while (at
< n) { ...; at = atomic_inc(head); item = queue[at]; }``.  So do kernels of which one thread draws for its block, into
a shared variable that holds nothing else.
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
from kernlint.tree.types import Space


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
        if slot is None or any(slot in symbols(g.term) for g in access.guards):
            continue
        shared = _of_block(slot)
        if not shared and not from_atomic(slot):
            continue
        tests = [test for test in conditions if slot in symbols(test.term)]
        if shared:
            tests = _of_shared(conditions, slot, access, others)
        elif access.kind is AccessKind.READ:
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


def _of_block(slot: Symbol) -> bool:
    """Whether a number is what a shared variable holds."""
    if slot.kind is not SymbolKind.LOAD or not isinstance(slot.origin, tuple):
        return False
    root, offset = slot.origin
    return root.space is Space.SHARED and root.extent == root.element.size and offset.value == 0


def _of_shared(
    conditions: Sequence[ConditionEvent], slot: Symbol, access: Access, others: Sequence[Access]
) -> list[ConditionEvent]:
    """The first test of what a shared variable holds, after a number has been drawn into it and used: further down, or
    in the next round of a loop."""
    root = slot.origin[0]
    draws = [one for one in others if one.root is root and one.writes]
    values = [plain(one.value).symbol if one.kind is AccessKind.WRITE and one.value else None for one in draws]
    if not all(value is not None and from_atomic(value) for value in values):
        return []
    before = [one for one in draws if one.order < access.order]
    tests = [test for test in conditions if any(_of_block(s) and s.origin[0] is root for s in symbols(test.term))]
    if not before or any(before[-1].order < test.order < access.order for test in tests):
        return []
    ends = [test for test in tests if any(_ends(test, guard) for other in others for guard in other.guards)]
    later = [test for test in ends if test.order > access.order]
    if before[-1] is draws[-1]:  # it is tested in the next round
        rounds = [loop for loop in access.loops if loop in before[-1].loops and loop.span.file == access.span.file]
        later += [test for test in ends if any(loop.span.start <= test.span.start < loop.span.end for loop in rounds)]
    elif later and any(access.order < one.order < later[0].order for one in draws):
        return []
    return [
        replace(test, term=substitute(test.term, {s: slot.term for s in symbols(test.term) if s.origin == slot.origin}))
        for test in later[:1]
    ]


def _ends(test: ConditionEvent, guard: Guard) -> bool:
    """Whether a guard is that threads have not left for what a test says: it does not only choose what is done."""
    return guard.span == test.span and guard.kind in (GuardKind.LOOP, GuardKind.EXIT, GuardKind.SKIP)


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
