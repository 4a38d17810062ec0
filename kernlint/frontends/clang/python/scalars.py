"""The type of a number in a Python program: plain ones of Python, and those of NumPy with their width.

By NumPy's rules (NEP 50): a plain number takes the type of NumPy's number beside it, a whole one a ``float64`` where it
is no float; elements of arrays, and what reductions make of them, have the type of the array.  Python's own ``float``
is a double, and what ``math`` gives is one of these.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from kernlint.apis.python_numbers import WIDTHS
from kernlint.frontends.clang.python.elements import element_type
from kernlint.frontends.clang.python.program import Scope, dotted
from kernlint.frontends.clang.python.reading import Reader

DEPTH = 8
"""Expressions inside each other that are looked at."""

Number = tuple[str, bool]
"""The type of a number, and whether it is a plain one of Python; the type is empty where it is not known."""

UNKNOWN: Number = ("", False)
INT: Number = ("int64", True)
FLOAT: Number = ("float64", True)

_PYTHON = {"int": "int64", "float": "float64", "len": "int64", "bool": "bool"}
_OF_MATH = frozenset({"sqrt", "exp", "log", "log2", "log10", "sin", "cos", "tan", "atan", "atan2", "asin", "acos",
                      "pow", "hypot", "radians", "degrees", "tanh", "sinh", "cosh", "fabs", "copysign"})  # fmt: skip
_FLOATS = frozenset({"float16", "float32", "float64", "half", "single", "double", "float", "float_"})
_SAME = frozenset({"max", "min", "item_", "ptp"})
_MEANS = frozenset({"mean", "std", "var"})


def scalar(reader: Reader, expr: ast.expr, scope: Scope, depth: int = 0) -> Number:
    """The type of a number that is passed, and whether it is a plain one of Python; empty when it is not known."""
    expr, scope = reader.program.resolved(expr, scope)
    if depth > DEPTH:
        return UNKNOWN
    if isinstance(expr, ast.UnaryOp) and isinstance(expr.op, (ast.USub, ast.UAdd)):
        return scalar(reader, expr.operand, scope, depth + 1)
    if isinstance(expr, ast.Constant) and type(expr.value) in (int, float):
        return INT if isinstance(expr.value, int) else FLOAT
    if isinstance(expr, ast.Name):
        return _of_loop(reader, expr.id, scope, depth)
    if isinstance(expr, ast.BinOp):
        left, right = (scalar(reader, side, scope, depth + 1) for side in (expr.left, expr.right))
        return _combined(left, right, isinstance(expr.op, ast.Div))
    if isinstance(expr, ast.IfExp):
        left, right = (scalar(reader, side, scope, depth + 1) for side in (expr.body, expr.orelse))
        return left if left == right else UNKNOWN
    if isinstance(expr, ast.Subscript):
        return _element(reader, expr, scope)
    return _called(reader, expr, scope, depth) if isinstance(expr, ast.Call) else UNKNOWN


def _called(reader: Reader, expr: ast.Call, scope: Scope, depth: int) -> Number:
    if not expr.args and not expr.keywords:
        return _reduced(reader, expr, scope)
    name = dotted(expr.func) or ""
    if name in _PYTHON and name not in reader.program.imports and scope.holder(name) is None:
        return _PYTHON[name], True
    home, _, last = reader.program.imported(name, scope).rpartition(".")
    if home in ("numpy", "cupy") and last in WIDTHS:
        return last, False
    if home == "math" and last in _OF_MATH:
        return FLOAT
    if home == "numpy" and last in _OF_MATH and len(expr.args) == 1:
        inner = scalar(reader, expr.args[0], scope, depth + 1)
        if inner[1]:
            return "float64", False
        return inner if inner[0] in _FLOATS else UNKNOWN
    return UNKNOWN


def _reduced(reader: Reader, expr: ast.Call, scope: Scope) -> Number:
    """``array.max()``, ``array.mean()``, of an array on the host."""
    func = expr.func
    if not isinstance(func, ast.Attribute) or func.attr not in _SAME | _MEANS:
        return UNKNOWN
    array = reader.array(func.value, scope)
    dtype = element_type(reader, func.value, scope)
    if array is None or array.device is not False or dtype not in WIDTHS:
        return UNKNOWN
    if func.attr in _MEANS:
        return dtype if dtype in _FLOATS else "float64", False
    return dtype, False


def _element(reader: Reader, expr: ast.Subscript, scope: Scope) -> Number:
    """An element of an array of one axis on the host."""
    if isinstance(expr.slice, (ast.Slice, ast.Tuple)):
        return UNKNOWN
    array = reader.array(expr.value, scope)
    if array is None or array.device is not False or array.shape is None or len(array.shape) != 1:
        return UNKNOWN
    index = scalar(reader, expr.slice, scope, DEPTH - 1)
    return (array.dtype, False) if index[0].startswith("int") and array.dtype in WIDTHS else UNKNOWN


def _combined(left: Number, right: Number, divided: bool) -> Number:
    """What an operation makes of two numbers."""
    (one, plain), (other, other_plain) = left, right
    if not one or not other:
        return UNKNOWN
    if plain and other_plain:
        return FLOAT if divided or "float64" in (one, other) else INT
    if plain or other_plain:
        mine, theirs = (other, one) if plain else (one, other)
        if mine in _FLOATS:
            return mine, False
        return ("float64", False) if divided or theirs == "float64" else (mine, False)
    if one == other and (one in _FLOATS or not divided):
        return one, False
    return ("float64", False) if {one, other} <= {"float32", "float64"} else UNKNOWN


def _of_loop(reader: Reader, name: str, scope: Scope, depth: int) -> Number:
    """The variable of a loop over an array of one axis, over numbers or over a range."""
    holder = scope.holder(name)
    if holder is None or holder is not scope or holder.bound[name] != [None]:
        return UNKNOWN
    over = next(_iterated(scope.node, name), None)
    if over is None:
        return UNKNOWN
    if isinstance(over, ast.Call) and dotted(over.func) == "range":
        return INT
    listed, where = reader.program.resolved(over, scope)
    if isinstance(listed, (ast.Tuple, ast.List)):
        found = {scalar(reader, one, where, depth + 1) for one in listed.elts}
        return found.pop() if len(found) == 1 else UNKNOWN
    if not isinstance(listed, ast.Call) or not _flat(reader, listed, where):
        return UNKNOWN
    dtype = element_type(reader, listed, where)
    return (dtype, False) if dtype in WIDTHS else UNKNOWN


_ONE_AXIS = frozenset({"diff", "linspace", "arange", "logspace", "ravel", "cumsum", "geomspace", "unique", "sort"})


def _flat(reader: Reader, made: ast.Call, scope: Scope) -> bool:
    """Whether NumPy makes an array of one axis."""
    home, _, last = reader.program.imported(dotted(made.func) or "", scope).rpartition(".")
    if home == "numpy" and last in _ONE_AXIS:
        return True
    array = reader.array(made, scope)
    return array is not None and array.device is False and array.shape is not None and len(array.shape) == 1


def _iterated(node: ast.AST, name: str) -> Iterator[ast.expr]:
    """What loops over a variable go over."""
    for at in ast.walk(node):
        if not isinstance(at, (ast.For, ast.comprehension)):
            continue
        over, target = at.iter, at.target
        if isinstance(target, ast.Name) and target.id == name:
            yield over
        if not isinstance(target, ast.Tuple) or not isinstance(over, ast.Call):
            continue
        parts = over.args if dotted(over.func) == "zip" else [None, *over.args[:1]]
        if dotted(over.func) in ("zip", "enumerate"):
            for part, one in zip(target.elts, parts, strict=False):
                if isinstance(part, ast.Name) and part.id == name and one is not None:
                    yield one
