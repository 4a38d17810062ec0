"""Tests that let the end of a run through, where runs lie one behind the other: ``j = start[i]; j <= start[i + 1]``.

What an array of beginnings has for the next run is the first place that is not of this one: it is of the next, and of
none behind the last run.  The two numbers are read from neighbouring places of one array of integers.

Excused: an access to the array of beginnings itself, and where a test asks for the place at the end (``j == end``), or
the array is read there elsewhere: somebody means it.  Still bad: ``<=`` alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.limits import elements
from kernlint.analysis.extent.wrong_guards.faults import Fault, Overreach
from kernlint.analysis.extent.wrong_guards.inclusive import last_meant
from kernlint.analysis.trace.events import Access, RootKind
from kernlint.symbolic.polynomial import Polynomial, number, polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain
from kernlint.tree.types import IntType, Space

WHY = "the next run begins there"


def run_ends(every: Sequence[Access]) -> Iterator[Overreach]:
    """The accesses of a kernel at places that get to where the next run begins."""
    for access in every:
        root = access.root
        if root.kind not in (RootKind.PARAM, RootKind.LOADED) or root.space is not Space.GLOBAL:
            continue
        found = elements(access)
        if found is None:
            continue
        index = found[0]
        for guard in access.guards:
            for part in conjuncts(guard.term):
                end = _read(part.args[1]) if part.op == "le" else None
                if end is None or polynomial(part.args[0]) != index or not _from_before(index, end, access):
                    continue
                size = polynomial(part.args[1])
                if not last_meant(access, index, size) and not _read_there(every, access, size):
                    yield Overreach(access, Fault.INCLUSIVE, guard, part, size, 1, WHY, None)
                    break


def _read(term: Term) -> Symbol | None:
    """The number from memory that a value is."""
    symbol = plain(term).symbol
    held = symbol is not None and symbol.kind is SymbolKind.LOAD and isinstance(symbol.origin, tuple)
    return symbol if held else None


def _from_before(index: Polynomial, end: Symbol, access: Access) -> bool:
    """Whether an index begins at the number that stands before ``end``."""
    root, place = end.origin
    size = root.element.size
    if root is access.root or not size or not isinstance(root.element, IntType):
        return False
    for mono, value in index.coefficients.items():
        start = _read(mono[0]) if len(mono) == 1 and value == 1 else None
        if start is not None and start.origin[0] is root:
            return polynomial(place) - polynomial(start.origin[1]) == number(size)
    return False


def _read_there(every: Sequence[Access], access: Access, size: Polynomial) -> bool:
    """Whether an array is accessed at a size by its number."""
    return any(
        other.root is access.root and found[0] == size
        for other in every
        if other is not access and (found := elements(other)) is not None
    )
