"""How many items the lists have that host code writes out, and axes the arrays whose shape it takes apart."""

from __future__ import annotations

import ast

from kernlint.frontends.clang.python.program import PythonProgram, Scope, dotted

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
    if isinstance(whole, ast.Name) and depth < MOST:
        return _of_rounds(program, whole.id, within, depth + 1)
    if not isinstance(whole, ast.List | ast.Tuple) or any(isinstance(item, ast.Starred) for item in whole.elts):
        return None
    changed = isinstance(expr, ast.Name) and isinstance(whole, ast.List) and _changes(expr.id, scope)
    return None if changed else len(whole.elts)


def _of_rounds(program: PythonProgram, name: str, scope: Scope, depth: int) -> int | None:
    """The items of what a loop takes out of a list or tuple that stands in the program, the same number in each
    round: ``for kind, row in [(int, [1, 2]), (float, [0.5, 1.5])]``."""
    holder = scope.holder(name)
    if holder is None or len(holder.bound[name]) != 1:
        return None
    for loop in ast.walk(holder.node):
        if not isinstance(loop, ast.For):
            continue
        target, at = loop.target, -1
        if isinstance(target, ast.Tuple):
            at = next((n for n, one in enumerate(target.elts) if isinstance(one, ast.Name) and one.id == name), -1)
        elif not isinstance(target, ast.Name) or target.id != name:
            continue
        rounds = program.resolved(loop.iter, holder)[0]
        if (isinstance(target, ast.Tuple) and at < 0) or not isinstance(rounds, ast.List | ast.Tuple):
            continue
        counts: set[int | None] = set()
        for taken in rounds.elts:
            if at >= 0:
                parts = taken.elts if isinstance(taken, ast.Tuple | ast.List) else []
                taken = parts[at] if at < len(parts) else ast.Constant(0)
            plain = isinstance(taken, ast.Tuple | ast.List) and all(
                isinstance(item, ast.Constant | ast.UnaryOp) for item in taken.elts
            )
            counts.add(items_of(program, taken, holder, depth) if plain else None)
        return counts.pop() if len(counts) == 1 else None
    return None


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


def axes_unpacked(name: str, holder: Scope) -> int:
    """Axes of an array whose shape is taken apart (``rows, columns = x.shape``); 0 where it is not."""
    for at in ast.walk(holder.node):
        if isinstance(at, ast.Assign) and dotted(at.value) == f"{name}.shape" and isinstance(at.targets[0], ast.Tuple):
            return len(at.targets[0].elts)
    return 0
