"""Elements that each thread sets to a constant before threads store at places that data choose, in one launch.

The thread that an element belongs to may come to it later than the one that has chosen it, and wipes what that one has
stored: nothing makes the blocks wait for each other.  Nothing is told where something may order the blocks, where one
of the two happens in launches without the other, or where a test ties the choice to the block.
"""

from __future__ import annotations

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.launching.launch_context import launch_context
from kernlint.analysis.order import order
from kernlint.analysis.sharing.gathered import of_one_block
from kernlint.analysis.sharing.global_races import grid_wide, handshakes
from kernlint.analysis.sharing.races import followed
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, RootKind, Trace
from kernlint.prove.cases import conjuncts
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, Uniformity, negate, symbols
from kernlint.tree.types import Space

_FOUND = frozenset({SymbolKind.LOAD, SymbolKind.UNKNOWN, SymbolKind.PHI, SymbolKind.EXIT, SymbolKind.TRIPS})
_MINE = frozenset({SymbolKind.BLOCK, SymbolKind.THREAD})


@dataclass(frozen=True, slots=True, eq=False)
class Wiped:
    """``store`` at a place that data choose, which the ``fill`` of the thread of that place may wipe."""

    fill: Access
    store: Access


def _compute(facts: Facts) -> tuple[Wiped, ...]:
    of = facts[trace]
    fills = [access for access in of.accesses if _fills(access)]
    stores = [access for access in of.accesses if fills and _chosen(access, of)]
    if not stores or not followed(of) or of_one_block(facts[launch_context]) or grid_wide(of) or handshakes(of):
        return ()
    found: dict[int, Wiped] = {}
    for fill in fills:
        for store in stores:
            if store.root is not fill.root or store.order < fill.order or not _meet(fill, store):
                continue
            if facts[order].between_blocks(fill, store) is None:
                found.setdefault(id(store.root), Wiped(fill, store))
    return tuple(found.values())


def _of_the_kernel(access: Access) -> bool:
    return access.root.kind is RootKind.PARAM and access.root.space is Space.GLOBAL and not access.volatile


def _fills(access: Access) -> bool:
    """Whether each thread of the grid stores a constant in an element of its own, whatever the data are."""
    if access.kind is not AccessKind.WRITE or not _of_the_kernel(access):
        return False
    if access.value is None or any(symbols(access.value)):
        return False
    kinds = {one.kind for one in symbols(access.offset)}
    chosen = [one for guard in access.guards for one in symbols(guard.term)]
    return kinds >= _MINE and not kinds & _FOUND and not any(one.kind in _FOUND for one in chosen)


def _chosen(access: Access, of: Trace) -> bool:
    """Whether an element is stored, or added to, that data alone choose, which the kernel has not made itself."""
    if access.kind not in (AccessKind.WRITE, AccessKind.ATOMIC) or not access.writes or not _of_the_kernel(access):
        return False
    parts: list[Symbol] = []
    for atom in polynomial(access.offset).atoms:
        found = [one for one in symbols(atom) if one.kind in _FOUND]
        if not found and any(one.kind in _MINE for one in symbols(atom)):
            return False  # relative to the thread's own
        parts += found
    if not any(one.uniformity is Uniformity.VARYING for one in parts):
        return False
    made = {id(one.root) for one in of.accesses if one.writes}
    if any(one.kind is SymbolKind.LOAD and id(one.origin[0]) in made for one in parts):
        return False
    tied = (part for guard in access.guards for part in conjuncts(guard.term) if part.op == "eq")
    return not any(_ties(part) for part in tied)


def _ties(part: Term) -> bool:
    """Whether a test holds what was found against the block or the thread."""
    kinds = [{one.kind for one in symbols(side)} for side in part.args]
    return any(a & _FOUND and b & _MINE for a, b in (kinds, kinds[::-1]))


def _meet(fill: Access, store: Access) -> bool:
    """Whether both may be made in one launch, of the same part of an element, with different values."""
    added = store.kind is AccessKind.ATOMIC
    if (store.value is None and not added) or store.value == fill.value or store.size != fill.size:
        return False
    here, there = polynomial(fill.offset), polynomial(store.offset)
    pitch = min((abs(value) for mono, value in here.coefficients.items() if mono), default=0)
    if pitch and (here.coefficients.get((), 0) - there.coefficients.get((), 0)) % pitch:
        return False
    never = {negate(part) for guard in fill.guards for part in conjuncts(guard.term)}
    return not any(part in never for guard in store.guards for part in conjuncts(guard.term))


wiped = KernelAnalysis("wiped", _compute, needs=(trace, launch_context, order))
"""Each object of a kernel variant whose elements are set to a constant and chosen by data in one launch:
:class:`Wiped`."""
