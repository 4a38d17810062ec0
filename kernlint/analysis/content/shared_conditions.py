"""Conditions that all accesses of an object share, and that say nothing of its cells.

``if (*done) return;`` or ``if (mode == 1) { .. }`` around a whole algorithm is met by all threads of a block or none.
Whoever asks which cells are set before they are read takes it as met; there is nothing to try other values of ``mode``
for, nor any doubt of what it goes together with, where nothing else in the places and conditions speaks of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.analysis.accesses.pairs import side
from kernlint.analysis.content.cells import Unset
from kernlint.analysis.trace.events import Access, Guard, GuardKind, LoopContext
from kernlint.prove.admission import Admission
from kernlint.record import replace
from kernlint.symbolic.terms import Symbol, SymbolKind, Uniformity, symbols

_KINDS = (GuardKind.BRANCH, GuardKind.EXIT)
_SETTLED = (SymbolKind.PARAM, SymbolKind.LOAD)


def without_shared(group: Sequence[Access], known: Admission) -> Sequence[Access]:
    """The accesses ``group`` of one object without the conditions that all share; ``group`` itself where there are
    none."""
    shared = [guard for guard in group[0].guards if _apart(guard) and all(guard in one.guards for one in group[1:])]
    while shared:
        bared = [replace(one, guards=tuple(g for g in one.guards if g not in shared)) for one in group]
        named = {symbol for one in bared for symbol in side(one).symbols}
        named |= {symbol for one in bared for loop in one.loops for symbol in _of_loop(loop)}
        said = _together(named, known)
        kept = [guard for guard in shared if said.isdisjoint(symbols(guard.term))]
        if len(kept) == len(shared):
            return bared
        shared = kept
    return group


def as_whole(found: Unset | None, bared: Sequence[Access], group: Sequence[Access]) -> Unset | None:
    """What was found of the accesses ``bared``, said of those of ``group`` that they were made from."""
    if found is None or bared is group:
        return found
    whole = dict(zip(map(id, bared), group, strict=True))
    write = None if found.write is None else whole.get(id(found.write), found.write)
    return replace(found, access=whole.get(id(found.access), found.access), write=write)


def _of_loop(loop: LoopContext) -> Sequence[Symbol]:
    return symbols(loop.condition) if loop.condition is not None else ()


def _apart(guard: Guard) -> bool:
    """Whether a condition is about arguments and data that are the same for a whole block."""
    found = symbols(guard.term)
    return (
        guard.kind in _KINDS
        and bool(found)
        and all(one.kind in _SETTLED and one.uniformity <= Uniformity.BLOCK for one in found)
    )


def _together(named: set[Symbol], known: Admission) -> set[Symbol]:
    """``named``, and the arguments that a launch in sight makes of the same sizes as one of them."""
    out = set(named)
    for way in known.ways:
        images = dict(way.images)
        sizes = {size for symbol in named if symbol in images for size in symbols(images[symbol])}
        out |= {symbol for symbol, image in images.items() if sizes & set(symbols(image))}
    return out
