"""What a thread reads from an array of its own that one loop has filled: ``lane[v] = 4 * i + v`` for four v.

Kernels that take several items to a thread keep their numbers in such arrays.  Where the only write to an array stands
in a loop of constant length, goes through its elements one by one and comes before every read, each read has the value
of its own element, whatever loop it stands in itself.
"""

from __future__ import annotations

from kernlint.analysis.extent.limits import counter_ranges
from kernlint.analysis.trace.events import Access, AccessKind, GuardKind, Root, RootKind, Trace
from kernlint.prove.query import PLACED
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, number, polynomial, term_of
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, cast, substitute, symbols
from kernlint.tree.types import IntType, Space


@dataclass(frozen=True, slots=True, eq=False)
class _Fill:
    """The write: ``counter`` goes from the element at ``first`` bytes on, ``step`` bytes to an element."""

    value: Term
    counter: Symbol
    first: int
    step: int


class Filled:
    """The arrays of a kernel that one loop fills."""

    def __init__(self, of: Trace) -> None:
        self._fills: dict[Root, _Fill] = {}
        own: dict[Root, list[Access]] = {}
        for access in () if of.calls else of.accesses:  # what a call that is not followed is given it may change
            root = access.root
            if root.space is Space.PRIVATE and root.kind is RootKind.VARIABLE and isinstance(access.type, IntType):
                own.setdefault(root, []).append(access)
        for root, accesses in own.items():
            fill = _fill(accesses)
            if fill is not None:
                self._fills[root] = fill

    def said(self, offset: Term) -> Term:
        """An offset with what is known instead of what is read from such arrays."""
        known: dict[Symbol, Term] = {}
        for symbol in symbols(offset) if self._fills else ():
            if symbol.kind is SymbolKind.LOAD and isinstance(symbol.origin, tuple):
                fill = self._fills.get(symbol.origin[0])
                at = None if fill is None else _divided(polynomial(symbol.origin[1]) - number(fill.first), fill.step)
                if fill is not None and at is not None:
                    element = cast(term_of(at), fill.counter.type)
                    known[symbol] = cast(substitute(fill.value, {fill.counter: element}), symbol.type)
        return substitute(offset, known) if known else offset


def _divided(form: Polynomial, by: int) -> Polynomial | None:
    if any(value % by for value in form.coefficients.values()):
        return None
    return Polynomial({mono: value // by for mono, value in form.coefficients.items()})


def _fill(accesses: list[Access]) -> _Fill | None:
    """How an array is filled, where one write in a loop does it before all reads."""
    writes = [one for one in accesses if one.writes]
    if len(writes) != 1 or writes[0].kind is not AccessKind.WRITE or not writes[0].loops:
        return None
    write = writes[0]
    loop, outer = write.loops[-1], write.loops[:-1]
    place = polynomial(write.offset)
    step = place.coefficients.get((loop.counter.term,), 0)
    first = (place - Polynomial({(loop.counter.term,): step})).constant
    if write.value is None or step <= 0 or first is None or step != write.size:
        return None
    if loop.counter not in counter_ranges(write) or {s.kind for s in symbols(write.value)} - PLACED:
        return None
    before = {g.term for g in write.guards if g.loop is not loop and g.kind is not GuardKind.AFTER_LOOP}
    for one in accesses:
        early = one is not write and (one.order < write.order or loop in one.loops)
        if early or one.loops[: len(outer)] != outer or before - {g.term for g in one.guards}:
            return None
    return _Fill(write.value, loop.counter, first, step)
