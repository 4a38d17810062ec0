"""Expressions."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeVar

from kernlint.frontends.python import arrays, pointers
from kernlint.frontends.python.calls import call
from kernlint.frontends.python.constants import HostArray, number_of
from kernlint.frontends.python.context import DEPTH, Function, converted, literal, truth
from kernlint.frontends.python.functions import full_name
from kernlint.frontends.python.names import attribute_of, is_open, launch_value, lookup, symbol
from kernlint.frontends.python.operators import apply, compared, negated
from kernlint.frontends.python.values import COMPLEX128, ArrayValue, Host, Named, TupleValue, Value, unified
from kernlint.tree.nodes import Binary, Call, Conditional, Expr, FloatLit, IntLit, Opaque, Unary
from kernlint.tree.types import BOOL, F64, I64, UNKNOWN, FloatType, IntType, Type

E_ = TypeVar("E_", bound=ast.expr)

Handler = Callable[[Function, ast.expr], Value]


def value(f: Function, node: ast.expr) -> Value:
    """What an expression stands for."""
    handler = _HANDLERS.get(type(node))
    if handler is None:
        kind = "unsupported" if isinstance(node, _DOCUMENTED) else "expression"
        return f.opaque(node, f"{_kind(node)} has no place in a kernel", kind=kind)
    if f.depth >= DEPTH:
        return f.opaque(node, "an expression nested too deeply")
    f.depth += 1
    try:
        return handler(f, node)
    finally:
        f.depth -= 1


_DOCUMENTED = (
    *(ast.ListComp, ast.DictComp, ast.SetComp, ast.GeneratorExp, ast.Yield, ast.YieldFrom, ast.Await),
    *(ast.Dict, ast.Set),
)
"""What numba's documentation leaves out for CUDA kernels: comprehensions, generators, and of Python's own types all but
numbers, truths and tuples."""


def scalar(f: Function, node: ast.expr) -> Expr:
    """The value of an expression as one of the tree."""
    return as_scalar(f, value(f, node), node)


def as_scalar(f: Function, found: Value, node: ast.expr) -> Expr:
    """A value as one of the tree; opaque where it is none."""
    if isinstance(found, Expr):
        return found
    if isinstance(found, TupleValue) and len(found.items) == 1:
        return as_scalar(f, found.items[0], node)
    if isinstance(found, ArrayValue):
        if found.rank == 0:
            return arrays.element(f, found, (), node)
        return Opaque(f.span(node), UNKNOWN, "an array as a value")
    if isinstance(found, Named) and not found.path.startswith(("numba.", "numpy.", "math.")):
        return symbol(f, (0, found.path), found.path.rpartition(".")[2] or found.path, node)
    if isinstance(found, Named):
        number = number_of(found.path)
        return f.opaque(node, f"{found.path} is not known") if number is None else FloatLit(f.span(node), F64, number)
    return Opaque(f.span(node), UNKNOWN, "a value that only the host has")


def _kind(node: ast.AST) -> str:
    names = {
        "ListComp": "a list comprehension", "DictComp": "a dict comprehension", "SetComp": "a set comprehension",
        "GeneratorExp": "a generator", "Dict": "a dict", "Set": "a set", "Yield": "yield", "Await": "await",
        "Lambda": "a lambda", "JoinedStr": "a formatted string", "YieldFrom": "yield from",
    }  # fmt: skip
    return names.get(type(node).__name__, type(node).__name__.lower())


# ------------------------------------------------------------------------------------------------------------ leaves


def _constant(f: Function, node: ast.expr) -> Value:
    assert isinstance(node, ast.Constant)
    found = node.value
    span = f.span(node)
    if isinstance(found, bool):
        return IntLit(span, BOOL, int(found))
    if isinstance(found, int):
        return IntLit(span, I64, found) if abs(found) < 1 << 64 else f.opaque(node, "a number of more than 64 bits")
    if isinstance(found, float):
        return FloatLit(span, F64, found)
    if isinstance(found, complex):
        parts = (FloatLit(span, F64, found.real), FloatLit(span, F64, found.imag))
        return Call(span, COMPLEX128, "complex", None, parts, pure_math=True)
    return Host(node, found)


def _name(f: Function, node: ast.expr) -> Value:
    assert isinstance(node, ast.Name)
    return lookup(f, node.id, node)


def _attribute(f: Function, node: ast.expr) -> Value:
    assert isinstance(node, ast.Attribute)
    path = _path(f, node)
    if path is not None:
        found = launch_value(f, path, node)
        if found is not None:
            return found
        known = f.lowering.constants.of(node, f.scope)
        if isinstance(known, (bool, int, float)):
            return from_host(f, known, node)
        return Named(path)
    return attribute_of(f, value(f, node.value), node)


def _path(f: Function, node: ast.expr) -> str | None:
    """The full name of something imported, where no variable of the function has the name."""
    first = node
    while isinstance(first, ast.Attribute):
        first = first.value
    if isinstance(first, ast.Name) and (first.id in f.env or first.id in f.decls):
        return None
    return full_name(f.lowering.program, node, f.scope)


def from_host(f: Function, found: object, node: ast.expr) -> Value:
    """A value of the host that the kernel takes along, as one of the kernel."""
    span = f.span(node)
    if isinstance(found, bool):
        return IntLit(span, BOOL, int(found))
    if isinstance(found, int):
        return IntLit(span, I64, found)
    if isinstance(found, float):
        return FloatLit(span, F64, found)
    if isinstance(found, tuple):
        return TupleValue(tuple(from_host(f, item, node) for item in found))
    return Host(node, found)


def _tuple(f: Function, node: ast.expr) -> Value:
    assert isinstance(node, (ast.Tuple, ast.List))
    if isinstance(node, ast.List) and not node.elts:
        return f.opaque(node, "a list that grows", kind="unsupported")
    if any(isinstance(part, ast.Starred) for part in node.elts):
        return f.opaque(node, "unpacking with a star")
    return TupleValue(tuple(value(f, part) for part in node.elts))


# ---------------------------------------------------------------------------------------------------------- operators


def _unary(f: Function, node: ast.expr) -> Value:
    assert isinstance(node, ast.UnaryOp)
    operand = scalar(f, node.operand)
    if isinstance(node.op, ast.Not):
        return Unary(f.span(node), BOOL, "!", truth(operand))
    if isinstance(node.op, ast.UAdd):
        return operand
    return negated(f, operand, node) if isinstance(node.op, ast.USub) else apply_unary(f, "~", operand, node)


def apply_unary(f: Function, op: str, operand: Expr, node: ast.expr) -> Expr:
    """``~operand``."""
    kind: Type = unified(operand.type, I64) if operand.type == BOOL else operand.type
    return Unary(f.span(node), kind, op, converted(operand, kind))


def _binary(f: Function, node: ast.expr) -> Value:
    assert isinstance(node, ast.BinOp)
    left, right = value(f, node.left), value(f, node.right)
    if isinstance(left, TupleValue) and isinstance(right, TupleValue) and isinstance(node.op, ast.Add):
        return TupleValue(left.items + right.items)
    if isinstance(left, ArrayValue) or isinstance(right, ArrayValue):
        return f.opaque(node, "arithmetic on whole arrays")
    return apply(f, node.op, as_scalar(f, left, node.left), as_scalar(f, right, node.right), node)


def _bool(f: Function, node: ast.expr) -> Value:
    assert isinstance(node, ast.BoolOp)
    op = "&&" if isinstance(node.op, ast.And) else "||"
    out = truth(scalar(f, node.values[0]))
    for part in node.values[1:]:
        with f.no_statements(), f.supposing(out, op == "&&"):
            one = truth(scalar(f, part))
        out = Binary(f.span(node), BOOL, op, out, one)
    return out


def _compare(f: Function, node: ast.expr) -> Value:
    assert isinstance(node, ast.Compare)
    parts = [value(f, node.left), *(value(f, part) for part in node.comparators)]
    nodes = [node.left, *node.comparators]
    out: Expr | None = None
    for index, op in enumerate(node.ops):
        one = compared(f, op, parts[index], parts[index + 1], nodes[index], nodes[index + 1], node)
        out = one if out is None else Binary(f.span(node), BOOL, "&&", out, one)
    assert out is not None
    return out


def _conditional(f: Function, node: ast.expr) -> Value:
    assert isinstance(node, ast.IfExp)
    cond = truth(scalar(f, node.test))
    with f.no_statements(), f.supposing(cond, True):
        then = value(f, node.body)
    with f.no_statements(), f.supposing(cond, False):
        other = value(f, node.orelse)
    return _chosen(f, cond, then, other, node)


def _chosen(f: Function, cond: Expr, then: Value, other: Value, node: ast.expr) -> Value:
    """One of two values; of tuples that are as long, item by item."""
    if isinstance(then, TupleValue) and isinstance(other, TupleValue) and len(then.items) == len(other.items):
        pairs = zip(then.items, other.items, strict=True)
        return TupleValue(tuple(_chosen(f, cond, one, two, node) for one, two in pairs))
    if not isinstance(then, Expr) or not isinstance(other, Expr):
        if isinstance(cond, IntLit):
            return then if cond.value else other
        if isinstance(then, ArrayValue) and isinstance(other, ArrayValue):
            chosen = pointers.chosen(f, cond, then, other, node)
            if chosen is not None:
                return chosen
        return f.opaque(node, "a choice between arrays or tuples")
    kind = unified(then.type, other.type)
    return Conditional(f.span(node), kind, cond, converted(then, kind), converted(other, kind))


# ---------------------------------------------------------------------------------------------------------- subscripts


def _subscript(f: Function, node: ast.expr) -> Value:
    assert isinstance(node, ast.Subscript)
    base = value(f, node.value)
    if isinstance(base, TupleValue):
        return _item(f, base, node)
    if isinstance(base, ArrayValue):
        return arrays.subscript(f, base, indices(f, node.slice), node)
    if isinstance(base, Host) and isinstance(base.value, HostArray):
        return arrays.constant_array(f, base.value, indices(f, node.slice), node)
    if isinstance(base, Expr) and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
        return arrays.member(f, base, node.slice.value, node)
    if is_open(base) or (isinstance(base, Named) and not base.path.startswith("numba.")):
        return arrays.subscript(
            f, arrays.from_around(f, base, len(indices(f, node.slice)), node), indices(f, node.slice), node
        )
    if isinstance(base, Expr) and not isinstance(base.type, (IntType, FloatType)):
        indices(f, node.slice)
        return Call(f.span(node), UNKNOWN, "[]", None, (base,), pure_math=True)
    return f.opaque(node, "a subscript of what is no array", kind="subscript")


CHOSEN = 64
"""Items of a tuple among which a kernel chooses; of a longer one it takes something."""


def _item(f: Function, base: TupleValue, node: ast.Subscript) -> Value:
    if isinstance(node.slice, ast.Slice):
        ends = [None if one is None else value(f, one) for one in (node.slice.lower, node.slice.upper, node.slice.step)]
        if all(end is None or isinstance(end, IntLit) for end in ends):
            lower, upper, step = (end.value if isinstance(end, IntLit) else None for end in ends)
            return TupleValue(base.items[lower:upper:step]) if step != 0 else base
        return f.opaque(node, "a part of a tuple", kind="subscript")
    at = value(f, node.slice)
    if isinstance(at, IntLit) and -len(base.items) <= at.value < len(base.items):
        return base.items[at.value]
    if isinstance(at, Expr) and base.items and all(isinstance(item, Expr) for item in base.items):
        out = base.items[-1]
        assert isinstance(out, Expr)
        if len(base.items) > CHOSEN:
            return Call(f.span(node), out.type, "[]", None, (at,), pure_math=True)
        for index in range(len(base.items) - 2, -1, -1):
            item = base.items[index]
            assert isinstance(item, Expr)
            cond = Binary(f.span(node), BOOL, "==", converted(at, I64), literal(f.span(node), index))
            kind = unified(item.type, out.type)
            out = Conditional(f.span(node), kind, cond, converted(item, kind), converted(out, kind))
        return out
    return f.opaque(node, "an item of a tuple", kind="subscript")


Index = Value | slice | None
"""One index of a subscript: a value, a slice of values (None: left out), or None for an ellipsis."""


def indices(f: Function, node: ast.expr) -> list[Index]:
    """The indices of a subscript, one for each axis that they are about; tuples taken apart."""
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    out: list[Index] = []
    for part in parts:
        if isinstance(part, ast.Slice):
            ends = [None if end is None else scalar(f, end) for end in (part.lower, part.upper, part.step)]
            out.append(slice(*ends))
        elif isinstance(part, ast.Constant) and part.value is Ellipsis:
            out.append(None)
        else:
            found = value(f, part)
            out.extend(found.items if isinstance(found, TupleValue) else [found])
    return out


def _walrus(f: Function, node: ast.expr) -> Value:
    return f.opaque(node, "an assignment inside an expression")


def _call(f: Function, node: ast.expr) -> Value:
    assert isinstance(node, ast.Call)
    return call(f, node)


_HANDLERS: dict[type[ast.expr], Handler] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Tuple: _tuple,
    ast.List: _tuple,
    ast.UnaryOp: _unary,
    ast.BinOp: _binary,
    ast.BoolOp: _bool,
    ast.Compare: _compare,
    ast.IfExp: _conditional,
    ast.Subscript: _subscript,
    ast.NamedExpr: _walrus,
    ast.Call: _call,
}
