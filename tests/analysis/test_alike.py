"""How numbers are made, told of terms that share their parts."""

from __future__ import annotations

from kernlint.analysis.extent.alike import shape
from kernlint.symbolic.terms import Symbol, SymbolKind, Term
from kernlint.tree.types import FloatType


def doubled(times: int, op: str, kind: SymbolKind = SymbolKind.LOAD) -> Term:
    """A number that is made of twice the one before, so many times."""
    float_ = FloatType(32)
    term = Symbol(kind, "x", float_).term
    for _ in range(times):
        term = Term(op, (Term("mul", (term, term), float_), term), float_)
    return term


def test_shared_parts_are_looked_at_once() -> None:
    for op in ("mul", "add"):
        assert shape(doubled(40, op)) == shape(doubled(40, op))
        assert len(shape(doubled(40, op))) < 100
        assert shape(doubled(40, op)) != shape(doubled(39, op))
        assert shape(doubled(40, op)) != shape(doubled(40, op, SymbolKind.PARAM))
