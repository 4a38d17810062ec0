"""Whether two threads meet by the grace of a value of which nothing is known."""

from __future__ import annotations

from collections.abc import Collection

from kernlint.analysis.accesses.pairs import Pair
from kernlint.analysis.scenarios.numbers import scalar
from kernlint.analysis.search.inputs import PLAIN
from kernlint.analysis.trace.events import Root
from kernlint.prove.query import Overlap, Scope, is_shared
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, symbols


def unsettled(query: Overlap) -> bool:
    """Whether the threads meet only by the grace of a value of which nothing is known: memory, loop variables
    without a closed form, what is not modelled.  Where both addresses add it alike it does not matter."""
    known_ = {symbol for symbol, _ in query.launch.values}
    parts = []
    for side in (query.a, query.b):
        odd = {}
        for mono, value in polynomial(side.offset).coefficients.items():
            inside = [symbol for atom in mono for symbol in symbols(atom)]
            if not any(s.kind not in PLAIN and s not in known_ and not _shared_scalar(s, query) for s in inside):
                continue
            if not all(is_shared(symbol, query) for symbol in inside):
                return True
            odd[mono] = value
        parts.append(odd)
    return parts[0] != parts[1]


def never_settled(pair: Pair, within: Scope, told: Collection[Symbol]) -> bool:
    """Whether :func:`unsettled` holds whatever the sizes of a launch: what nobody can give a value, as it is not among
    those ``told`` and is no size, stands in the addresses."""
    query = Overlap(pair.a, pair.b, within, pair.tied, private=pair.private)
    parts = []
    for side in (pair.a, pair.b):
        odd = {}
        for mono, value in polynomial(side.offset).coefficients.items():
            inside = [symbol for atom in mono for symbol in symbols(atom)]
            lost = [s for s in inside if _without_value(s) and s not in told]
            if lost:
                if any(not is_shared(s, query) and (s in lost or s not in pair.private) for s in inside):
                    return True
                odd[mono] = value
        parts.append(odd)
    return parts[0] != parts[1]


def _without_value(symbol: Symbol) -> bool:
    """Whether no scenario gives a value to a symbol (see :mod:`kernlint.analysis.scenarios.numbers`)."""
    if symbol.kind is SymbolKind.UNKNOWN and isinstance(symbol.origin, Root):
        return False
    return symbol.kind in _LOST and not scalar(symbol)


_LOST = frozenset({SymbolKind.LOAD, SymbolKind.UNKNOWN, SymbolKind.PHI, SymbolKind.EXIT})


def _shared_scalar(symbol: Symbol, query: Overlap) -> bool:
    return scalar(symbol) and is_shared(symbol, query)
