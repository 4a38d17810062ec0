"""Arrays in which a kernel of the file stores a negative number where it has found no place.

``argmax[i] = empty ? -1 : best`` in one kernel, ``grad[argmax[i]] += ..`` in another one: where data decide that there
is nothing, the place is before the start.  The mark has to be chosen by a condition on data, beside a place that is not
a constant; a search that merely begins with it may always find something (:mod:`.sentinels`).  An array that several
kernels write may have been cleaned of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import ModuleAnalysis, ModuleFacts
from kernlint.analysis.trace.events import Access, AccessKind, RootKind
from kernlint.analysis.trace.kernels import kernel_traces
from kernlint.record import dataclass
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, symbols
from kernlint.tree.types import IntType, Space

LEAST = -(1 << 16)
"""The lowest number that is taken for a mark."""

DEEP = 6
"""Choices in one value that are looked into."""


@dataclass(frozen=True, slots=True, eq=False)
class Stored:
    """``kernel`` stores ``value`` by ``access`` where data say that there is no place."""

    value: int
    kernel: str
    access: Access


def _marks(term: Term, deep: int = DEEP) -> Iterator[int]:
    """The negative numbers that data choose in a value, beside one that is no constant."""
    term = plain(term)
    while term.op == "call" and term.args[0].startswith("after"):
        term = plain(term.args[1])
    symbol = term.symbol
    if symbol is not None and symbol.kind is SymbolKind.PHI and symbol.init is not None and deep:
        yield from _marks(symbol.init, deep - 1)  # loops may go round no time
    elif term.op == "select" and deep:
        cond, *arms = term.args
        for arm, other in (arms, arms[::-1]):
            value = plain(arm).value
            if isinstance(value, int) and LEAST <= value < 0 and plain(other).value is None and _by_data(cond):
                yield value
        for arm in arms:
            yield from _marks(arm, deep - 1)


def _by_data(cond: Term) -> bool:
    return any(map(_loaded, symbols(cond)))


def _loaded(symbol: Symbol) -> bool:
    return symbol.kind is SymbolKind.LOAD and isinstance(symbol.origin, tuple)


def _compute(facts: ModuleFacts) -> dict[str, Stored]:
    found: dict[str, Stored] = {}
    writers: dict[str, set[str]] = {}
    for kernel, of in facts[kernel_traces].compared():
        for access in of.accesses:
            if not access.writes or access.root.kind is not RootKind.PARAM or access.root.space is not Space.GLOBAL:
                continue
            writers.setdefault(access.root.name, set()).add(kernel.function.name)
            kind = access.root.element
            if access.kind is AccessKind.WRITE and isinstance(kind, IntType) and access.value is not None:
                value = next(_marks(access.value), None)
                if value is not None:
                    found.setdefault(access.root.name, Stored(value, kernel.function.name, access))
    return {name: one for name, one in found.items() if len(writers[name]) == 1}


stored_marks = ModuleAnalysis("stored_marks", _compute, needs=(kernel_traces,))
"""By the name of an array, the mark that the only kernel which writes it may store there."""
