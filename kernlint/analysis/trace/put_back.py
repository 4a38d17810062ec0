"""Stores of what a cell holds already.

``s[t] = t < half ? s[n - t] : s[t];`` changes nothing for threads of the upper half: whoever reads their cells in the
same phase finds the same value before and after.  So a store is taken apart into when it puts back what has been read
from the very cell, in the same phase and with no store of the thread's own to the object in between, and when it does
not.  That another thread changes the cell in between is a race of its own, with the read.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.trace.events import Root
from kernlint.analysis.trace.machine import Machine
from kernlint.analysis.trace.values import MemPlace, StructValue, Value, fields_of
from kernlint.symbolic.terms import (
    FALSE,
    TRUE,
    Symbol,
    SymbolKind,
    Term,
    binary,
    conjunction,
    const,
    disjunction,
    negate,
)
from kernlint.tree.types import I64, Type


def noted(m: Machine, value: Value) -> None:
    """Note that what has been loaded was read by the access recorded last."""
    for symbol in _leaves(value):
        m.read_by[symbol] = len(m.trace.accesses) - 1


def _leaves(value: Value) -> Iterator[Symbol]:
    if isinstance(value, StructValue):
        for _, field in value.fields:
            yield from _leaves(field)
    elif isinstance(value, Term) and value.symbol is not None:
        yield value.symbol


def kept(m: Machine, place: MemPlace, value: Value) -> Term:
    """When a store of ``value`` puts back what is at ``place``."""
    return _kept(m, value, place.type, place.pointer.root, place.pointer.offset)


def _kept(m: Machine, value: Value, type_: Type, root: Root, offset: Term) -> Term:
    if isinstance(value, StructValue):
        return _whole(m, value, type_, root, offset)
    if not isinstance(value, Term):
        return FALSE
    if value.op == "select":
        cond, one, other = value.args
        ways = _kept(m, one, type_, root, offset), _kept(m, other, type_, root, offset)
        return disjunction(conjunction(cond, ways[0]), conjunction(negate(cond), ways[1]))
    symbol = value.symbol
    if symbol is None or symbol.kind is not SymbolKind.LOAD or symbol.origin != (root, offset):
        return FALSE
    return TRUE if _fresh(m, symbol, root) else FALSE


def _whole(m: Machine, value: StructValue, type_: Type, root: Root, offset: Term) -> Term:
    """When each part of an object is put back."""
    parts = fields_of(type_)
    if type_ != value.type or len(parts) != len(value.fields):
        return FALSE
    term = TRUE
    for (_, kind, at), (_, field) in zip(parts, value.fields, strict=True):
        if term == FALSE or at is None:
            return FALSE
        term = conjunction(term, _kept(m, field, kind, root, binary("add", offset, const(at), I64)))
    return term


def _fresh(m: Machine, symbol: Symbol, root: Root) -> bool:
    """Whether what was loaded has been read in this phase, and the thread has stored nothing in the object since."""
    at = m.read_by.get(symbol)
    if at is None or m.state is None:
        return False
    read = m.trace.accesses[at]
    if read.root is not root or (read.labels, read.warp_labels) != (m.state.labels, m.state.warp_labels):
        return False
    return not any(one.root is root and one.writes for one in m.trace.accesses[at:])
