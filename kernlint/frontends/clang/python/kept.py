"""Kernels of a Python program that are made once and kept in a table."""

from __future__ import annotations

import ast

from kernlint.frontends.clang.python.handing import result_of
from kernlint.frontends.clang.python.program import PythonProgram, Scope, dotted


def kept(program: PythonProgram, expr: ast.expr, scope: Scope) -> tuple[ast.expr, Scope]:
    """What a function of the file returns that makes a kernel where it has none yet, and what is put into a table of
    kernels."""
    if isinstance(expr, ast.Call):
        maker = (dotted(expr.func) or "").removeprefix("self.").removeprefix("cls.")
        made = [one for one in program.scopes if isinstance(one.node, ast.FunctionDef) and one.node.name == maker]
        if not maker or len(made) != 1:
            return expr, scope
        results = [at.value for at in ast.walk(made[0].node) if isinstance(at, ast.Return) and at.value is not None]
        if len({ast.dump(result) for result in results}) != 1:
            return expr, scope
        expr, scope = program.resolved(results[0], made[0])
    if isinstance(expr, ast.Subscript) and not isinstance(expr.slice, ast.Constant):
        name = dotted(expr.value)
        stored = [(value, where) for table, value, where in program.stored if name is not None and table == name]
        if len(stored) == 1:
            return program.resolved(*stored[0])
    return expr, scope


def entry_of(program: PythonProgram, expr: ast.Subscript, scope: Scope) -> tuple[ast.expr, Scope] | None:
    """What a table has under the key of a subscript; of a table that is made for each of some names
    (``{name: module.get_function(name) for name in NAMES}``), what it is for that name."""
    key = program.string(expr.slice, scope)
    if key is None:
        return None
    table, where = expr.value, scope
    for _ in range(DEPTH):
        if _changes(where.home or program, dotted(table)):
            return None
        table, where = program.resolved(table, where)
        further = result_of(program, table, where)
        if further is None:
            break
        table, where = further
    if isinstance(table, ast.Dict):
        pairs = zip(table.keys, table.values, strict=True)
        found = [value for at, value in pairs if at is not None and program.string(at, where) == key]
        return (found[-1], where) if found else None
    if isinstance(table, ast.DictComp) and isinstance(table.key, ast.Name) and len(table.generators) == 1:
        target = table.generators[0].target
        if isinstance(target, ast.Name) and target.id == table.key.id:
            named = ast.copy_location(ast.Constant(key), table)
            return table.value, Scope(table, where, {target.id: [(named, where)]})
    return None


_CHANGING = frozenset({"update", "pop", "setdefault", "clear", "popitem"})


def _changes(program: PythonProgram, name: str | None) -> bool:
    """Whether a program changes the table of a name."""
    if name is None:
        return False
    calls = (called.name.rpartition(".") for called in program.calls)
    return name in program.written or any(owner == name and last in _CHANGING for owner, _, last in calls)


def taken(program: PythonProgram, expr: ast.expr, scope: Scope) -> tuple[ast.expr, Scope]:
    """What an expression takes out of tables and tuples in sight, or stands for itself."""
    expr, scope = program.resolved(expr, scope)
    if not isinstance(expr, ast.Subscript):
        return expr, scope
    if (entry := entry_of(program, expr, scope)) is not None:
        return program.resolved(*entry)
    at = expr.slice.value if isinstance(expr.slice, ast.Constant) else None
    whole, where = taken(program, expr.value, scope) if isinstance(at, int) else (expr, scope)
    if isinstance(whole, (ast.Tuple, ast.List)) and isinstance(at, int) and -len(whole.elts) <= at < len(whole.elts):
        return program.resolved(whole.elts[at], where)
    return expr, scope


DEPTH = 6
"""Names and functions that lead to a table."""
