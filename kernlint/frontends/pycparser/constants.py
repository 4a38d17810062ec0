"""Values of constant expressions."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable

from kernlint.frontends.clang.intrinsics.base import constant
from kernlint.tree.nodes import Binary, Cast, Conditional, Expr, Unary
from kernlint.tree.types import FloatType, IntType

_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b),
    ">": lambda a, b: int(a > b),
    ">=": lambda a, b: int(a >= b),
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "&&": lambda a, b: int(bool(a and b)),
    "||": lambda a, b: int(bool(a or b)),
    ",": lambda a, b: b,
}


def folded(expr: Expr) -> int | None:
    """The integer that ``expr`` is, in the machine arithmetic of its types; None where it is no constant."""
    if isinstance(expr, Binary):
        left, right = folded(expr.lhs), folded(expr.rhs)
        if left is None or right is None:
            return None
        value = _computed(expr.op, left, right)
    elif isinstance(expr, Conditional):
        chosen = folded(expr.cond)
        return None if chosen is None else folded(expr.then if chosen else expr.other)
    elif isinstance(expr, Cast) and not isinstance(expr.operand.type, FloatType):
        value = folded(expr.operand)
    elif isinstance(expr, Unary):
        inner = folded(expr.operand)
        if inner is None:
            return None
        value = {"-": -inner, "+": inner, "~": ~inner, "!": int(not inner)}[expr.op]
    else:
        return constant(expr)
    return expr.type.wrap(value) if value is not None and isinstance(expr.type, IntType) else value


def _computed(op: str, left: int, right: int) -> int | None:
    if op in ("<<", ">>"):
        if not 0 <= right < 64:
            return None
        return left << right if op == "<<" else left >> right
    if op in ("/", "%"):
        if right == 0:
            return None
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)  # C rounds towards zero
        return quotient if op == "/" else left - quotient * right
    return _OPERATIONS[op](left, right) if op in _OPERATIONS else None


_SUFFIX = re.compile(r"\b(0[xX][\da-fA-F]+|\d+)[uUlL]+\b")
_NUMBERS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.floordiv,
    ast.Mod: operator.mod,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}


def number(text: str) -> int | None:
    """The value of an expression of literals alone, as attributes have them; None for anything else."""
    try:
        return _value(ast.parse(_SUFFIX.sub(r"\1", text.strip()), mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError, OverflowError):
        return None


def _value(node: ast.expr) -> int:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.BinOp) and type(node.op) in _NUMBERS:
        return _NUMBERS[type(node.op)](_value(node.left), _value(node.right))
    raise ValueError
