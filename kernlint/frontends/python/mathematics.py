"""Functions of mathematics: Python's own, those of ``math`` and NumPy's for scalars."""

from __future__ import annotations

import ast

from kernlint.frontends.python.constants import HostArray
from kernlint.frontends.python.context import Function, converted, literal
from kernlint.frontends.python.values import (
    COMPLEX64,
    COMPLEX128,
    ArrayValue,
    Host,
    TupleValue,
    Value,
    arithmetic_type,
    unified,
)
from kernlint.tree.nodes import Call, Expr, IntLit
from kernlint.tree.types import BOOL, F32, F64, I32, I64, UNKNOWN, FloatType, IntType, Type

_ONE = frozenset(
    {
        "absolute", "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "ceil", "cos", "cosh", "degrees", "erf",
        "erfc", "exp", "exp2", "expm1", "fabs", "floor", "lgamma", "log", "log10", "log1p", "log2", "negative",
        "radians", "reciprocal", "rint", "sign", "sin", "sinh", "sqrt", "square", "tan", "tanh", "tgamma", "trunc",
    }
)  # fmt: skip
_TWO = frozenset(
    {"atan2", "copysign", "fmax", "fmin", "fmod", "hypot", "ldexp", "max", "min", "pow", "remainder"}
)  # fmt: skip
_TESTS = frozenset({"isnan", "isinf", "isfinite", "signbit"})
_SPELLED = {
    "gamma": "tgamma", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2", "absolute": "abs",
    "power": "pow", "maximum": "max", "minimum": "min", "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh",
}  # fmt: skip


def mathematical(f: Function, path: str, args: list[Value], keys: dict[str, Value], node: ast.Call) -> Value | None:
    """The value of a call of a known function of scalars; None for other calls."""
    first, _, name = path.rpartition(".")
    if not first:
        return _own(f, name, args, node)
    if first not in ("math", "numpy", "cmath"):
        return None
    name = _SPELLED.get(name, name)
    parts = [arg for arg in args if isinstance(arg, Expr)]
    if len(parts) != len(args) or keys or not parts:
        return None
    if any(part.type in (COMPLEX64, COMPLEX128) for part in parts):
        kind: Type = F64 if name in ("abs", "real", "imag") else parts[0].type
        return Call(f.span(node), kind, f"complex {name}", None, tuple(parts), pure_math=True)
    if name in ("modf", "frexp") and first == "math" and len(parts) == 1:
        kind = parts[0].type if isinstance(parts[0].type, FloatType) else F64
        operand = converted(parts[0], kind)
        second = kind if name == "modf" else I32
        made = ((kind, f"{name} fraction"), (second, f"{name} whole"))
        return TupleValue(tuple(Call(f.span(node), t, word, None, (operand,), pure_math=True) for t, word in made))
    if name in _TESTS:
        return Call(f.span(node), BOOL, name, None, tuple(parts), pure_math=True)
    if name in ("floor", "ceil", "trunc") and first == "math":
        return _rounded(f, name, parts, node)
    if name in ("max", "min", "abs") and all(isinstance(part.type, IntType) for part in parts):
        return _chosen(f, name, parts, node)
    if (name in _ONE and len(parts) == 1) or (name in _TWO and len(parts) == 2) or name in ("max", "min", "abs"):
        kind = _float_of(parts)
        return Call(f.span(node), kind, name, None, tuple(converted(p, kind) for p in parts), pure_math=True)
    return None


def _float_of(parts: list[Expr]) -> Type:
    kind: Type | None = None
    for part in parts:
        own = part.type if isinstance(part.type, FloatType) else F64
        kind = unified(kind, own)
    return kind or F64


def _rounded(f: Function, name: str, parts: list[Expr], node: ast.Call) -> Expr:
    """``math.floor`` and its like give a whole number."""
    (part,) = parts
    if isinstance(part.type, IntType):
        return part
    kind = part.type if isinstance(part.type, FloatType) else F64
    made = Call(f.span(node), kind, name, None, (converted(part, kind),), pure_math=True)
    from kernlint.frontends.python.calls import cast

    out = cast(f, I64, made, node)
    assert isinstance(out, Expr)
    return out


def _chosen(f: Function, name: str, parts: list[Expr], node: ast.AST) -> Expr:
    """``min``, ``max``, ``abs``."""
    kind: Type = parts[0].type
    for part in parts[1:]:
        kind = arithmetic_type(kind, part.type) if kind != part.type else kind
    if name == "abs" and kind == BOOL:
        kind = I64
    out = converted(parts[0], kind)
    if len(parts) == 1:
        return Call(f.span(node), kind, name, None, (out,), pure_math=True)
    for part in parts[1:]:
        other = converted(part, kind)
        if isinstance(out, IntLit) and isinstance(other, IntLit):
            value = min(out.value, other.value) if name == "min" else max(out.value, other.value)
            out = IntLit(f.span(node), kind, value)
        else:
            out = Call(f.span(node), kind, name, None, (out, other), pure_math=True)
    return out


def _own(f: Function, name: str, args: list[Value], node: ast.Call) -> Value | None:
    """Python's own functions."""
    span = f.span(node)
    if name == "len" and len(args) == 1:
        return _length(f, args[0], node)
    if name in ("min", "max") and len(args) == 1 and isinstance(args[0], TupleValue):
        args = list(args[0].items)
    parts = [arg for arg in args if isinstance(arg, Expr)]
    if name in ("tuple", "list") and len(args) == 1 and isinstance(args[0], TupleValue):
        return args[0]
    if name == "range":
        return None
    if len(parts) != len(args) or not parts:
        return None
    if name in ("min", "max", "abs") and (len(parts) > 1 or name == "abs"):
        if parts[0].type in (COMPLEX64, COMPLEX128):
            kind = F32 if parts[0].type == COMPLEX64 else F64
            return Call(span, kind, "complex abs", None, tuple(parts), pure_math=True)
        if not all(isinstance(part.type, (IntType, FloatType)) for part in parts):
            return Call(span, UNKNOWN, name, None, tuple(parts), pure_math=True)
        return _chosen(f, name, parts, node)
    if name == "pow" and len(parts) == 2:
        from kernlint.frontends.python.operators import apply

        return apply(f, ast.Pow(), parts[0], parts[1], node)
    if name == "round":
        whole: Type = parts[0].type if len(parts) > 1 and isinstance(parts[0].type, FloatType) else I64
        made = Call(span, parts[0].type, "rint", None, (parts[0],), pure_math=True)
        return converted(made, whole) if isinstance(parts[0].type, (IntType, FloatType)) else made
    if name == "divmod" and len(parts) == 2:
        from kernlint.frontends.python.operators import apply

        return TupleValue(tuple(apply(f, op, parts[0], parts[1], node) for op in (ast.FloorDiv(), ast.Mod())))
    if name == "sum" and isinstance(args[0], TupleValue):
        return None
    return None


def _length(f: Function, value: Value, node: ast.AST) -> Value | None:
    if isinstance(value, ArrayValue) and value.shape:
        return value.shape[0]
    if isinstance(value, TupleValue):
        return literal(f.span(node), len(value.items))
    if isinstance(value, Host):
        if isinstance(value.value, HostArray) and value.value.shape and value.value.shape[0] is not None:
            return literal(f.span(node), value.value.shape[0])
        if isinstance(value.value, str):
            return literal(f.span(node), len(value.value))
    return None
