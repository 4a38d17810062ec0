"""How many items the lists have that host code writes out."""

from __future__ import annotations

import ast

from kernlint.frontends.clang.python.program import PythonProgram, Scope

_ASKS = frozenset({"copy", "count", "index"})
"""Methods of a list that leave it as it is."""
MOST = 8
"""Lists repeated within each other that are looked into."""


def items_of(program: PythonProgram, expr: ast.expr, scope: Scope, depth: int = 0) -> int | None:
    """The number of items of a list, tuple or text that stands in the program, perhaps repeated (``[0] * 8``); None: it
    is no such thing, or something is done with it that changes how many there are."""
    whole, within = program.resolved(expr, scope)
    if isinstance(whole, ast.Constant) and isinstance(whole.value, str | bytes):
        return len(whole.value)
    if isinstance(whole, ast.BinOp) and isinstance(whole.op, ast.Mult) and depth < MOST:
        items, times = items_of(program, whole.left, within, depth + 1), program.resolved(whole.right, within)[0]
        counts = isinstance(times, ast.Constant) and isinstance(times.value, int)
        return items * times.value if items is not None and counts else None  # type: ignore[attr-defined]
    if not isinstance(whole, ast.List | ast.Tuple) or any(isinstance(item, ast.Starred) for item in whole.elts):
        return None
    changed = isinstance(expr, ast.Name) and isinstance(whole, ast.List) and _changes(expr.id, scope)
    return None if changed else len(whole.elts)


def _changes(name: str, scope: Scope) -> bool:
    """Whether something may change how many items a list of this name has: a method of it, or of a part cut out."""
    around = scope
    while around.parent is not None:
        around = around.parent
    for node in ast.walk(around.node):
        if isinstance(node, ast.Attribute) and _is(node.value, name) and node.attr not in _ASKS:
            return True
        cut = isinstance(node, ast.Subscript) and _is(node.value, name) and isinstance(node.slice, ast.Slice)
        if cut and not isinstance(node.ctx, ast.Load):  # type: ignore[attr-defined]
            return True
        if isinstance(node, ast.Delete) and any(
            isinstance(t, ast.Subscript) and _is(t.value, name) for t in node.targets
        ):
            return True
        if isinstance(node, ast.AugAssign) and _is(node.target, name):
            return True
    return False


def _is(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
