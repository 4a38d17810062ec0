"""Kernels of a Python program that are made once and kept in a table."""

from __future__ import annotations

import ast

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
