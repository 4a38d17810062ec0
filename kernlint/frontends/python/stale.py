"""What a kernel has taken along from around it as a constant, and the program changes after that.

numba reads captured names when it compiles, at the first launch: "changes to global variables after that have no
effect".  A function that assigns a global says by itself that it is meant to change; any other change counts where
launches of the kernel stand before it and behind it, or both stand in one loop.  Where a comment beside the change says
that kernels do not see it, the author knows (``told``).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from kernlint.frontends.clang.python.program import Called, PythonProgram, Scope
from kernlint.frontends.python.context import Places
from kernlint.frontends.python.functions import Finder, Jitted, own_nodes
from kernlint.frontends.python.launches import Launched
from kernlint.record import dataclass
from kernlint.text.patterns import pattern
from kernlint.text.pythontext import comments
from kernlint.tree.nodes import Remark

Loop = ast.For | ast.While
_KNOWN = pattern(
    r"\bno (?:\w+ )?effect\b|(?:\bnot|n't) (?:be )?(?:affect|arrive|reach|see|visible)|\bstill (?:has|sees|uses)\b"
)
"""What a comment says of a change that does not arrive."""


def stale(program: PythonProgram, finder: Finder, launched: Sequence[Launched], lowering: Places) -> Iterator[Remark]:
    """A remark for each name that a kernel has taken along and that changes."""
    changed = _declared(program)
    touched = _touched(program)
    reaching: Reaching = {}
    for jitted in finder.found:
        if jitted.host or len(jitted.scope.bound.get(jitted.name, ())) > 1:
            continue  # made anew, perhaps with what has changed
        for name, at in _free(jitted).items():
            holder = jitted.scope.holder(name)
            if holder is None:
                continue
            values = [one for one in holder.bound[name] if one is not None]
            change: ast.AST | None = None
            if holder is program.scopes[0] and name in changed and values and all(_number(v) for v, _ in values):
                if all(_compiled_after(place, jitted, finder, program) for place in changed[name]):
                    continue
                change = changed.pop(name)[0]
            elif name in touched and name not in program.imports and not _called(jitted, name):
                reaching = reaching or _reaching(program, launched)
                change = _between(jitted, name, holder, reaching)
            if change is not None:
                related = ((lowering.span(change), "changed here"),)
                words = (name, "told") if _told(change, program) else (name,)
                yield Remark("stale-global", lowering.span(at), jitted.name, words, related)


def _told(change: ast.AST, program: PythonProgram) -> bool:
    """Whether a comment in the paragraph of a change says that it does not arrive."""
    at = program.start(change)
    start = max(program.data.rfind(blank, 0, at) for blank in (b"\n\n", b"\r\n\r\n"))
    stop = program.data.find(b"\n", at)
    said = " ".join(text for place, text in comments(program.data) if start < place and (place < stop or stop < 0))
    return bool(_KNOWN.search(said.lower()))


def _touched(program: PythonProgram) -> set[str]:
    """Names that the program binds more than once, or something behind which it changes."""
    found = {name for scope in program.scopes for name, bound in scope.bound.items() if len(bound) > 1}
    for at in ast.walk(program.scopes[0].node):
        if isinstance(at, ast.Subscript) and isinstance(at.ctx, ast.Store) and isinstance(at.value, ast.Name):
            found.add(at.value.id)
        elif isinstance(at, ast.Call) and (changed := _in_place(at)) is not None:
            found.add(changed)
    return found


def _compiled_after(change: ast.Name, jitted: Jitted, finder: Finder, program: PythonProgram) -> bool:
    """Whether the function that a change stands in compiles the kernel behind it, and nobody does anywhere else."""
    made = [at for at, one in finder.by_node.items() if one is jitted and isinstance(at, ast.Call)]
    if not made or jitted.node.decorator_list:
        return False
    for scope in program.scopes[1:]:
        inside = {id(at) for at in own_nodes(scope.node)}
        if id(change) in inside and any(at.lineno > change.lineno and id(at) in inside for at in made):
            return all(id(at) in inside and at.lineno > change.lineno for at in made)
    return False


def _declared(program: PythonProgram) -> dict[str, list[ast.Name]]:
    """Names that functions declare ``global`` and assign, with these places."""
    changed: dict[str, list[ast.Name]] = {}
    for scope in program.scopes[1:]:
        body = getattr(scope.node, "body", [])
        if not isinstance(body, list):
            continue
        declared = {name for at in body for s in ast.walk(at) if isinstance(s, ast.Global) for name in s.names}
        for at in (one for statement in body for one in ast.walk(statement)) if declared else ():
            if isinstance(at, ast.Name) and isinstance(at.ctx, ast.Store) and at.id in declared:
                changed.setdefault(at.id, []).append(at)
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


@dataclass(frozen=True, slots=True, eq=False)
class _Event:
    """A launch, or (``node``) a change of the name, with the loops around it."""

    node: ast.AST | None
    loops: tuple[Loop, ...]


Reaching = dict[ast.AST, list[tuple[Scope, set[int]]]]
"""For each kernel the functions that launch it, each with its launches and its calls of functions that do."""


def _reaching(program: PythonProgram, launched: Sequence[Launched]) -> Reaching:
    found: Reaching = {}
    inside = [(called, inner) for called in program.calls if (inner := _function(program, called)) is not None]
    for kernel in {one.jitted.node for one in launched}:
        own = [one.called for one in launched if one.jitted.node is kernel]
        calls: dict[ast.AST, tuple[Scope, set[int]]] = {}
        for called in own:
            calls.setdefault(called.scope.node, (called.scope, set()))[1].add(id(called.node))
        for _ in range(ROUNDS):
            known = len(calls)
            for called, inner in inside:
                if inner in calls and called.scope.node is not inner:
                    calls.setdefault(called.scope.node, (called.scope, set()))[1].add(id(called.node))
            if len(calls) == known:
                break
        found[kernel] = list(calls.values())
    return found


ROUNDS = 4
"""Calls between a change and a launch."""


def _function(program: PythonProgram, called: Called) -> ast.AST | None:
    """The function of the file that a call is of: by its name, or as the only method of that name."""
    if "." not in called.name and isinstance(called.node.func, ast.Name):
        inner = program.function(called.name, called.scope)
        return inner.node if inner is not None else None
    method = called.node.func.attr if isinstance(called.node.func, ast.Attribute) else ""
    alike = [one for one in program.scopes if isinstance(one.node, ast.FunctionDef) and one.node.name == method]
    inside = len(alike) == 1 and alike[0].parent is not None and alike[0].parent.is_class
    return alike[0].node if inside else None


def _called(jitted: Jitted, name: str) -> bool:
    """Whether a kernel calls what the name stands for, or takes something out of it by its name: it is no number."""
    return any(
        isinstance(at, ast.Call) and isinstance(at.func, ast.Name) and at.func.id == name
        for at in ast.walk(jitted.node)
    )


def _between(jitted: Jitted, name: str, holder: Scope, reaching: Reaching) -> ast.AST | None:
    """The first change of a name that has a launch of the kernel before it and another one behind it."""
    for scope, calls in reaching.get(jitted.node, ()):
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
        if isinstance(child, ast.Call) and _in_place(child) == name:
            yield _Event(child, inner)
        yield from _events(child, name, calls, kernel, binds, inner)


_IN_PLACE = frozenset({"fill", "sort", "put", "itemset", "partition"})
"""Methods of arrays that change their elements; functions of NumPy that change their first argument stand below."""


def _in_place(call: ast.Call) -> str | None:
    """The name in ``name.fill(x)``, ``np.copyto(name, x)``."""
    if not isinstance(call.func, ast.Attribute):
        return None
    first = call.func.value if call.func.attr in _IN_PLACE else None
    if call.func.attr in ("copyto", "place", "putmask", "fill_diagonal") and call.args:
        first = call.args[0]
    return first.id if isinstance(first, ast.Name) else None


def _changes(target: ast.expr, name: str, binds: bool) -> bool:
    """Whether an assignment to ``target`` changes what the name stands for."""
    if isinstance(target, (ast.Tuple, ast.List)):
        return any(_changes(part, name, binds) for part in target.elts)
    if isinstance(target, ast.Subscript):
        return isinstance(target.value, ast.Name) and target.value.id == name
    return binds and isinstance(target, ast.Name) and target.id == name
