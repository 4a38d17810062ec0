"""Ranges of elements whose ends memory keeps in 64 bits, walked through with an index of 32.

``int begin = indptr[row], end = indptr[row + 1]; for (int i = begin; i < end; ++i)``: how many elements there are, the
last entry of such a table says, and it has 64 bits.  Many tables have them by habit; what says that this one needs
them is another kernel of the file that goes through ranges of a table of the same name in 64 bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.base import Facts
from kernlint.analysis.trace.events import Access, Root, RootKind
from kernlint.analysis.trace.kernels import KernelTraces, kernel_traces
from kernlint.analysis.values.narrow_part import Narrow
from kernlint.analysis.values.products import PLACE, bits
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import SymbolKind, Term, subterms
from kernlint.tree.types import Space


def ranges_cut(subscripts: Sequence[Access], facts: Facts) -> Iterator[Narrow]:
    """The first subscript of each table whose ranges are cut to 32 bits, where another kernel keeps them whole."""
    told: set[str] = set()
    for access in subscripts:
        for part, table in _begins(access, 32):
            if table.name in told:
                continue
            told.add(table.name)
            known: KernelTraces = facts[kernel_traces]
            other = next(_kept(known, table.name, facts), None)
            if other is not None:
                yield Narrow(part, access.span, "ranges", use=access, other=other)


def _kept(known: KernelTraces, name: str, facts: Facts) -> Iterator[Access]:
    """The accesses of other kernels that go through ranges of a table in 64 bits."""
    for kernel, of in known.compared():
        if kernel.function.name != facts.kernel.function.name:
            for access in of.accesses:
                if access.root.space is Space.GLOBAL and any(table.name == name for _, table in _begins(access, 64)):
                    yield access


def _begins(access: Access, wanted: int) -> Iterator[tuple[Term, Root]]:
    """Entries of tables in 64 bits, kept in so many bits, at which the range that an access is in begins: it is gone
    through in a loop up to the next entry."""
    stack = [access.offset] if access.loops else []
    while stack:
        at = stack.pop()
        inside = at.args[0] if at.op == "cast" and bits(at) == 32 and bits(at.args[0]) == 64 else at
        entry = _entry(inside)
        if entry is not None and bits(at) == wanted and _ends_at_next(access, *entry):
            yield inside, entry[0]
        elif at is inside and at.op in PLACE:
            stack.extend(at.terms)


def _entry(term: Term) -> tuple[Root, Term] | None:
    """The table and the place of an entry in 64 bits that a term is."""
    symbol = term.symbol
    if symbol is None or symbol.kind is not SymbolKind.LOAD or bits(term) != 64 or not isinstance(symbol.origin, tuple):
        return None
    root, place = symbol.origin[:2]
    return (root, place) if isinstance(root, Root) and root.kind is RootKind.PARAM else None


def _ends_at_next(access: Access, table: Root, place: Term) -> bool:
    for loop in access.loops:
        for part in subterms(loop.condition) if loop.condition is not None else ():
            entry = _entry(part)
            if entry is not None and entry[0] is table:
                step = (polynomial(entry[1]) - polynomial(place)).constant
                if step is not None and step > 0:
                    return True
    return False
