"""A function of a Python program as its callers in the file enter it: parameters stand for what is passed.

That is how a launch is read that stands in a helper, which is given the kernel, the sizes or the arguments.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from kernlint.frontends.clang.python.program import Called, PythonProgram, Scope, dotted

CALLERS = 4
"""Calls of a helper that are looked at."""


def entered(program: PythonProgram, called: Called) -> Iterator[Called]:
    """A call in a function as each caller of the function has it made."""
    scope = called.scope
    node = scope.node
    if not isinstance(node, ast.FunctionDef):
        return
    count = 0
    made = node.name == "__init__" and scope.parent is not None
    name = getattr(scope.parent.node, "name", "") if made and scope.parent is not None else node.name
    for other in program.calls:
        if other.name.rpartition(".")[2] != name or not (made or _calls(program, other, scope)):
            continue
        inner = _bound(scope, node, other)
        if inner is not None:
            yield Called(called.node, called.name, inner)
            count += 1
            if count == CALLERS:
                return


def spread(program: PythonProgram, args: list[ast.expr], scope: Scope) -> list[ast.expr] | None:
    """Arguments with what ``*args`` stands for in its place; None where that is not in sight."""
    out: list[ast.expr] = []
    for arg in args:
        if not isinstance(arg, ast.Starred):
            out.append(arg)
            continue
        whole, where = program.resolved(arg.value, scope)
        if not isinstance(whole, (ast.Tuple, ast.List)) or where is not scope:
            return None
        if any(isinstance(item, ast.Starred) for item in whole.elts):
            return None
        out += whole.elts
    return out


def _calls(program: PythonProgram, other: Called, scope: Scope) -> bool:
    """Whether a call by the name of a function is one of that function."""
    parent = scope.parent
    if parent is None or other.scope is scope:
        return False
    if "." not in other.name:
        return program.function(other.name, other.scope) is scope
    alike = [one for one in program.scopes if isinstance(one.node, ast.FunctionDef)]
    return parent.is_class and sum(one.node.name == scope.node.name for one in alike) == 1  # type: ignore[attr-defined]


def _bound(scope: Scope, node: ast.FunctionDef, other: Called) -> Scope | None:
    """The function's scope with parameters bound to the arguments of a call; None where these are not in sight."""
    call = other.node
    if any(isinstance(arg, ast.Starred) for arg in call.args) or any(key.arg is None for key in call.keywords):
        return None
    names = [arg.arg for arg in (*node.args.posonlyargs, *node.args.args)]
    if scope.parent is not None and scope.parent.is_class and not _static(node):
        names = names[1:]
    own = Scope(node, scope.parent, {}, scope.places)
    for name, bound in scope.bound.items():
        own.bound[name] = [(one[0], own) if one is not None else None for one in bound]
    given = dict(zip(names, call.args, strict=False))
    given.update((key.arg, key.value) for key in call.keywords if key.arg is not None)
    defaults = dict(zip(names[::-1], node.args.defaults[::-1], strict=False))
    for name in names:
        if name in given:
            own.bound[name] = [(given[name], other.scope), *own.bound.get(name, [])[1:]]
        elif name in defaults:
            own.bound[name] = [(defaults[name], scope.parent or scope), *own.bound.get(name, [])[1:]]
    if node.args.vararg is not None:
        rest: list[ast.expr] = []
        for at, arg in enumerate(call.args[len(names) :]):
            name = f"${node.args.vararg.arg}{at}"
            own.bound[name] = [(arg, other.scope)]
            rest.append(ast.copy_location(ast.Name(name, ast.Load()), node))
        packed = ast.copy_location(ast.Tuple(rest, ast.Load()), node)
        own.bound[node.args.vararg.arg] = [(packed, own)]
    return own


def _static(node: ast.FunctionDef) -> bool:
    return any(isinstance(one, ast.Name) and one.id == "staticmethod" for one in node.decorator_list)


def with_one_for_two(program: PythonProgram, called: Called) -> Iterator[tuple[ast.expr, dict[str, str]]]:
    """Where one array may stand for several arguments of a launch: calls of the function that launches in which one
    name is passed for several of its parameters, and names that are another argument in one case
    (``to = x if in_place else empty(n)``); with the name for each of these."""
    node = called.scope.node
    yield from _in_one_case(program, called)
    if not isinstance(node, ast.FunctionDef):
        return
    names = [arg.arg for arg in (*node.args.posonlyargs, *node.args.args) if arg.arg not in ("self", "cls")]
    for other in program.calls:
        if other.name.rpartition(".")[2] != node.name or any(isinstance(arg, ast.Starred) for arg in other.node.args):
            continue
        given = {name: dotted(arg) for name, arg in zip(names, other.node.args, strict=False)}
        passed = [text for text in given.values() if text is not None]
        same = {name: text for name, text in given.items() if text is not None and passed.count(text) > 1}
        if same:
            yield other.node, same


def _in_one_case(program: PythonProgram, called: Called) -> Iterator[tuple[ast.expr, dict[str, str]]]:
    last = called.node.args[-1] if called.node.args else None
    packed = last.elts if isinstance(last, (ast.Tuple, ast.List)) else called.node.args
    names = [name for arg in packed if (name := dotted(arg)) is not None]
    for arg in packed:
        found = program.binding(arg, called.scope) if isinstance(arg, ast.Name) else None
        if found is None or not isinstance(found[0], ast.IfExp) or found[1] is not called.scope:
            continue
        for side in (found[0].body, found[0].orelse):
            name = dotted(side)
            if isinstance(arg, ast.Name) and name in names and name != arg.id and name is not None:
                yield arg, {arg.id: name}
