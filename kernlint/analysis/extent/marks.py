"""Indices from memory that may be no index: a test elsewhere says which value they have then, and here nothing asks.

A kernel that makes one access under ``id >= 0`` or ``tile != 0xffffffff`` knows of data that are marks and no places.
Another access by the same number, in the same kernel, that is made without such a test is made with the mark too.  Only
marks that are a place in no array count: negative numbers, and the largest ones of a type.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.bounds import vacuous
from kernlint.analysis.extent.places import Place, Places, places
from kernlint.analysis.trace.events import Access, AccessKind, Guard, GuardKind, Trace
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, symbols
from kernlint.tree.types import Space

LOW, HIGH = -(1 << 16), (1 << 31) - 1
"""Marks are numbers from the first up to -1, and from the second on."""

_DATA = frozenset({SymbolKind.LOAD})
_PLACE = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.BLOCK_DIM, SymbolKind.WARP_SIZE})


@dataclass(frozen=True, slots=True, eq=False)
class Mark:
    """An access whose index may be made of ``value``; ``guard``: the test for it that stands before ``other``."""

    access: Access
    value: int
    guard: Guard
    other: Access


def _datum(place: Place) -> tuple[Polynomial, int, int] | None:
    """(datum, factor, constant) of an index that is a number from memory, at most shifted and scaled by numbers."""
    const = place.index.coefficients.get((), 0)
    rest = {mono: value for mono, value in place.index.coefficients.items() if mono}
    if len(rest) != 1:
        return None
    ((mono, factor),) = rest.items()
    if len(mono) != 1 or factor <= 0 or not symbols(mono[0]):
        return None
    if not all(s.kind in _DATA for s in symbols(mono[0])):
        return None
    return Polynomial({mono: 1}), factor, const


def _marks(part: Term) -> Iterator[tuple[Polynomial, int]]:
    """(datum, value) of a truth that keeps a value away: ``d != c``, ``d >= 0``."""
    if part.op not in ("ne", "lt", "le") or vacuous(part):
        return
    if part.op == "ne":
        for left, right in (part.args, part.args[::-1]):
            if right.value is not None and (LOW <= right.value < 0 or right.value >= HIGH):
                yield polynomial(left), right.value
        return
    low = part.args[0].value
    if low is not None and low + (1 if part.op == "lt" else 0) == 0:
        yield polynomial(part.args[1]), -1


def marked(part: Term) -> Iterator[int]:
    """The numbers that a truth takes for marks, and keeps away."""
    yield from (value for _, value in _marks(part))


def _tested(access: Access, datum: Polynomial) -> bool:
    """Whether some test before an access speaks of the datum, or of where it comes from."""
    mine = {s for atom in datum.atoms for s in symbols(atom)}
    return any(mine & set(symbols(guard.term)) for guard in access.guards)


def _as_open(access: Access, other: Access) -> bool:
    """Whether an access is made wherever the other one is, or by threads that their place alone picks."""
    theirs = {guard.term for guard in other.guards}
    for guard in access.guards:
        if guard.term in theirs or vacuous(guard.term) or guard.kind in (GuardKind.LOOP, GuardKind.AFTER_LOOP):
            continue
        for part in conjuncts(guard.term):
            found: set[Symbol] = set(symbols(part))
            if part not in theirs and not (part.op == "eq" and {s.kind for s in found} <= _PLACE):
                return False
    return True


def _compute(facts: Facts) -> tuple[Mark, ...]:
    known: Places = facts[places]
    users: dict[Polynomial, list[tuple[Place, int, int]]] = {}
    for mine in known.values():
        for place in mine:
            found = _datum(place)
            if found is not None:
                users.setdefault(found[0], []).append((place, found[1], found[2]))
    out: dict[Access, Mark] = {}
    for datum, group in users.items():
        if len(group) < 2:
            continue
        tests = [
            (value, guard, place.access)
            for place, _, _ in group
            for guard in place.access.guards
            for part in conjuncts(guard.term)
            for told, value in _marks(part)
            if told == datum
        ]
        for place, factor, const in group if tests else ():
            if place.access in out or _tested(place.access, datum):
                continue
            for value, guard, other in tests:
                at = factor * value + const
                if (at < 0 or at >= HIGH) and _as_open(place.access, other):
                    out[place.access] = Mark(place.access, value, guard, other)
                    break
    return tuple(one for one in out.values())


marks = KernelAnalysis("marks", _compute, needs=(places,))
"""Each :class:`Mark` of a kernel variant, in order of the data."""


def counts_alone(of: Trace) -> bool:
    """Whether a kernel does nothing but add up, in elements that are the same for all of its threads."""
    writes = [one for one in of.accesses if one.writes and one.root.space is Space.GLOBAL]
    return bool(writes) and all(one.kind is AccessKind.ATOMIC and not symbols(one.offset) for one in writes)
