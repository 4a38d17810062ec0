"""Runs of elements at one cursor, of which one is tested against the room that is left, and another is not.

``if (literals > SIZE - have) break;`` stands before the copy of as many elements to ``plain[have + i]``; the copy of
``match`` elements at the same cursor, with a length from the same stream, asks nothing.  What is compared is the last
place of each store over the rounds of its loops: with the test it is the last one of the array, and without it grows
with a number from memory that no condition speaks of.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.pushed import last_of_run
from kernlint.analysis.extent.truths import slack_of
from kernlint.analysis.extent.uncapped import element_of
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, Guard, GuardKind, Root, RootKind
from kernlint.record import dataclass
from kernlint.symbolic.intervals import interval
from kernlint.symbolic.polynomial import Polynomial
from kernlint.symbolic.terms import SymbolKind, Term, subterms, symbols

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


def _from_data(atom: Term, room: int, cursors: set[Term]) -> bool:
    """Whether a length is made of what memory holds, and may be more than there is room for: no clamp, and nothing in
    which a cursor has a part."""
    high = interval(atom)[1]
    if atom.op in ("min", "mod", "and") or not cursors.isdisjoint(subterms(atom)):
        return False
    return any(s.kind is SymbolKind.LOAD for s in symbols(atom)) and (high is None or high >= room)


def _asked(access: Access, atoms: set[Term]) -> bool:
    """Whether a condition other than the end of the run speaks of its length, or of something that is not known."""
    inner = access.loops[-1]
    others = (guard for guard in access.guards if guard.loop is not inner or guard.kind is not GuardKind.LOOP)
    return any(
        not atoms.isdisjoint(subterms(guard.term)) or any(s.kind is SymbolKind.UNKNOWN for s in symbols(guard.term))
        for guard in others
    )


def _of(group: Sequence[Access]) -> Iterator[Untold]:
    lasts = [
        (access, last)
        for access in group
        if (last := last_of_run(access, element_of(access))) is not None and _cursors(last)
    ]
    if len(lasts) < 2:
        return
    tested = [(access, last, guard) for access, last in lasts if (guard := _tested(access, last)) is not None]
    room = (group[0].root.extent or 0) // (group[0].root.element.size or 1)
    for access, last in lasts if tested else ():
        for other, known, guard in tested:
            if access is other or not _cursors(last) & _cursors(known):
                continue
            known_atoms = set(known.atoms)
            more = {
                mono[0]: n for mono, n in last.coefficients.items() if len(mono) == 1 and mono[0] not in known_atoms
            }
            atoms = {atom for atom, times in more.items() if times > 0 and _from_data(atom, room, _cursors(last))}
            if atoms and len(atoms) == len(more) and not _asked(access, atoms):
                yield Untold(access, other, guard)
                break


def _compute(facts: Facts) -> tuple[Untold, ...]:
    groups: dict[Root, list[Access]] = {}
    for access in facts[trace].accesses:
        root = access.root
        stored = access.kind is AccessKind.WRITE and root.kind is RootKind.VARIABLE and root.extent
        if stored and access.loops and any(s.kind is SymbolKind.PHI for s in symbols(access.offset)):
            groups.setdefault(root, []).append(access)
    return tuple(one for group in groups.values() if 1 < len(group) <= STORES for one in _of(group))


room_left = KernelAnalysis("room_left", _compute, needs=(trace,))
"""Each :class:`Untold` run of a kernel variant."""
