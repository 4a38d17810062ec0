"""Kernels that are handed to functions and classes of the project, which launch them.

A call that is given a kernel is followed into what it calls, in the file or in one that it imports from: parameters
stand for what is passed there, members of an object for what its beginning puts into them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from kernlint.frontends.clang.python.entered import bound_to
from kernlint.frontends.clang.python.program import Called, PythonProgram, Scope, dotted

DEEPEST = 3
"""Functions that hand a kernel on to each other."""

MOST = 24
"""Calls that are looked at in what one call enters."""

_HANDED = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant)

IsKernel = Callable[[ast.expr, Scope], bool]
"""Whether an expression stands for a kernel."""


def handed_on(
    program: PythonProgram, called: Called, is_kernel: IsKernel, depth: int = 0
) -> Iterator[tuple[PythonProgram, Called]]:
    """Calls in what a call enters that hands a kernel to it, with the programs that they stand in."""
    if depth >= DEEPEST or not _may_hand(called):
        return
    callee = callee_of(program, called.node, called.scope)
    if callee is None or (depth == 0 and callee[0] is program and not callee[1].is_class):
        return  # a function of the file: its launches are met, and followed to its callers
    if not any(is_kernel(arg, called.scope) for arg in _given(called.node)):
        return
    home, scope = callee
    inners = _of_object(home, scope, called) if scope.is_class else _of_function(scope, called)
    count = 0
    for node, inner in inners:
        for one in home.calls:
            if one.scope.node is not node:
                continue
            count += 1
            if count > MOST:
                return
            entered = Called(one.node, one.name, inner, called)
            yield home, entered
            yield from handed_on(home, entered, is_kernel, depth + 1)


def _may_hand(called: Called) -> bool:
    """Whether a call has an argument that may be a kernel."""
    return any(isinstance(arg, _HANDED) for arg in _given(called.node))


def _given(node: ast.Call) -> Iterator[ast.expr]:
    yield from node.args
    yield from (key.value for key in node.keywords)


def callee_of(program: PythonProgram, node: ast.Call, scope: Scope) -> tuple[PythonProgram, Scope] | None:
    """The function, or the class of the object, that a call enters, and its program."""
    func = node.func
    name = dotted(func)
    if name is not None and (found := defined(program, name, scope)) is not None:
        return found
    if not isinstance(func, ast.Attribute):
        return None
    owner = dotted(func.value)
    of = defined(program, owner, scope) if owner is not None else None  # ``Class.method(...)``
    if of is None:  # a method of an object that is made in sight
        made, where = program.resolved(func.value, scope)
        whole = dotted(made.func) if isinstance(made, ast.Call) else None
        of = defined(program, whole, where) if whole is not None else None
    if of is None or not of[1].is_class:
        return None
    method = method_of(of[0], of[1], func.attr)
    return (of[0], method) if method is not None else None


def defined(program: PythonProgram, name: str, scope: Scope) -> tuple[PythonProgram, Scope] | None:
    """The function or class that a name stands for."""
    home = scope.home or program
    holder = scope.holder(name.partition(".")[0])
    if holder is not None:
        made = home.inside(holder, name)
        return (home, made[0]) if len(made) == 1 else None
    found = home.foreign(name)
    if found is None:
        return None
    other, inner = found
    made = other.inside(other.scopes[0], inner)
    return (other, made[0]) if len(made) == 1 else None


def method_of(program: PythonProgram, owner: Scope, name: str) -> Scope | None:
    """The only method of a name that a class defines itself."""
    made = program.inside(owner, name)
    return made[0] if len(made) == 1 else None


def _of_function(scope: Scope, called: Called) -> Iterator[tuple[ast.AST, Scope]]:
    """A function as a call enters it."""
    inner = bound_to(scope, scope.node, called) if isinstance(scope.node, ast.FunctionDef) else None
    if inner is not None:
        yield scope.node, inner


def _of_object(program: PythonProgram, owner: Scope, called: Called) -> Iterator[tuple[ast.AST, Scope]]:
    """The methods of an object as a call has made it: its members are what the beginning puts into them."""
    begin = method_of(program, owner, "__init__")
    entered = next((inner for _, inner in _of_function(begin, called)), None) if begin is not None else None
    own = Scope(owner.node, owner.parent, dict(owner.bound), owner.places)
    if begin is not None and entered is not None:
        entered.parent = own
        for name, bound in owner.bound.items():
            if name.startswith("self."):
                own.bound[name] = [(one[0], entered) if one is not None and one[1] is begin else one for one in bound]
        yield begin.node, entered
    elif begin is not None:
        return
    for method in program.scopes:
        if method.parent is owner and isinstance(method.node, ast.FunctionDef) and method is not begin:
            inner = Scope(method.node, own, {}, method.places)
            for name, bound in method.bound.items():
                inner.bound[name] = [(one[0], inner) if one is not None else None for one in bound]
            yield method.node, inner


def inherited(program: PythonProgram, is_kernel: IsKernel) -> Iterator[tuple[PythonProgram, Called]]:
    """Calls in the methods that classes of a program have of their bases, where a class puts a kernel into one of its
    members."""
    for owner in program.scopes:
        node = owner.node
        if not isinstance(node, ast.ClassDef) or not node.bases:
            continue
        if not any(len(b) == 1 and b[0] is not None and is_kernel(*b[0]) for b in owner.bound.values()):
            continue
        whole = Scope(node, owner.parent, dict(owner.bound), owner.places)
        for home, base in _bases(program, owner):
            for name, bound in base.bound.items():
                whole.bound.setdefault(name, bound)
            for method in home.scopes:
                if method.parent is not base or not isinstance(method.node, ast.FunctionDef):
                    continue
                if method_of(program, owner, method.node.name) is not None:
                    continue
                inner = Scope(method.node, whole, {}, method.places)
                for name, bound in method.bound.items():
                    inner.bound[name] = [(one[0], inner) if one is not None else None for one in bound]
                yield from ((home, Called(one.node, one.name, inner)) for one in home.calls if one.scope is method)


def _bases(program: PythonProgram, owner: Scope) -> Iterator[tuple[PythonProgram, Scope]]:
    """The bases of a class, nearest first, as far as the project has them."""
    home, node = program, owner
    for _ in range(DEEPEST):
        first = node.node.bases[0] if isinstance(node.node, ast.ClassDef) and node.node.bases else None
        name = dotted(first) if first is not None else None
        found = defined(home, name, node.parent or node) if name is not None else None
        if found is None or not found[1].is_class:
            return
        yield found
        home, node = found


def called_in(called: Called) -> Scope | None:
    """The scope of the first of the calls that have led to one; None where none has."""
    while called.by is not None:
        called = called.by
        if called.by is None:
            return called.scope
    return None


def result_of(program: PythonProgram, expr: ast.expr, scope: Scope) -> tuple[ast.expr, Scope] | None:
    """What a call of a function or method of the project returns, where that is one expression; the value that an
    imported name has in its module."""
    if isinstance(expr, ast.Call):
        found = callee_of(program, expr, scope)
        return program.applied(found[1], expr, scope) if found is not None and not found[1].is_class else None
    name = dotted(expr)
    unbound = name is not None and scope.holder(name.partition(".")[0]) is None
    there = (scope.home or program).foreign(name) if unbound and name is not None else None
    bound = there[0].scopes[0].bound.get(there[1], []) if there is not None else []
    return bound[0] if len(bound) == 1 else None


def gives_by_name(program: PythonProgram, expr: ast.expr, scope: Scope) -> bool:
    """Whether an expression makes an object of a class of the project that gives itself its attributes when it runs:
    by ``setattr``, or ``__getattr__``."""
    found = callee_of(program, expr, scope) if isinstance(expr, ast.Call) else None
    if found is None or not found[1].is_class:
        return False
    for at in ast.walk(found[1].node):
        if isinstance(at, ast.FunctionDef) and at.name == "__getattr__":
            return True
        if isinstance(at, ast.Call) and dotted(at.func) == "setattr":
            return True
    return False
