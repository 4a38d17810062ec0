"""Values of the host's Python that a kernel takes with it when it is compiled: numbers, types, tuples, arrays.

Only what the text says is worked out, with limits on how large a number may get and how deep a name may lead.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable

from kernlint.frontends.clang.python.program import PythonProgram, Scope
from kernlint.frontends.python.functions import full_name
from kernlint.frontends.python.values import SCALARS
from kernlint.record import dataclass
from kernlint.tree.types import F64, I64, Field, FloatType, IntType, StructType, Type

DEPTH = 20
"""Expressions and names inside each other that are followed."""

LARGEST = 1 << 80
"""Numbers from here on are not worked out."""


@dataclass(frozen=True, slots=True)
class HostArray:
    """An array that the host makes: elements along each axis (None: not known) and their type; ``items``: what they
    are where the text lists them, row by row."""

    shape: tuple[int | None, ...]
    element: Type
    items: tuple[int | float, ...] | None = None


_ROUNDED: dict[str, Callable[[float], float]] = {
    "ceil": math.ceil,
    "floor": math.floor,
    "abs": abs,
    "sqrt": math.sqrt,
    "log2": math.log2,
}


class Unknown(Exception):
    """The text does not say what the value is."""


_OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Div: lambda a, b: a / b,
    ast.Mod: lambda a, b: a % b,
    ast.BitAnd: lambda a, b: int(a) & int(b),
    ast.BitOr: lambda a, b: int(a) | int(b),
    ast.BitXor: lambda a, b: int(a) ^ int(b),
}
_FILLED = frozenset({"zeros", "ones", "empty", "full", "device_array", "pinned_array", "mapped_array", "managed_array"})


class Constants:
    """Works out what expressions of the host stand for."""

    def __init__(self, program: PythonProgram) -> None:
        self.program = program

    def of(self, expr: ast.expr | None, scope: Scope) -> object | None:
        """A number, string, tuple, type or :class:`HostArray`; None when the text does not say."""
        if expr is None:
            return None
        try:
            return self._value(expr, scope, 0)
        except (Unknown, ArithmeticError, ValueError, TypeError, RecursionError):
            return None

    def number(self, expr: ast.expr | None, scope: Scope) -> int | None:
        """A whole number; None for anything else."""
        found = self.of(expr, scope)
        return found if isinstance(found, int) and not isinstance(found, bool) else None

    def type(self, expr: ast.expr | None, scope: Scope) -> Type | None:
        """The element type that an expression names."""
        found = self.of(expr, scope)
        if isinstance(found, str):
            return SCALARS.get(found.lstrip("<=>|"))
        return found if isinstance(found, Type) else None

    # ------------------------------------------------------------------------------------------------ evaluation

    def _value(self, expr: ast.expr, scope: Scope, depth: int) -> object:
        if depth > DEPTH:
            raise Unknown
        found = self.program.binding(expr, scope)
        if found is not None and found[0] is not expr:
            return self._value(*found, depth + 1)
        if isinstance(expr, ast.Constant):
            if expr.value is None or isinstance(expr.value, (bytes, complex)) or expr.value is Ellipsis:
                raise Unknown
            return _small(expr.value)
        if isinstance(expr, (ast.Tuple, ast.List)):
            return tuple(self._value(part, scope, depth + 1) for part in expr.elts)
        if isinstance(expr, ast.UnaryOp):
            return self._unary(expr, scope, depth)
        if isinstance(expr, ast.BinOp):
            return self._binary(expr, scope, depth)
        if isinstance(expr, ast.Subscript):
            base, at = self._value(expr.value, scope, depth + 1), self._value(expr.slice, scope, depth + 1)
            if isinstance(base, tuple) and isinstance(at, int) and -len(base) <= at < len(base):
                return base[at]
            raise Unknown
        if isinstance(expr, ast.Call):
            return self._call(expr, scope, depth)
        if isinstance(expr, ast.Attribute):
            return self._attribute(expr, scope, depth)
        if isinstance(expr, ast.Name):
            return _of_library(full_name(self.program, expr, scope))
        raise Unknown

    def _attribute(self, expr: ast.Attribute, scope: Scope, depth: int) -> object:
        path = full_name(self.program, expr, scope)
        if path is not None:
            return _of_library(path)
        base = self._value(expr.value, scope, depth + 1)
        if isinstance(base, HostArray):
            if expr.attr == "shape":
                return base.shape
            if expr.attr == "dtype":
                return base.element
            if expr.attr == "size" and None not in base.shape:
                return math.prod(n for n in base.shape if n is not None)
            if expr.attr == "ndim":
                return len(base.shape)
            if expr.attr == "T":
                return HostArray(base.shape[::-1], base.element)
        if isinstance(base, Type) and expr.attr == "itemsize" and base.size:
            return base.size
        raise Unknown

    def _unary(self, expr: ast.UnaryOp, scope: Scope, depth: int) -> object:
        value = _numeric(self._value(expr.operand, scope, depth + 1))
        if isinstance(expr.op, ast.USub):
            return -value
        if isinstance(expr.op, ast.UAdd):
            return value
        return not value if isinstance(expr.op, ast.Not) else ~int(value)

    def _binary(self, expr: ast.BinOp, scope: Scope, depth: int) -> object:
        left, right = self._value(expr.left, scope, depth + 1), self._value(expr.right, scope, depth + 1)
        if isinstance(expr.op, ast.Add) and isinstance(left, tuple) and isinstance(right, tuple):
            return (left + right)[:64]
        a, b = _numeric(left), _numeric(right)
        if isinstance(expr.op, (ast.LShift, ast.RShift, ast.Pow)):
            if abs(b) > 80 or abs(a) >= LARGEST:
                raise Unknown
            if isinstance(expr.op, ast.Pow):
                return _small(a**b)
            return _small(int(a) << int(b) if isinstance(expr.op, ast.LShift) else int(a) >> int(b))
        operation = _OPERATORS.get(type(expr.op))
        if operation is None:
            raise Unknown
        return _small(operation(a, b))

    def _call(self, expr: ast.Call, scope: Scope, depth: int) -> object:
        path = full_name(self.program, expr.func, scope) or ""
        last = path.rpartition(".")[2]
        args = expr.args
        keys = {key.arg: key.value for key in expr.keywords if key.arg}
        if isinstance(expr.func, ast.Attribute) and expr.func.attr in ("astype", "copy", "reshape", "view"):
            return self._method(expr, scope, depth)
        if last in ("len",) and len(args) == 1:
            value = self._value(args[0], scope, depth + 1)
            if isinstance(value, tuple):
                return len(value)
            if isinstance(value, HostArray) and value.shape and value.shape[0] is not None:
                return value.shape[0]
            raise Unknown
        if last in ("min", "max") and len(args) > 1:
            values = [_numeric(self._value(arg, scope, depth + 1)) for arg in args]
            return min(values) if last == "min" else max(values)
        if last in ("dtype", "from_dtype") and args:
            return self._dtype(args[0], scope, depth)
        if last in SCALARS and len(args) == 1 and not keys:
            given = self._value(args[0], scope, depth + 1)
            if isinstance(given, str) and path == "float":
                return _said(given)
            value = _numeric(given)
            return float(value) if "float" in last or last == "double" else int(value)
        rounded = _ROUNDED.get(last)
        if rounded is not None and len(args) == 1:
            return rounded(_numeric(self._value(args[0], scope, depth + 1)))
        if path.partition(".")[0] in ("numpy", "cupy", "numba"):
            return self._array(last, args, keys, scope, depth)
        raise Unknown

    def _method(self, expr: ast.Call, scope: Scope, depth: int) -> object:
        assert isinstance(expr.func, ast.Attribute)
        base = self._value(expr.func.value, scope, depth + 1)
        if not isinstance(base, HostArray):
            raise Unknown
        if expr.func.attr == "copy":
            return base
        if expr.func.attr == "astype" and expr.args:
            return HostArray(base.shape, self.type(expr.args[0], scope) or base.element)
        if expr.func.attr == "reshape" and expr.args:
            shape = self._value(expr.args[0] if len(expr.args) == 1 else ast.Tuple(expr.args), scope, depth + 1)
            return HostArray(tuple(_extent(n) for n in (shape if isinstance(shape, tuple) else (shape,))), base.element)
        raise Unknown

    def _dtype(self, expr: ast.expr, scope: Scope, depth: int) -> object:
        expr, scope = self.program.resolved(expr, scope)
        if isinstance(expr, (ast.List, ast.Tuple)):
            return self._record(expr, scope)
        value = self._value(expr, scope, depth + 1)
        if isinstance(value, str):
            value = SCALARS.get(value.lstrip("<=>|"))
        if isinstance(value, Type):
            return value
        raise Unknown

    def _record(self, expr: ast.List | ast.Tuple, scope: Scope) -> StructType:
        fields: list[Field] = []
        at = 0
        for part in expr.elts:
            if not isinstance(part, ast.Tuple) or len(part.elts) != 2:
                raise Unknown
            name, element = self.of(part.elts[0], scope), self.type(part.elts[1], scope)
            if not isinstance(name, str) or element is None or not element.size:
                raise Unknown
            fields.append(Field(name, element, at))
            at += element.size
        return StructType("record", tuple(fields), at, 1)

    def _array(self, name: str, args: list[ast.expr], keys: dict[str, ast.expr], scope: Scope, depth: int) -> HostArray:
        stated = keys.get("dtype")
        if name in _FILLED and (args or "shape" in keys):
            shape = self.extents(args[0] if args else keys["shape"], scope)
            at = 2 if name == "full" else 1
            stated = stated if stated is not None else args[at] if len(args) > at else None
            return HostArray(shape, self.type(stated, scope) or F64)
        if name == "arange" and args:
            count = self.number(args[-1] if len(args) < 3 else None, scope)
            first = self.number(args[0], scope) if len(args) == 2 else 0
            whole = all(isinstance(self.of(arg, scope), int) for arg in args)
            size = None if count is None or first is None else max(0, count - first)
            return HostArray((size,), self.type(stated, scope) or (I64 if whole else F64))
        if name in ("array", "asarray", "ascontiguousarray", "to_device") and args:
            second = args[1] if len(args) > 1 and name != "to_device" else None
            return self._listed(args[0], scope, self.type(stated or second, scope), depth)
        raise Unknown

    def _listed(self, expr: ast.expr, scope: Scope, stated: Type | None, depth: int) -> HostArray:
        value = self._value(expr, scope, depth + 1)
        if isinstance(value, HostArray):
            kept = value.items if stated in (None, value.element) else None
            return HostArray(value.shape, stated or value.element, kept)
        whole = value
        shape: list[int | None] = []
        while isinstance(value, tuple):
            shape.append(len(value))
            value = value[0] if value else None
        if not shape:
            raise Unknown
        element = stated or (F64 if isinstance(value, float) else I64)
        return HostArray(tuple(shape), element, _items(whole, tuple(shape), element))

    def extents(self, expr: ast.expr, scope: Scope) -> tuple[int | None, ...]:
        """The shape that an argument gives; extents that the text does not say are None."""
        expr, scope = self.program.resolved(expr, scope)
        if isinstance(expr, (ast.Tuple, ast.List)):
            return tuple(_extent(self.of(part, scope)) for part in expr.elts)
        value = self.of(expr, scope)
        return tuple(map(_extent, value)) if isinstance(value, tuple) else (_extent(value),)


MOST_ITEMS = 4096
"""Elements of a constant array whose values are kept."""


def _items(value: object, shape: tuple[int | None, ...], element: Type) -> tuple[int | float, ...] | None:
    """The numbers of nested rows of equal length, as ``element`` holds them; None where it cannot, or a row differs."""
    rows = [value]
    for extent in shape:
        if not all(isinstance(row, tuple) and len(row) == extent for row in rows):
            return None
        rows = [part for row in rows if isinstance(row, tuple) for part in row]
        if len(rows) > MOST_ITEMS:
            return None
    found: list[int | float] = []
    for row in rows:
        if isinstance(row, bool) or not isinstance(row, (int, float)):
            return None
        if isinstance(element, IntType):
            low = -(1 << element.bits - 1) if element.signed else 0
            if not isinstance(row, int) or not low <= row < low + (1 << element.bits):
                return None
        found.append(row if isinstance(element, IntType) else float(row))
    return tuple(found) if isinstance(element, (IntType, FloatType)) else None


def _extent(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _numeric(value: object) -> int | float:
    if isinstance(value, (int, float)):
        return value
    raise Unknown


def _small(value: object) -> object:
    if isinstance(value, int) and abs(value) >= LARGEST:
        raise Unknown
    if isinstance(value, str) and len(value) > 4096:
        raise Unknown
    return value


def _said(text: str) -> float:
    """``float("nan")``."""
    try:
        return float(text)
    except ValueError:
        raise Unknown from None


_NUMBERS = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan, "tau": math.tau}


def _of_library(path: str | None) -> object:
    """A constant or a type of NumPy, numba or ``math``."""
    if path is None:
        raise Unknown
    first, _, last = path.partition(".")[0], "", path.rpartition(".")[2]
    if path in ("int", "float", "bool", "complex"):
        return SCALARS[path]
    if first in ("numpy", "numba", "cupy", "numba_cuda") and last in SCALARS:
        return SCALARS[last]
    if (number := number_of(f"{first}.{last}")) is not None:
        return number
    raise Unknown


def number_of(path: str) -> float | None:
    """The number that a full name of a library stands for."""
    home, _, last = path.partition(".")
    return _NUMBERS.get(last) if home in ("numpy", "math", "cupy") else None
