"""A function of a Python program as its callers in the file enter it: parameters stand for what is passed.

That is how a launch is read that stands in a helper, which is given the kernel, the sizes or the arguments.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Iterator

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
        inner = bound_to(scope, node, other)
        if inner is not None:
            yield Called(called.node, called.name, inner, other)
            count += 1
            if count == CALLERS:
                return


def by_default(program: PythonProgram, called: Called, sizes: Iterable[ast.expr | None]) -> Called | None:
    """A call in a function as it is made where the parameters that ``sizes`` name have their defaults; None where none
    of them has one, or a call in the file says otherwise."""
    node = called.scope.node
    if not isinstance(node, ast.FunctionDef):
        return None
    known = {name: value for name, value in _defaults(node).items() if _literal(value)}
    asked = {at.id for size in sizes if size is not None for at in ast.walk(size) if isinstance(at, ast.Name)}
    chosen = {name: known[name] for name in asked & set(known) if called.scope.bound.get(name) == [None]}
    chosen = {name: value for name, value in chosen.items() if not passed_somewhere(program, called.scope, name)}
    if not chosen:
        return None
    own = Scope(node, called.scope.parent, {}, called.scope.places)
    for name, bound in called.scope.bound.items():
        own.bound[name] = [(one[0], own) if one is not None else None for one in bound]
    own.bound.update({name: [(value, called.scope.parent or called.scope)] for name, value in chosen.items()})
    return Called(called.node, called.name, own)


def given_block(block: ast.expr | None, scope: Scope) -> bool:
    """Whether the size of a block is given to the function that launches."""
    parts = block.elts if isinstance(block, ast.Tuple) else [block]
    return any(isinstance(part, ast.Name) and scope.bound.get(part.id, [None]) == [None] for part in parts)


def default_of(program: PythonProgram, name: str, scope: Scope) -> ast.expr | None:
    """The default of a parameter, of numbers alone, for which no call in the file passes something else."""
    node = scope.node
    if not isinstance(node, ast.FunctionDef) or scope.bound.get(name) != [None]:
        return None
    value = _defaults(node).get(name)
    literal = value is not None and _literal(value)
    return value if literal and not passed_somewhere(program, scope, name) else None


def passed_somewhere(program: PythonProgram, scope: Scope, name: str) -> bool:
    """Whether a call in the file may pass something for a parameter of the function."""
    node = scope.node
    assert isinstance(node, ast.FunctionDef)
    made = node.name == "__init__" and scope.parent is not None
    called = getattr(scope.parent.node, "name", "") if made and scope.parent is not None else node.name
    method = scope.parent is not None and scope.parent.is_class and not _static(node)
    names = [arg.arg for arg in (*node.args.posonlyargs, *node.args.args)][1 if method else 0 :]
    at = names.index(name) if name in names else len(names) + 1
    for other in program.calls:
        if other.name.rpartition(".")[2] != called:
            continue
        args, keys = other.node.args, other.node.keywords
        if len(args) > at or any(isinstance(arg, ast.Starred) for arg in args):
            return True
        if any(key.arg in (None, name) for key in keys):
            return True
    return False


def _defaults(node: ast.FunctionDef) -> dict[str, ast.expr]:
    """Parameters with their defaults."""
    names = [arg.arg for arg in (*node.args.posonlyargs, *node.args.args)]
    found = dict(zip(names[::-1], node.args.defaults[::-1], strict=False))
    alone = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
    return found | {arg.arg: value for arg, value in alone if value is not None}


def _literal(value: ast.expr) -> bool:
    """Whether an expression is a whole number, or a tuple of some."""
    if isinstance(value, (ast.Tuple, ast.List)):
        return bool(value.elts) and all(map(_literal, value.elts))
    return isinstance(value, ast.Constant) and type(value.value) is int


def spread(program: PythonProgram, args: list[ast.expr], scope: Scope) -> list[ast.expr] | None:
    """Arguments with what ``*args`` stands for in its place; None where that is not in sight."""
    out: list[ast.expr] = []
    for arg in args:
        if not isinstance(arg, ast.Starred):
            out.append(arg)
            continue
        whole, where = program.resolved(arg.value, scope)
        if isinstance(whole, (ast.ListComp, ast.GeneratorExp)) and where is scope:
            made = _one_by_one(program, whole, scope)
            if made is None:
                return None
            out += made
            continue
        if not isinstance(whole, (ast.Tuple, ast.List)) or where is not scope:
            return None
        if any(isinstance(item, ast.Starred) for item in whole.elts):
            return None
        out += whole.elts
    return out


def _one_by_one(program: PythonProgram, whole: ast.ListComp | ast.GeneratorExp, scope: Scope) -> list[ast.expr] | None:
    """What a comprehension over a tuple in sight, or over several with ``zip``, makes: its element, with the variables
    replaced by each item."""
    (made, *more) = whole.generators
    zipped = isinstance(made.iter, ast.Call) and dotted(made.iter.func) == "zip" and not made.iter.keywords
    over = made.iter.args if zipped and isinstance(made.iter, ast.Call) else [made.iter]
    targets = made.target.elts if zipped and isinstance(made.target, ast.Tuple) else [made.target]
    names = [one.id for one in targets if isinstance(one, ast.Name)]
    known = [_items(program, one, scope) for one in over]
    counts = {len(items) for items in known if items is not None}
    if more or made.ifs or not len(names) == len(targets) == len(over) or len(counts) != 1:
        return None
    (count,) = counts
    out: list[ast.expr] = []
    for at in range(count):
        element = copy.deepcopy(whole.elt)
        for name, one, items in zip(names, over, known, strict=True):
            taken = ast.copy_location(ast.Subscript(one, ast.Constant(at), ast.Load()), one)
            item = items[at] if items is not None else ast.fix_missing_locations(taken)
            element = _Replaced(name, item).visit(element)
        out.append(element)
    return out


def _items(program: PythonProgram, expr: ast.expr, scope: Scope) -> list[ast.expr] | None:
    """The items of a tuple in sight; None for another expression."""
    listed, where = program.resolved(expr, scope)
    if not isinstance(listed, (ast.Tuple, ast.List)) or any(isinstance(one, ast.Starred) for one in listed.elts):
        return None
    return listed.elts if where is scope or all(isinstance(one, ast.Constant) for one in listed.elts) else None


def written_out(program: PythonProgram, expr: ast.expr, scope: Scope) -> ast.expr:
    """``tuple(f(n) for n in (a, b))`` as the tuple that it makes; any other expression as it is."""
    made_of = isinstance(expr, ast.Call) and dotted(expr.func) in ("tuple", "list") and len(expr.args) == 1
    whole = expr.args[0] if made_of and isinstance(expr, ast.Call) else expr
    made = _one_by_one(program, whole, scope) if isinstance(whole, (ast.ListComp, ast.GeneratorExp)) else None
    return expr if made is None else ast.copy_location(ast.Tuple(made, ast.Load()), expr)


def is_tuple(program: PythonProgram, expr: ast.expr, scope: Scope) -> bool:
    """Whether an expression is a tuple or list in sight."""
    return isinstance(written_out(program, *program.resolved(expr, scope)), (ast.Tuple, ast.List))


class _Replaced(ast.NodeTransformer):
    """Puts an expression in the place of a name."""

    def __init__(self, name: str, by: ast.expr) -> None:
        self.name, self.by = name, by

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.by if node.id == self.name else node


def _calls(program: PythonProgram, other: Called, scope: Scope) -> bool:
    """Whether a call by the name of a function is one of that function."""
    parent = scope.parent
    if parent is None or other.scope is scope:
        return False
    if "." not in other.name:
        return program.function(other.name, other.scope) is scope
    alike = [one for one in program.scopes if isinstance(one.node, ast.FunctionDef)]
    return parent.is_class and sum(one.node.name == scope.node.name for one in alike) == 1  # type: ignore[attr-defined]


def bound_to(scope: Scope, node: ast.FunctionDef, other: Called) -> Scope | None:
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
    defaults = _defaults(node)
    for name in (*names, *(arg.arg for arg in node.args.kwonlyargs)):
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
