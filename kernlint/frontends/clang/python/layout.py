"""Arrays whose elements do not lie in the order of their indices, handed to kernels that know nothing of strides.

A raw kernel gets the address of the first element.  A transposed view has its shape turned round and its memory as it
was; a slice of columns skips the rest of each row.  ``ascontiguousarray`` and ``copy`` put the elements in order,
``array``, ``asarray`` and ``astype`` keep the order that they find (NumPy's ``order="K"``).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from kernlint.frontends.clang.python.elements import passed
from kernlint.frontends.clang.python.program import PythonProgram, Scope, dotted

DEPTH = 8
"""Expressions that are followed one after the other."""

_TURNED = frozenset({"transpose", "swapaxes", "moveaxis", "rot90"})
_KEEP = frozenset({"array", "asarray", "asanyarray", "astype"})


def out_of_order(program: PythonProgram, expr: ast.expr, scope: Scope, depth: int = 0) -> ast.expr | None:
    """The view that makes an array one of another order; None where nothing says that it is one."""
    if depth > DEPTH:
        return None
    if isinstance(expr, ast.Attribute) and expr.attr == "T":
        inner = out_of_order(program, expr.value, scope, depth + 1)
        return expr if inner is None else None  # back again
    name = dotted(expr)
    if name is not None:
        holder = scope.holder(name)
        bound = holder.bound[name] if holder is not None else []
        if holder is not None and bound == [None]:
            views = (out_of_order(program, value, where, depth + 1) for value, where in passed(program, name, holder))
            return next((view for view in views if view is not None), None)
        if len(bound) == 1 and bound[0] is not None:
            return out_of_order(program, *bound[0], depth + 1)
        return None
    if isinstance(expr, ast.Subscript):
        return expr if _skips(expr.slice) else None
    if not isinstance(expr, ast.Call):
        return None
    last = expr.func.attr if isinstance(expr.func, ast.Attribute) else dotted(expr.func) or ""
    if any(key.arg == "order" for key in expr.keywords):
        return None
    if last in _TURNED:
        return expr
    if last in _KEEP:
        library = program.imported(dotted(expr.func) or "", scope).partition(".")[0] in ("numpy", "cupy")
        inner_expr = expr.args[0] if library and expr.args else None
        if not library and isinstance(expr.func, ast.Attribute):
            inner_expr = expr.func.value
        return out_of_order(program, inner_expr, scope, depth + 1) if inner_expr is not None else None
    return None


def _skips(at: ast.expr) -> bool:
    """Whether a subscript leaves out elements between those that it takes: columns, or every other one."""
    if isinstance(at, ast.Slice):
        return at.step is not None and not (isinstance(at.step, ast.Constant) and at.step.value == 1)
    if not isinstance(at, ast.Tuple) or len(at.elts) < 2 or not isinstance(at.elts[0], ast.Slice):
        return False
    whole = (isinstance(one, ast.Slice) and one.lower is None and one.upper is None for one in at.elts[1:])
    return not all(whole)


def last_axes(program: PythonProgram, array: ast.expr, args: tuple[ast.expr, ...], scope: Scope) -> Iterator[int]:
    """The positions of arguments that are the extent of an array along another axis than its first."""
    name = dotted(array)
    for at, arg in enumerate(args):
        while isinstance(arg, ast.Call) and len(arg.args) == 1 and not arg.keywords:
            (arg,) = arg.args
        made, _ = program.resolved(arg, scope)
        if not isinstance(made, ast.Subscript) or not isinstance(made.value, ast.Attribute):
            continue
        index = made.slice.value if isinstance(made.slice, ast.Constant) else None
        if made.value.attr == "shape" and dotted(made.value.value) == name is not None and index in (1, 2, 3):
            yield at
