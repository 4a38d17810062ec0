"""Slots that threads draw from a counter and store at before they look whether there are so many, or although a test
keeps another store at the slot from it.

The number that an atomic operation gives is the place in a list of fixed length, or in a row of one: all else in the
index is a multiple of that length.  That the kernel tests the number against the length says that it may get so large;
so does a clamp of the counter to the length of an array, where what has been stored is used later
(``min(count, 1024)``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.extent.limits import Limit, elements
from kernlint.analysis.extent.places import Place, chosen
from kernlint.analysis.extent.truths import slack_of
from kernlint.analysis.launching.launch_context import launch_context
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import (
    Access,
    AccessKind,
    ConditionEvent,
    Guard,
    GuardKind,
    LoopContext,
    RootKind,
    Trace,
)
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, number, polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, Uniformity, negate, plain, subterms, symbols
from kernlint.tree.nodes import Atomic
from kernlint.tree.types import Space


def drawn(
    access: Access, conditions: Sequence[ConditionEvent], others: Sequence[Access]
) -> Iterator[tuple[Polynomial, Place, Limit]]:
    """(length, the slot as the place of an access, the test that comes too late or stands before ``others`` alone) of a
    store at a drawn slot."""
    found = elements(access)
    if found is None or access.kind is not AccessKind.WRITE or found[1]:
        return
    form = found[0].coefficients
    for slot in (atom.symbol for mono, times in form.items() if times == 1 and len(mono) == 1 for atom in mono):
        if slot is None or not _from_atomic(slot) or any(slot in symbols(g.term) for g in access.guards):
            continue
        tests = [test for test in conditions if slot in symbols(test.term)]
        if tests and min(test.order for test in tests) < access.order:
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


def of_clamped_counter(access: Access, of: Trace) -> Guard | None:
    """The clamp of the counter that the slot of a store is drawn from, to the length of its array, which no test keeps
    the store inside."""
    found = elements(access)
    length = (access.root.extent or 0) // (access.root.element.size or 1)
    if found is None or access.kind is not AccessKind.WRITE or access.root.kind is not RootKind.VARIABLE:
        return None
    for slot in (atom.symbol for mono in found[0].coefficients if len(mono) == 1 for atom in mono):
        if slot is None or not _from_atomic(slot) or found[0] != polynomial(slot.term) or length < 2:
            continue
        if any(slot in symbols(term) for term in (*(g.term for g in access.guards), *(c.term for c in of.conditions))):
            return None
        drawn_from = next((one for one in of.accesses if one.node is slot.origin), None)
        return None if drawn_from is None else _clamp(drawn_from, length, of)
    return None


def _clamp(drawn_from: Access, length: int, of: Trace) -> Guard | None:
    """A clamp of what a counter holds to a length, in what a loop or a store goes by, or a test whether it is more."""
    if _kept(drawn_from, of):
        return None
    for access in of.accesses:
        for guard in access.guards:
            if any(_is_clamp(part, drawn_from, length) for part in subterms(guard.term)):
                return guard
    return None


def _kept(drawn_from: Access, of: Trace) -> bool:
    """Whether a test of what the counter holds keeps threads from counting on."""
    return any(_holds(part, drawn_from) for guard in drawn_from.guards for part in subterms(guard.term))


def _is_clamp(part: Term, counter: Access, length: int) -> bool:
    if part.op == "lt" and plain(part.args[0]).value == length:
        return _holds(part.args[1], counter)
    if part.op == "min":
        sides = part.args
    elif part.op == "select" and part.args[0].op in ("lt", "le"):
        sides = part.args[1:]
        if {plain(side) for side in sides} != {plain(side) for side in part.args[0].args}:
            return False
    else:
        return False
    return any(a.value == length and _holds(b, counter) for a, b in (sides, sides[::-1]))


def _holds(term: Term, counter: Access) -> bool:
    """Whether a number is what a counter holds."""
    symbol = plain(term).symbol
    held = symbol is not None and symbol.kind is SymbolKind.LOAD and isinstance(symbol.origin, tuple)
    return held and symbol is not None and symbol.origin[0] is counter.root and symbol.origin[1] == counter.offset


def _keeps(test: ConditionEvent, other: Access, slot: Symbol) -> bool:
    """Whether a store at a slot is made under a test of it."""
    return (
        other.kind is AccessKind.WRITE
        and slot in symbols(other.offset)
        and any(slot in symbols(guard.term) and guard.span == test.span for guard in other.guards)
    )


def _from_atomic(slot: Symbol) -> bool:
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


@dataclass(frozen=True, slots=True, eq=False)
class Crowded:
    """A store (``access``) at a slot of an array that has ``length``; ``clamp``: where the counter is clamped to it."""

    access: Access
    length: int
    clamp: Guard


def _compute(facts: Facts) -> tuple[Crowded, ...]:
    of = facts[trace]
    found: list[Crowded] = []
    if any(access.kind is AccessKind.ATOMIC for access in of.accesses):
        for access in of.accesses:
            clamp = of_clamped_counter(access, of)
            length = (access.root.extent or 0) // (access.root.element.size or 1)
            if clamp is not None and not _few(access, length, facts):
                found.append(Crowded(access, length, clamp))
    return tuple(found)


def _few(access: Access, length: int, facts: Facts) -> bool:
    """Whether each thread stores once, and no block is known that has more threads than there is room."""
    blocks = facts[launch_context].known_blocks
    again = [loop for loop in access.loops if not any(_clears(other, loop) for other in facts[trace].accesses)]
    return not again and not any(x * y * z > length for x, y, z in blocks)


def _clears(other: Access, loop: LoopContext) -> bool:
    """Whether an access in a loop sets something in shared memory to 0: a counter may begin anew there."""
    zero = other.kind is AccessKind.WRITE and other.value is not None and other.value.value == 0
    return zero and loop in other.loops and other.root.space is Space.SHARED


crowded = KernelAnalysis("crowded", _compute, needs=(trace, launch_context))
"""Each :class:`Crowded` store of a kernel variant."""
