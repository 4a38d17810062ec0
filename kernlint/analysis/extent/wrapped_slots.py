"""Slots of a counter that begins anew only behind the last number that a list has a place for.

``atomicInc(counter, most)`` hands out 0, 1, ... ``most``, and begins again: these are ``most + 1`` numbers.  Of a list,
or of rows, of ``most`` elements the last of them is the first element of the next row, or of nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.extent.told import Told
from kernlint.analysis.extent.uncapped import element_of
from kernlint.analysis.launching.launch_context import launch_context
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, Root, RootKind
from kernlint.analysis.wording import element, verb
from kernlint.finding import Related
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, polynomial
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, symbols


@dataclass(frozen=True, slots=True, eq=False)
class Wrapped:
    """An ``access`` at a slot of ``counter`` in a list, or row, of as many elements as its largest number is."""

    access: Access
    counter: Access
    most: Term

    @property
    def told(self) -> Told:
        """The fault in words."""
        room = words(self.most)
        return Told(
            f"{element(self.access)} is {verb(self.access)} at a slot that may be {room}, in a list of {room}: the "
            f"counter begins anew behind {room}, not before it",
            [Related(self.counter.span, f"this hands out the numbers from 0 to {room}")],
            "",
            f"let the counter begin anew behind {room} - 1, or count on and test the slot",
        )


def _slots(access: Access, counters: dict[int, Access]) -> Iterator[tuple[Symbol, Access, Term]]:
    """(slot, counter, its largest number) of the wrapping counters that an access is at a slot of, and asks nothing."""
    for symbol in symbols(access.offset):
        counter = counters.get(id(symbol.origin)) if symbol.kind is SymbolKind.UNKNOWN else None
        if counter is None or counter.value is None or counter.value.op == "cast":
            continue
        if any(s.kind is not SymbolKind.PARAM for s in symbols(counter.value)):
            continue
        if not any(symbol in symbols(guard.term) for guard in access.guards):
            yield symbol, counter, counter.value


def _ends_at(facts: Facts, access: Access, slot: Symbol, most: Term) -> bool:
    """Whether a list, or the rows of one, that a slot is a place in have ``most`` elements."""
    place = element_of(access)
    form = place.coefficients if place is not None else {}
    if form.get((slot.term,)) != 1 or sum(slot in symbols(atom) for mono in form for atom in mono) != 1:
        return False
    rest = {mono: times for mono, times in form.items() if mono != (slot.term,)}
    root, length = access.root, polynomial(most)
    if rest:
        return _rows_of(rest, length)
    size = root.element.size or 1
    if root.kind is RootKind.VARIABLE:
        return root.extent is not None and length.constant == root.extent // size
    for view in facts[launch_context].launches:
        extent, image = dict(view.fact.extents).get(root.name), most
        if most.symbol is not None:
            image = dict(view.images).get(most.symbol, most)
        if extent is not None and polynomial(extent) == polynomial(image) * Polynomial({(): size}):
            return True
    return False


def _rows_of(rest: dict[tuple[Term, ...], int], length: Polynomial) -> bool:
    """Whether all of a place but the slot is a multiple of a length."""
    if length.constant is not None:
        return length.constant > 1 and all(times % length.constant == 0 for times in rest.values())
    (mono, *more) = length.coefficients
    return not more and length.coefficients[mono] == 1 and all(all(atom in one for atom in mono) for one in rest)


def _compute(facts: Facts) -> tuple[Wrapped, ...]:
    of = facts[trace]
    counters = {id(one.node): one for one in of.accesses if one.kind is AccessKind.ATOMIC and one.atomic_op == "inc"}
    found: dict[Root, Wrapped] = {}
    for access in of.accesses if counters else ():
        if access.root in found or access.offset.value is not None:
            continue
        for slot, counter, most in _slots(access, counters):
            if _ends_at(facts, access, slot, most):
                found[access.root] = Wrapped(access, counter, most)
                break
    return tuple(found.values())


wrapped_slots = KernelAnalysis("wrapped_slots", _compute, needs=(trace, launch_context))
"""A :class:`Wrapped` for each list of a kernel variant that has one."""
