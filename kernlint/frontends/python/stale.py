"""What a kernel has taken along from around it as a constant, and the program changes after that.

numba reads captured names when it compiles, at the first launch: "changes to global variables after that have no
effect".  A function that assigns a global says by itself that it is meant to change; any other change counts where
launches of the kernel stand before it and behind it, or both stand in one loop.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from kernlint.frontends.clang.python.program import PythonProgram, Scope, dotted
from kernlint.frontends.python.context import Places
from kernlint.frontends.python.functions import Finder, Jitted
from kernlint.frontends.python.launches import Launched
from kernlint.record import dataclass
from kernlint.tree.nodes import Remark

Loop = ast.For | ast.While

_MAKERS = frozenset({"array", "zeros", "ones", "full", "empty", "arange", "linspace", "asarray", "eye"})


def stale(program: PythonProgram, finder: Finder, launched: Sequence[Launched], lowering: Places) -> Iterator[Remark]:
    """A remark for each name that a kernel has taken along and that changes."""
    changed = _declared(program)
    for jitted in finder.found:
        if jitted.host:
            continue
        for name, at in _free(jitted).items():
            holder = jitted.scope.holder(name)
            if holder is None:
                continue
            values = [one for one in holder.bound[name] if one is not None]
            change: ast.AST | None = None
            if holder is program.scopes[0] and name in changed and values and all(_number(v) for v, _ in values):
                change = changed.pop(name)
            elif values and (_number(values[0][0]) or _array(values[0][0])):
                change = _between(program, jitted, name, holder, launched)
            if change is not None:
                related = ((lowering.span(change), "changed here"),)
                yield Remark("stale-global", lowering.span(at), jitted.name, (name,), related)


def _declared(program: PythonProgram) -> dict[str, ast.AST]:
    """Names that functions declare ``global`` and assign, with the first such place."""
    changed: dict[str, ast.AST] = {}
    for scope in program.scopes[1:]:
        body = getattr(scope.node, "body", [])
        if not isinstance(body, list):
            continue
        declared = {name for at in body for s in ast.walk(at) if isinstance(s, ast.Global) for name in s.names}
        for at in (one for statement in body for one in ast.walk(statement)) if declared else ():
            if isinstance(at, ast.Name) and isinstance(at.ctx, ast.Store) and at.id in declared:
                changed.setdefault(at.id, at)
    return changed


def _free(jitted: Jitted) -> dict[str, ast.Name]:
    """Names that a function reads and does not bind, each at its first place."""
    found: dict[str, ast.Name] = {}
    for at in ast.walk(jitted.node):
        if isinstance(at, ast.Name) and isinstance(at.ctx, ast.Load) and at.id not in jitted.inner.bound:
            found.setdefault(at.id, at)
    return found


def _number(expr: ast.expr) -> bool:
    if isinstance(expr, ast.UnaryOp):
        return _number(expr.operand)
    return isinstance(expr, ast.Constant) and isinstance(expr.value, (int, float)) and not isinstance(expr.value, bool)


def _array(expr: ast.expr) -> bool:
    return isinstance(expr, ast.Call) and (dotted(expr.func) or "").rpartition(".")[2] in _MAKERS


@dataclass(frozen=True, slots=True, eq=False)
class _Event:
    """A launch, or (``node``) a change of the name, with the loops around it."""

    node: ast.AST | None
    loops: tuple[Loop, ...]


def _between(
    program: PythonProgram, jitted: Jitted, name: str, holder: Scope, launched: Sequence[Launched]
) -> ast.AST | None:
    """The first change of a name that has a launch of the kernel before it and another one behind it."""
    scopes = {id(one.called.scope): one.called.scope for one in launched if one.jitted is jitted}
    for scope in scopes.values():
        calls = {id(one.called.node) for one in launched if one.jitted is jitted and one.called.scope is scope}
        if scope is not holder and name in scope.bound:
            continue  # another variable of the name
        events = list(_events(scope.node, name, calls, jitted.node, scope is holder))
        for at, event in enumerate(events):
            if event.node is None:
                continue
            before = any(one.node is None for one in events[:at])
            around = {id(loop) for loop in event.loops}
            shared = any(one.node is None and around & {id(loop) for loop in one.loops} for one in events)
            if (before and any(one.node is None for one in events[at:])) or shared:
                return event.node
    return None


def _events(
    node: ast.AST, name: str, calls: set[int], kernel: ast.AST, binds: bool, loops: tuple[Loop, ...] = ()
) -> Iterator[_Event]:
    """Launches and changes of a scope in the order of the text.  ``binds``: an assignment here is one of the name."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        inner = loops
        if isinstance(child, (ast.For, ast.While)) and not any(at is kernel for at in ast.walk(child)):
            inner = (*loops, child)
        if isinstance(child, (ast.For, ast.While)) and inner is loops:
            continue  # compiled anew in each round
        if isinstance(child, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For)):
            targets = child.targets if isinstance(child, ast.Assign) else [child.target]
            if any(_changes(target, name, binds) for target in targets):
                yield from _events(child, name, calls, kernel, False, inner)
                yield _Event(child if not isinstance(child, ast.For) else child.target, inner)
                continue
        if id(child) in calls:
            yield _Event(None, inner)
        yield from _events(child, name, calls, kernel, binds, inner)


def _changes(target: ast.expr, name: str, binds: bool) -> bool:
    """Whether an assignment to ``target`` changes what the name stands for."""
    if isinstance(target, (ast.Tuple, ast.List)):
        return any(_changes(part, name, binds) for part in target.elts)
    if isinstance(target, ast.Subscript):
        return isinstance(target.value, ast.Name) and target.value.id == name
    return binds and isinstance(target, ast.Name) and target.id == name
