"""Least values of integers: numba lets negative indices count from the end, so it matters which cannot be negative."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from kernlint.tree.nodes import Binary, Call, Cast, Conditional, Expr, IntLit, LaunchValue, Ref, Unary, VarDecl
from kernlint.tree.types import IntType


def lower_bound(known: Mapping[VarDecl, int], expr: Expr) -> int | None:
    """A number that ``expr`` is never below; None where neither its form nor ``known`` says one."""
    if isinstance(expr, IntLit):
        return expr.value
    if isinstance(expr, LaunchValue):
        return 0
    if isinstance(expr, Ref):
        found = known.get(expr.decl)
        return found if found is not None or not _unsigned(expr) else 0
    if isinstance(expr, Cast):
        if not isinstance(expr.type, IntType) or not isinstance(expr.operand.type, IntType):
            return 0 if _unsigned(expr) else None
        return 0 if _unsigned(expr) else lower_bound(known, expr.operand)
    if isinstance(expr, Binary):
        return _binary(known, expr)
    if isinstance(expr, Conditional):
        then, other = lower_bound(known, expr.then), lower_bound(known, expr.other)
        return None if then is None or other is None else min(then, other)
    if isinstance(expr, Call) and expr.name in ("min", "max", "abs") and expr.args:
        bounds = [lower_bound(known, arg) for arg in expr.args]
        if expr.name == "abs":
            return 0
        if expr.name == "max":
            return max((b for b in bounds if b is not None), default=None)
        return None if None in bounds else min(b for b in bounds if b is not None)
    return 0 if _unsigned(expr) else None


Order = tuple[str, str, int]
"""(a, b, gap): the value written as ``a`` is at least that written as ``b`` and ``gap`` more."""


def orders_of(cond: Expr, holds: bool) -> Iterator[Order]:
    """What a condition that holds, or does not, says of two values."""
    if isinstance(cond, Unary) and cond.op == "!":
        yield from orders_of(cond.operand, not holds)
    elif isinstance(cond, Binary) and cond.op == ("&&" if holds else "||"):
        yield from orders_of(cond.lhs, holds)
        yield from orders_of(cond.rhs, holds)
    elif isinstance(cond, Binary) and cond.op in _MIRRORED:
        op = cond.op if holds else _NEGATED[cond.op]
        for left, right, how in ((cond.lhs, cond.rhs, op), (cond.rhs, cond.lhs, _MIRRORED[op])):
            if how in (">", ">=", "=="):
                (above, up), (below, down) = _shifted(left), _shifted(right)
                yield above, below, (1 if how == ">" else 0) + down - up


def _shifted(expr: Expr) -> tuple[str, int]:
    """A value as text without the number that is added to it, and that number."""
    while isinstance(expr, Cast):
        expr = expr.operand
    if isinstance(expr, Binary) and expr.op in "+-" and isinstance(expr.rhs, IntLit):
        text, more = _shifted(expr.lhs)
        return text, more + (expr.rhs.value if expr.op == "+" else -expr.rhs.value)
    return _text(expr), 0


def _text(expr: Expr) -> str:
    from kernlint.tree.dump import expression_text

    while isinstance(expr, Cast):
        expr = expr.operand
    return expression_text(expr)


def ordered(orders: Iterable[Order], known: Mapping[VarDecl, int], expr: Expr) -> bool:
    """Whether ``expr``, a difference, is not negative by what is known of its parts."""
    plus: dict[str, Expr] = {}
    minus: list[str] = []
    number = _parts(expr, 1, plus, minus)
    if len(minus) != 1:
        return False
    for above, below, gap in orders:
        if below == minus[0] and above in plus:
            rest = [lower_bound(known, part) for text, part in plus.items() if text != above]
            if None not in rest and number + gap + sum(low for low in rest if low is not None) >= 0:
                return True
    return False


def _parts(expr: Expr, sign: int, plus: dict[str, Expr], minus: list[str]) -> int:
    """Sort the terms of a sum; the numbers among them are added up."""
    while isinstance(expr, Cast):
        expr = expr.operand
    if isinstance(expr, IntLit):
        return sign * expr.value
    if isinstance(expr, Binary) and expr.op in "+-":
        return _parts(expr.lhs, sign, plus, minus) + _parts(expr.rhs, sign if expr.op == "+" else -sign, plus, minus)
    if sign > 0:
        plus[_text(expr)] = expr
    else:
        minus.append(_text(expr))
    return 0


def _unsigned(expr: Expr) -> bool:
    return isinstance(expr.type, IntType) and not expr.type.signed


def _binary(known: Mapping[VarDecl, int], expr: Binary) -> int | None:
    if expr.op in ("<", "<=", ">", ">=", "==", "!=", "&&", "||"):
        return 0
    left, right = lower_bound(known, expr.lhs), lower_bound(known, expr.rhs)
    if expr.op == "&" and ((left is not None and left >= 0) or (right is not None and right >= 0)):
        return 0
    if expr.op == "-" and isinstance(expr.rhs, IntLit) and left is not None:
        return left - expr.rhs.value
    if left is None or right is None:
        return None
    if expr.op == "+":
        return left + right
    if left < 0 or right < 0:
        return None
    if expr.op == "*":
        return left * right
    return 0 if expr.op in ("/", "%", "<<", ">>", "|", "^") else None


_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


def bounds_of(cond: Expr, holds: bool, known: Mapping[VarDecl, int]) -> Iterator[tuple[VarDecl, int]]:
    """(variable, least value) that follow from a condition that holds, or does not."""
    if isinstance(cond, Unary) and cond.op == "!":
        yield from bounds_of(cond.operand, not holds, known)
    elif isinstance(cond, Binary) and cond.op == ("&&" if holds else "||"):
        yield from bounds_of(cond.lhs, holds, known)
        yield from bounds_of(cond.rhs, holds, known)
    elif isinstance(cond, Binary) and cond.op in _MIRRORED:
        op = cond.op if holds else _NEGATED[cond.op]
        for left, right, how in ((cond.lhs, cond.rhs, op), (cond.rhs, cond.lhs, _MIRRORED[op])):
            while isinstance(left, Cast):
                left = left.operand
            if not isinstance(left, Ref) or not isinstance(left.type, IntType):
                continue
            least = lower_bound(known, right)
            if least is None:
                continue
            if how in (">", ">=", "=="):
                yield left.decl, least + (1 if how == ">" else 0)
            elif how == "!=" and known.get(left.decl) == least and isinstance(right, IntLit):
                yield left.decl, least + 1
