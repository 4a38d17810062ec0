"""Arithmetic and comparisons as numba compiles them: at least 64 bits for integers, ``//`` and ``%`` of Python."""

from __future__ import annotations

import ast

from kernlint.frontends.python.context import Function, converted, falls, integer, least, literal
from kernlint.frontends.python.values import COMPLEX64, COMPLEX128, Host, Named, TupleValue, Value, arithmetic_type
from kernlint.tree.nodes import Binary, Call, Conditional, Expr, FloatLit, IntLit, Unary
from kernlint.tree.types import BOOL, F32, F64, I64, U64, UNKNOWN, FloatType, IntType, Type, VectorType

_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Div: "/",
    ast.Pow: "**",
}
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Is: "==",
    ast.IsNot: "!=",
}


def apply(f: Function, operator: ast.operator, left: Expr, right: Expr, node: ast.AST) -> Expr:
    """``left operator right``."""
    op = _OPERATORS.get(type(operator))
    if op is None:
        return f.opaque(node, "an operator that numba does not have")
    if left.type in (COMPLEX64, COMPLEX128) or right.type in (COMPLEX64, COMPLEX128):
        kind = arithmetic_type(left.type, right.type)
        return Call(f.span(node), kind, f"complex {op}", None, (left, right), pure_math=True)
    if not _is_number(left.type) or not _is_number(right.type):
        return Call(f.span(node), UNKNOWN, f"python {op}", None, (left, right), pure_math=True)
    if op in ("<<", ">>"):
        kind = U64 if isinstance(left.type, IntType) and not left.type.signed and left.type.bits > 1 else I64
        return Binary(f.span(node), kind, op, converted(left, kind), converted(right, I64))
    kind = arithmetic_type(left.type, right.type)
    if left.type == BOOL and right.type == BOOL and op in "&|^":
        return Binary(f.span(node), BOOL, op, left, right)
    if op == "/":
        kind = F32 if kind == F32 else kind if isinstance(kind, (FloatType, VectorType)) else F64
        return Binary(f.span(node), kind, "/", converted(left, kind), converted(right, kind))
    if op == "**":
        return _power(f, left, right, kind, node)
    if op in ("//", "%"):
        return _floored(f, op, converted(left, kind), converted(right, kind), kind, node)
    if kind == I64:
        return integer(op, left, right, f.span(node)) if op in "+-*" else _bits(f, op, left, right, node)
    return Binary(f.span(node), kind, op, converted(left, kind), converted(right, kind))


def _is_number(type_: Type) -> bool:
    return isinstance(type_, (IntType, FloatType, VectorType))


def _bits(f: Function, op: str, left: Expr, right: Expr, node: ast.AST) -> Expr:
    left, right = converted(left, I64), converted(right, I64)
    if isinstance(left, IntLit) and isinstance(right, IntLit):
        a, b = left.value, right.value
        return literal(f.span(node), a & b if op == "&" else a | b if op == "|" else a ^ b)
    return Binary(f.span(node), I64, op, left, right)


def _power(f: Function, left: Expr, right: Expr, kind: Type, node: ast.AST) -> Expr:
    if isinstance(right, IntLit) and right.value == 2 and isinstance(kind, IntType):
        return Binary(f.span(node), kind, "*", converted(left, kind), converted(left, kind))
    if isinstance(left, IntLit) and isinstance(right, IntLit) and 0 <= right.value < 62 and abs(left.value) < 256:
        return literal(f.span(node), left.value**right.value)
    if isinstance(left, IntLit) and left.value == 2 and isinstance(kind, IntType):
        return Binary(f.span(node), I64, "<<", literal(f.span(node), 1), converted(right, I64))
    if isinstance(left.type, FloatType) and isinstance(right.type, IntType):
        kind = left.type  # a float to a whole power keeps its precision
    return Call(f.span(node), kind, "pow", None, (converted(left, kind), converted(right, kind)), pure_math=True)


def _floored(f: Function, op: str, left: Expr, right: Expr, kind: Type, node: ast.AST) -> Expr:
    span = f.span(node)
    sign = "/" if op == "//" else "%"
    if isinstance(kind, FloatType):
        if op == "//":
            quotient = Binary(span, kind, "/", left, right)
            return Call(span, kind, "floor", None, (quotient,), pure_math=True)
        return _real_rest(f, left, right, kind, node)
    if isinstance(right, IntLit) and right.value < 0 and isinstance(kind, IntType) and kind.signed:
        # a // -b is -a // b, and a % -b is -(-a % b)
        mirrored = _floored(f, op, negated(f, left, node), literal(span, -right.value), kind, node)
        return mirrored if op == "//" else negated(f, mirrored, node)
    low = least(f, left)
    divisor = least(f, right)
    if not isinstance(kind, IntType) or not kind.signed or (low is not None and low >= 0 and (divisor or 0) >= 0):
        if isinstance(left, IntLit) and isinstance(right, IntLit):
            return integer(sign, left, right, span)
        return Binary(span, kind, sign, left, right)
    if isinstance(right, IntLit) and right.value > 0 and right.value & (right.value - 1) == 0:
        if op == "//":
            return Binary(span, kind, ">>", left, literal(span, right.value.bit_length() - 1))
        return Binary(span, kind, "&", left, literal(span, right.value - 1))
    if low is None and not falls(f, left):
        return Binary(span, kind, sign, left, right)
    return _rounded_down(f, sign, left, right, kind, node)


