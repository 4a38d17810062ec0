"""Accesses that are made on both sides of a branch on data: whatever the data are, one of the two is made."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

from kernlint.analysis.trace.events import Access, Guard
from kernlint.symbolic.terms import SymbolKind, negate, symbols


def either_way(access: Access, accesses: Sequence[Access]) -> Access:
    """``access`` without the conditions on data of which another access of the same place, by the same threads, has the
    opposite (``if (mask[i]) out[i] = x[i]; else out[i] = 0;``)."""
    kept = list(access.guards)
    for guard in access.guards:
        if _on_data(guard) and any(_opposite(access, guard, other) for other in accesses):
            kept.remove(guard)
    if len(kept) == len(access.guards):
        return access
    made = copy(access)
    made.guards = tuple(kept)
    return made


def _on_data(guard: Guard) -> bool:
    return any(symbol.kind is SymbolKind.LOAD for symbol in symbols(guard.term))


def _opposite(access: Access, guard: Guard, other: Access) -> bool:
    """Whether ``other`` is made at the place of ``access`` under all its conditions but ``guard``, whose opposite
    holds there."""
    if other is access or other.root is not access.root or other.offset != access.offset or other.size != access.size:
        return False
    denied = negate(guard.term)
    ours = {one.term for one in access.guards if one is not guard}
    return ours | {denied} == {one.term for one in other.guards} and other.loops == access.loops
