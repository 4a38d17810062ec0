"""What calls give back that leave a Python file: of functions that it imports, of methods of objects it is given.

Of which class an object is that a function is given, nothing says.  It is the class, of the file or of a module of the
project that it imports from, that alone has all that the function takes of the object, as far as that is more than one
thing (PEP 544 calls that structural).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from kernlint.frontends.clang.python.program import PythonProgram, Scope

LEAST = 2
"""Attributes of an object that say of which class it is."""


Results = dict[tuple[ast.Call, Scope], "tuple[ast.expr, Scope] | None"]


def returned_anywhere(
    program: PythonProgram, expr: ast.expr, scope: Scope, known: Results
) -> tuple[ast.expr, Scope] | None:
    """What a call returns, of a function of the file, of one imported from the project, or of a method of an object
    that is passed, where that is one expression of what it is given.  ``known``: what has been answered."""
    found = program.returned(expr, scope)
    if found is not None or not isinstance(expr, ast.Call):
        return found
    key = expr, scope
    if key not in known:
        known[key] = _returned(program, expr, scope)
    return known[key]


def _returned(program: PythonProgram, expr: ast.Call, scope: Scope) -> tuple[ast.expr, Scope] | None:
    elsewhere = program.returned_elsewhere(expr, scope)
    if elsewhere is not None:
        return elsewhere[1:]
    method = _method_of_passed(program, expr.func, scope)
    return program.applied(method, expr, scope) if method is not None else None


def _method_of_passed(program: PythonProgram, function: ast.expr, scope: Scope) -> Scope | None:
    """The method that ``name.method`` is where a parameter of the function around has the name."""
    if not isinstance(function, ast.Attribute) or not isinstance(function.value, ast.Name):
        return None
    name = function.value.id
    holder = scope.holder(name)
    if holder is None or holder.bound[name] != [None] or name not in _parameters(holder.node):
        return None
    taken = {
        at.attr
        for at in ast.walk(holder.node)
        if isinstance(at, ast.Attribute) and isinstance(at.value, ast.Name) and at.value.id == name
    }
    home = holder.home or program
    fitting = [one for one in _classes(home) if taken <= _attributes(one)] if len(taken) >= LEAST else []
    if len(fitting) != 1:
        return None
    of = fitting[0].home
    methods = of.inside(fitting[0], function.attr) if of is not None else []
    return methods[0] if len(methods) == 1 and isinstance(methods[0].node, ast.FunctionDef) else None


def _parameters(node: ast.AST) -> set[str]:
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return set()
    own = node.args
    return {arg.arg for arg in (*own.posonlyargs, *own.args, *own.kwonlyargs)} - {"self", "cls"}


def _classes(program: PythonProgram) -> Iterator[Scope]:
    """The classes of a file and of those that it imports from."""
    modules = dict.fromkeys(program.imported_modules()) if program.neighbour is not None else ()
    others = (program.neighbour(*module) for module in modules if program.neighbour is not None)
    for one in dict.fromkeys((program, *filter(None, others))):
        yield from (scope for scope in one.scopes if scope.is_class)


def _attributes(scope: Scope) -> set[str]:
    """What an object of a class has by its own methods and members."""
    return {name.removeprefix("self.") for name in scope.bound}