def _real_rest(f: Function, left: Expr, right: Expr, kind: Type, node: ast.AST) -> Expr:
    """The rest of a division of reals, which has the sign of the divisor, here above zero."""
    span = f.span(node)
    rest: Expr = Call(span, kind, "fmod", None, (left, right), pure_math=True)
    if not falls(f, left):
        return rest
    right = f.temporary(node, kind, right)
    rest = f.temporary(node, kind, rest)
    below = Binary(span, BOOL, "<", rest, FloatLit(span, kind, 0.0))
    return Conditional(span, kind, below, Binary(span, kind, "+", rest, right), rest)


def _rounded_down(f: Function, sign: str, left: Expr, right: Expr, kind: Type, node: ast.AST) -> Expr:
    """The quotient or remainder of Python, which rounds towards minus infinity, for a divisor above zero."""
    span = f.span(node)
    left, right = f.temporary(node, kind, left), f.temporary(node, kind, right)
    rest = Binary(span, kind, "%", left, right)
    low = Binary(span, BOOL, "<", rest, literal(span, 0))
    if sign == "%":
        return Conditional(span, kind, low, Binary(span, kind, "+", rest, right), rest)
    quotient = Binary(span, kind, "/", left, right)
    return Conditional(span, kind, low, Binary(span, kind, "-", quotient, literal(span, 1)), quotient)


def negated(f: Function, operand: Expr, node: ast.AST) -> Expr:
    """``-operand``."""
    span = f.span(node)
    if isinstance(operand, IntLit):
        return literal(span, -operand.value)
    if isinstance(operand, FloatLit):
        return FloatLit(span, operand.type, -operand.value)
    if operand.type in (COMPLEX64, COMPLEX128):
        return Call(span, operand.type, "complex -", None, (operand,), pure_math=True)
    if not _is_number(operand.type):
        return Call(f.span(node), UNKNOWN, "python -", None, (operand,), pure_math=True)
    kind = arithmetic_type(operand.type, operand.type)
    return Unary(span, kind, "-", converted(operand, kind))


def compared(
    f: Function, op: ast.cmpop, left: Value, right: Value, left_node: ast.expr, right_node: ast.expr, node: ast.AST
) -> Expr:
    """``left op right``."""
    span = f.span(node)
    sign = _COMPARISONS.get(type(op))
    if sign is None:
        return _membership(f, op, left, right, left_node, right_node, node)
    if isinstance(left, Host) or isinstance(right, Host):
        return _with_host(f, sign, left, right, node)
    if isinstance(left, TupleValue) and isinstance(right, TupleValue) and len(left.items) == len(right.items):
        out: Expr = IntLit(span, BOOL, 1)
        for a, b in zip(left.items, right.items, strict=True):
            one = compared(f, ast.Eq(), a, b, left_node, right_node, node)
            out = one if isinstance(out, IntLit) else Binary(span, BOOL, "&&", out, one)
        return out if sign == "==" else Unary(span, BOOL, "!", out)
    if isinstance(left, Named) or isinstance(
        right, Named
    ):  # of a module that is not in sight: one and the same for all
        from kernlint.frontends.python.expressions import as_scalar

        left, right = as_scalar(f, left, left_node), as_scalar(f, right, right_node)
    if not isinstance(left, Expr) or not isinstance(right, Expr):
        return f.opaque(node, "a comparison of what are no numbers", BOOL)
    if _is_number(left.type) and _is_number(right.type):
        kind = arithmetic_type(left.type, right.type)
        return Binary(span, BOOL, sign, converted(left, kind), converted(right, kind))
    return Call(span, BOOL, f"python {sign}", None, (left, right), pure_math=True)


def _membership(
    f: Function, op: ast.cmpop, left: Value, right: Value, left_node: ast.expr, right_node: ast.expr, node: ast.AST
) -> Expr:
    """``x in (a, b)``."""
    if not isinstance(right, TupleValue) or not right.items:
        return f.opaque(node, "a test of membership", BOOL)
    span = f.span(node)
    out: Expr | None = None
    for item in right.items:
        one = compared(f, ast.Eq(), left, item, left_node, right_node, node)
        out = one if out is None else Binary(span, BOOL, "||", out, one)
    assert out is not None
    return Unary(span, BOOL, "!", out) if isinstance(op, ast.NotIn) else out


def _with_host(f: Function, sign: str, left: Value, right: Value, node: ast.AST) -> Expr:
    """``x is None`` and its like, where the compiler knows the answer."""
    values = [side.value if isinstance(side, Host) else side for side in (left, right)]
    if all(isinstance(side, Host) for side in (left, right)):
        return IntLit(f.span(node), BOOL, int((values[0] == values[1]) == (sign == "==")))
    if any(isinstance(side, Host) and side.value is None and side.node is not None for side in (left, right)):
        return IntLit(f.span(node), BOOL, int(sign == "!="))  # an argument that is given is not None
    return f.opaque(node, "a comparison with what only the host has", BOOL)
