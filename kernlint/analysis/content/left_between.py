"""Branches of one datum that leave numbers out: ``if (x > 0.5f) s = ..; else if (x < -0.5f) s = ..;``.

A chain of branches may have one for all there is, and its last test be there for the reader.  Where each compares the
same datum with numbers, what they leave can be computed.  Classes of sizes (``if (n <= 32) c = 0; else if (n <= 256)
c = 1; else if (n <= 2048) c = 2;``) have an end to the last one that only a caller can vouch for: where the class is a
place in memory, the kernel has none for what is larger.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.analysis.content.one_branch import settled
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.trace.events import Event
from kernlint.symbolic.terms import SymbolKind, Term, symbols
from kernlint.tree.types import FloatType, IntType

_OTHER = {"lt": "le", "le": "lt"}


CLASSES = 3
"""Classes by their upper ends that are no choice of two or three things."""


def left_between(event: Event, facts: Sequence[Term], place: bool = False) -> bool:
    """Whether all of ``facts`` compare one datum with numbers, two or more of them, and some number between two of them
    meets them all; of a ``place``, one above :data:`CLASSES` of them or more."""
    low, high = float("-inf"), float("inf")
    open_low = open_high = False
    data: set[Term] = set()
    parts = [part for fact in facts for part in conjuncts(fact)]
    for part in parts:
        truth = True
        while part.op == "lnot":
            part, truth = part.args[0], not truth
        if part.op not in _OTHER:
            return False
        first, second = part.args
        strict = part.op == "lt"
        if not truth:
            first, second, strict = second, first, not strict
        least, most = _number(first), _number(second)
        if (least is None) == (most is None):
            return False
        data.add(second if least is not None else first)
        if least is not None and (least, strict) > (low, open_low):
            low, open_low = least, strict
        if most is not None and (most, not strict) < (high, not open_high):
            high, open_high = most, strict
    if len(parts) < 2 or len(data) != 1 or not settled(event):
        return False
    (datum,) = data
    asked = [symbol for symbol in symbols(datum) if symbol.kind is SymbolKind.LOAD]
    if len(asked) != 1 or low == float("-inf"):
        return False
    if high == float("inf"):
        return place and len({*parts}) >= CLASSES and isinstance(datum.type, IntType)
    if isinstance(datum.type, IntType):
        return low + open_low <= high - open_high
    return low < high or (low == high and not open_low and not open_high)


def _number(term: Term) -> float | None:
    while term.op == "cast" and isinstance(term.type, (IntType, FloatType)):
        term = term.args[0]
    value = term.args[0] if term.op == "const" else None
    return value if isinstance(value, (int, float)) else None
