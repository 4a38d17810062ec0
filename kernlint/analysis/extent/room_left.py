"""Runs of elements at one cursor, of which one is tested against the room that is left, and another is not.

``if (literals > SIZE - have) break;`` stands before the copy of as many elements to ``plain[have + i]``; the copy of
``match`` elements at the same cursor, with a length from the same stream, asks nothing.  So it is where one length is
held down to the room (``min(match, SIZE - have)``), and the other is not.  What is compared is the last
place of each store over the rounds of its loops, or the place of one that is tested in each round: with the test it is
the last one of the array, and without it grows with a number from memory that no condition speaks of.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.pushed import last_of_run
from kernlint.analysis.extent.truths import slack_of
from kernlint.analysis.extent.uncapped import element_of
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, Guard, GuardKind, Root, RootKind, Trace
from kernlint.record import dataclass
from kernlint.symbolic.intervals import interval
from kernlint.symbolic.polynomial import Polynomial, number, polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, negate, plain, subterms, symbols

STORES = 16
"""Stores to one array that are compared."""


@dataclass(frozen=True, slots=True, eq=False)
class Untold:
    """A run (``access``) at a cursor whose length nothing keeps inside, as ``guard`` does that of ``other``."""

    access: Access
    other: Access
    guard: Guard


def _cursors(form: Polynomial) -> set[Term]:
    """The variables of loops that a place is counted from."""
    return {
        atom
        for atom in form.atoms
        if atom.symbol is not None and atom.symbol.kind is SymbolKind.PHI and form.coefficients.get((atom,)) == 1
    }


def _tested(access: Access, last: Polynomial) -> Guard | None:
    """The test that leaves a run as its last place the last one of the array."""
    room = (access.root.extent or 0) // (access.root.element.size or 1)
    for guard in access.guards:
        for part in conjuncts(guard.term) if guard.loop is None or guard.kind is not GuardKind.LOOP else ():
            slack = slack_of(part)
            if slack is not None and (slack[0] + last).constant == room - 1 + slack[1]:
                return guard
    return None


def _held(access: Access, last: Polynomial) -> tuple[Polynomial, Guard] | None:
    """What a run begins at, and the condition of its loop, where its length is held down to the room that is left:
    ``i < min(length, SIZE - have)``."""
    room = (access.root.extent or 0) // (access.root.element.size or 1)
    for mono, times in last.coefficients.items():
        if len(mono) != 1 or times != 1 or (least := plain(mono[0])).op != "min":
            continue
        begin = last - Polynomial({mono: 1}) + number(1)
        if any((begin + polynomial(arm)).constant == room for arm in least.terms):
            inner = access.loops[-1]
            guard = next(one for one in access.guards if one.loop is inner and one.kind is GuardKind.LOOP)
            return Polynomial({(atom,): 1 for atom in _cursors(begin)}), guard
    return None


def _from_data(atom: Term, room: int, cursors: set[Term]) -> bool:
    """Whether a length is made of what memory holds, and may be more than ``room``: no clamp, and nothing in which a
    cursor has a part."""
    high = interval(atom)[1]
    if atom.op in ("min", "mod", "and") or not cursors.isdisjoint(subterms(atom)):
        return False
    return any(s.kind is SymbolKind.LOAD for s in symbols(atom)) and (high is None or high >= room)


def _rounds_of(other: Access, atom: Term) -> bool:
    """Whether a number is that of the rounds of the loop that another store is made in."""
    return any(atom.symbol is loop.trips for loop in other.loops)


def _besides(form: Polynomial, cursors: set[Term]) -> set[Symbol]:
    return {symbol for atom in form.atoms if atom not in cursors for symbol in symbols(atom)}


def _held_elsewhere(of: Trace, cursors: set[Term], guard: Guard) -> bool:
    """Whether a condition other than one test keeps a cursor, and not what is behind it, below something."""
    for test in of.conditions:
        for part in conjuncts(test.term) if test.span != guard.span else ():
            for truth in (part, negate(part)):
                slack = slack_of(truth)
                if slack is None or not any(slack[0].coefficients.get((one,)) == -1 for one in cursors):
                    continue
                if not any(s.kind in (SymbolKind.LOAD, SymbolKind.PHI) for s in _besides(slack[0], cursors)):
                    return True
    return False


def _asked(access: Access, atoms: set[Term]) -> bool:
    """Whether a condition other than the end of the run speaks of its length, or of something that is not known."""
    inner = access.loops[-1]
    others = (guard for guard in access.guards if guard.loop is not inner or guard.kind is not GuardKind.LOOP)
    return any(
        not atoms.isdisjoint(subterms(guard.term)) or any(s.kind is SymbolKind.UNKNOWN for s in symbols(guard.term))
        for guard in others
    )


def _in_rounds(access: Access) -> tuple[Polynomial, Guard] | None:
    """The place of a store and the test of each round that keeps it the last one of the array at most."""
    place = element_of(access)
    guard = _tested(access, place) if place is not None and _cursors(place) else None
    return (place, guard) if place is not None and guard is not None else None


def _of(group: Sequence[Access], of: Trace) -> Iterator[Untold]:
    lasts = [
        (access, last)
        for access in group
        if (last := last_of_run(access, element_of(access))) is not None and _cursors(last)
    ]
    room = (group[0].root.extent or 0) // (group[0].root.element.size or 1)
    tested = [(access, last, guard, room) for access, last in lasts if (guard := _tested(access, last)) is not None]
    # Where each round is tested the cursor may be behind the array afterwards: any length is too much there.
    tested += [(access, *found, 2) for access in group if lasts and (found := _in_rounds(access)) is not None]
    tested += [(access, *found, room) for access, last in lasts if (found := _held(access, last)) is not None]
    for access, last in lasts:
        for other, known, guard, least in tested:
            cursors = _cursors(last)
            if access is other or not cursors & _cursors(known):
                continue
            known_atoms = set(known.atoms)
            more = {
                mono[0]: n
                for mono, n in last.coefficients.items()
                if len(mono) == 1 and mono[0] not in known_atoms and not _rounds_of(other, mono[0])
            }
            atoms = {atom for atom, times in more.items() if times > 0 and _from_data(atom, least, cursors)}
            if not atoms or len(atoms) != len(more) or _asked(access, atoms):
                continue
            if least == room or not _held_elsewhere(of, cursors, guard):
                yield Untold(access, other, guard)
                break


def _compute(facts: Facts) -> tuple[Untold, ...]:
    groups: dict[Root, list[Access]] = {}
    for access in facts[trace].accesses:
        root = access.root
        stored = access.kind is AccessKind.WRITE and root.kind is RootKind.VARIABLE and root.extent
        if stored and access.loops and any(s.kind is SymbolKind.PHI for s in symbols(access.offset)):
            groups.setdefault(root, []).append(access)
    return tuple(one for group in groups.values() if 1 < len(group) <= STORES for one in _of(group, facts[trace]))


room_left = KernelAnalysis("room_left", _compute, needs=(trace,))
"""Each :class:`Untold` run of a kernel variant."""
