"""Arrays within an object: the rows of an array of several dimensions, the fields of a struct."""

from __future__ import annotations

from kernlint.analysis.extents import inner_array
from kernlint.analysis.pairs import Pair
from kernlint.analysis.trace.events import Access
from kernlint.record import replace
from kernlint.symbolic.terms import SymbolKind, Term, binary, cast, const, symbols
from kernlint.tree.types import BOOL, I64

_MOVING = frozenset({SymbolKind.COUNTER, SymbolKind.PHI, SymbolKind.LOAD, SymbolKind.UNKNOWN})


def moving(index: Term) -> bool:
    """Whether a loop or data picks the element."""
    return any(symbol.kind in _MOVING for symbol in symbols(index))


def in_row(access: Access) -> tuple[Term, ...]:
    """That an access to an array within an object (a field of a struct) stays inside it, where a loop or data picks the
    element: to leave it is a fault of another kind, and most often the host sees to it that nobody does."""
    count = inner_array(access)
    if count is None or access.index is None or not moving(access.index):
        return ()
    place = cast(access.index, I64)
    return binary("le", const(0), place, BOOL), binary("lt", place, const(count), BOOL)


def inside_rows(pair: Pair) -> Pair:
    """The pair with each access inside the array of an object that it subscripts."""
    first, second = in_row(pair.first), in_row(pair.second)
    if not first and not second:
        return pair
    a = replace(pair.a, guards=(*pair.a.guards, *first))
    return replace(pair, a=a, b=replace(pair.b, guards=(*pair.b.guards, *second)))
