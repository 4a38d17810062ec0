"""Conditions that a host in Python checks before a launch, taken apart as far as they are about sizes."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from kernlint.frontends.clang.python.program import dotted


def each(cond: ast.expr, holds: bool) -> Iterator[tuple[ast.expr, bool]]:
    """The parts of a condition that holds, or does not, each by itself: of one that is not followed the others stay."""
    if isinstance(cond, ast.BoolOp) and isinstance(cond.op, ast.And) is holds:
        for part in cond.values:
            yield from each(part, holds)
    else:
        yield cond, holds


_KINDS = frozenset({"dtype", "ndim", "flags", "device", "is_cuda", "itemsize", "T", "strides"})
_CONTENTS = frozenset({"mean", "std", "var", "any", "all", "sum", "median", "isnan", "isfinite", "allclose"})


def of_kind(expr: ast.AST) -> bool:
    """Whether a part of a condition asks what an array is or what is in it, and not how large it is."""
    if isinstance(expr, ast.Attribute):
        return expr.attr in _KINDS
    if isinstance(expr, ast.Compare):
        return all(isinstance(op, (ast.Is, ast.IsNot)) for op in expr.ops)
    if isinstance(expr, ast.Call) and isinstance(expr.func, ast.Attribute) and expr.func.attr in _CONTENTS:
        return True
    return isinstance(expr, ast.Call) and dotted(expr.func) in ("isinstance", "hasattr", "callable", "type")


def several(expr: ast.Compare) -> ast.expr | None:
    """A comparison of several things as several comparisons: ``a <= b <= c``, ``x.shape[1:] == (n, m)``."""
    made: list[ast.expr] = []
    if len(expr.ops) > 1:
        left = expr.left
        for op, right in zip(expr.ops, expr.comparators, strict=True):
            made.append(ast.copy_location(ast.Compare(left, [op], [right]), expr))
            left = right
        return ast.copy_location(ast.BoolOp(ast.And(), made), expr)
    op, shape, sizes = expr.ops[0], expr.left, expr.comparators[0]
    first = 0
    if isinstance(shape, ast.Subscript) and isinstance(shape.slice, ast.Slice) and shape.slice.upper is None:
        low = shape.slice.lower
        if shape.slice.step is not None or not isinstance(low, ast.Constant) or not isinstance(low.value, int):
            return None
        shape, first = shape.value, low.value
    whole = isinstance(shape, ast.Attribute) and shape.attr == "shape" and isinstance(sizes, ast.Tuple)
    if not whole or not isinstance(sizes, ast.Tuple) or not isinstance(op, (ast.Eq, ast.NotEq)) or not sizes.elts:
        return None
    for at, size in enumerate(sizes.elts):
        index = ast.copy_location(ast.Constant(first + at), size)
        axis = ast.copy_location(ast.Subscript(shape, index, ast.Load()), shape)
        made.append(ast.copy_location(ast.Compare(axis, [op], [size]), expr))
    joined = ast.And() if isinstance(op, ast.Eq) else ast.Or()
    return made[0] if len(made) == 1 else ast.copy_location(ast.BoolOp(joined, made), expr)


def leaves(body: Sequence[ast.stmt]) -> bool:
    """Whether statements end in leaving the function or the program."""
    last = body[-1]
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        return (dotted(last.value.func) or "").rpartition(".")[2] in ("exit", "_exit", "abort", "skip")
    return isinstance(last, (ast.Raise, ast.Return, ast.Continue, ast.Break))
