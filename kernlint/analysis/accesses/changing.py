"""Stores that change a cell: those that put back what it holds meet nobody.

``s[t] = s[t];`` is no store at all: a compiler leaves it out, and the read that belongs to it.  Of one that puts back
what the cell holds for some threads, ``s[t] = t < half ? s[n - t] : s[t];``, the others alone are asked about; it is
made all the same, so that somebody else's store may be lost to it: that is a race with the read.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.analysis.accesses.pairs import Pair
from kernlint.analysis.trace.events import Access
from kernlint.prove.cases import conjuncts
from kernlint.prove.query import Side
from kernlint.record import replace
from kernlint.source import Span
from kernlint.symbolic.terms import FALSE, TRUE, SymbolKind, negate
from kernlint.tree.nodes import Assign, Node
from kernlint.tree.walk import strip_casts

_DATA = frozenset({SymbolKind.LOAD, SymbolKind.UNKNOWN, SymbolKind.PHI, SymbolKind.EXIT})


def without_copies_to_itself(accesses: Sequence[Access]) -> Sequence[Access]:
    """``accesses`` without those of statements that assign a cell to itself."""
    stores = [(one, one.node) for one in accesses if isinstance(one.node, Assign) and not one.node.op]
    void = {_at(one, node) for one, node in stores if one.kept == TRUE and not one.volatile}
    void -= {_at(one, node) for one, node in stores if one.kept != TRUE or one.volatile}
    if not void:
        return accesses
    void |= {_at(one, strip_casts(node.value)) for one, node in stores if _at(one, node) in void}
    return [one for one in accesses if _at(one, one.node) not in void]


def _at(access: Access, node: Node) -> tuple[int, tuple[Span, ...]]:
    return id(node), access.stack


def changing(pair: Pair) -> Pair:
    """``pair`` as the threads make it whose stores change something, as far as no data decide that."""
    a, b = _changing(pair.first, pair.a), _changing(pair.second, pair.b)
    return pair if a is pair.a and b is pair.b else replace(pair, a=a, b=b)


def _changing(access: Access, at: Side) -> Side:
    if access.kept == FALSE or any(symbol.kind in _DATA for symbol in access.kept.symbols):
        return at
    more = [part for part in conjuncts(negate(access.kept)) if part not in at.guards]
    return replace(at, guards=(*at.guards, *more))
