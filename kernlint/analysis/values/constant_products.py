"""Sums and products of constants that leave 32 bits: ``const ulong bits = WORDS * WORD_BITS;``.

No data and no launch has a part in it: the value is wrong whenever the code runs.  Numbers without a sign wrap on
purpose where bits are mixed, and count only where the product of a number that mixes nothing is widened when it is
done.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.tree.nodes import Binary, Cast, Expr, FunctionDecl, IntLit, Ref
from kernlint.tree.types import IntType
from kernlint.tree.walk import walk

MIXING = 1 << 16
"""Constants from here on may mix bits; of two that count, one is smaller."""

REMEMBERED = 64
"""Functions of which the answer is kept."""

DEPTH = 8
"""Operations within each other that are worked out."""


@dataclass(frozen=True, slots=True)
class Wrapped:
    """An operation on constants whose ``value`` does not fit into its 32 bits."""

    span: Span
    value: int


def wrapped_constants(functions: Iterable[FunctionDecl]) -> Iterator[Wrapped]:
    """The innermost operations on constants that leave 32 bits, each once."""
    yield from dict.fromkeys(found for function in functions for found in _of(function))


@lru_cache(maxsize=REMEMBERED)
def _of(function: FunctionDecl) -> tuple[Wrapped, ...]:
    found: list[Wrapped] = []
    late: set[int] = set()
    for node in walk(function.body) if function.body is not None else ():
        if isinstance(node, Cast) and _bits(node) == 64:
            late.add(id(node.operand))
        if not isinstance(node, Binary) or node.op not in ("+", "-", "*") or _bits(node) != 32:
            continue
        one, other = _value(node.lhs), _value(node.rhs)
        if one is None or other is None or not isinstance(node.type, IntType):
            continue
        value = _apply(node.op, one, other)
        if node.type.low <= value <= node.type.high:
            continue
        if node.type.signed or (node.op == "*" and id(node) in late and 1 < min(one, other) < MIXING):
            found.append(Wrapped(node.span, value))
    return tuple(found)


def _value(expr: Expr, depth: int = 0) -> int | None:
    """The value of an expression of constants; None where it is none, or leaves its type."""
    if isinstance(expr, IntLit):
        return expr.value
    if isinstance(expr, Ref):
        return expr.decl.value if expr.decl.const and not expr.decl.synthesised else None
    kind = expr.type
    if depth > DEPTH or not isinstance(kind, IntType):
        return None
    value: int | None = None
    if isinstance(expr, Cast):
        value = _value(expr.operand, depth + 1)
    elif isinstance(expr, Binary) and expr.op in ("+", "-", "*"):
        one, other = _value(expr.lhs, depth + 1), _value(expr.rhs, depth + 1)
        value = _apply(expr.op, one, other) if one is not None and other is not None else None
    return value if value is not None and kind.low <= value <= kind.high else None


def _apply(op: str, one: int, other: int) -> int:
    return one * other if op == "*" else one + other if op == "+" else one - other


def _bits(expr: Expr) -> int:
    return expr.type.bits if isinstance(expr.type, IntType) else 0
