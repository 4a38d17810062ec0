"""Results in the memory of a device that the host overwrites where it means to fetch them (PyCUDA).

``memcpy_htod(there, here)`` copies to the device, ``memcpy_dtoh(here, there)`` from it (PyCUDA, Device Interface).  An
array that was copied to a buffer, and that the program never changes, is copied there once more behind kernels that had
the buffer, and then the host goes on with the array: it has what it had.  Told where nothing in the program ever copies
from that buffer.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from kernlint.apis.memory import H2D
from kernlint.apis.python import COPIES, COPY_NAMES
from kernlint.frontends.clang.python.buffers import exchanged_with
from kernlint.frontends.clang.python.program import Called, PythonProgram, Scope, dotted
from kernlint.source import Span
from kernlint.tree.nodes import Remark

_SIZES = frozenset({"nbytes", "size", "shape", "dtype", "itemsize", "ndim"})
_LOOPS = (ast.For, ast.While, ast.AsyncFor)
_Names = set[str]


def overwritten_results(program: PythonProgram, tree: ast.Module, path: str) -> Iterator[Remark]:
    """Copies to buffers whose results the host seems to want."""
    copies = [(called, COPIES.get(program.imported(called.name))) for called in program.calls]
    uploads = [called for called, copy in copies if copy is not None and copy.kind == H2D]
    if len(uploads) < 2:
        return
    fetched = {
        dotted(called.node.args[copy.source]) if len(called.node.args) > copy.source else None
        for called, copy in copies
        if copy is not None and copy.kind != H2D
    }
    if None in fetched:
        return
    launched = [called for called in program.calls if any(key.arg == "block" for key in called.node.keywords)]
    for called in uploads:
        names = _sides(called)
        first = next((one for one in uploads if names is not None and _is_earlier(program, one, called)), None)
        if names is None or first is None:
            continue
        buffer, array = names
        group = exchanged_with(buffer, called.scope) or {buffer}
        between = [one for one in launched if _behind(program, first, one, called, buffer)]
        if group & fetched or not any(group & set(map(dotted, one.node.args)) for one in between):
            continue
        if (
            _unchanged(program, array, first, called)
            and _goes_on(called, array, group)
            and not _handed(called, group, tree)
        ):
            span, there = (Span(path, program.start(at.node), program.end(at.node)) for at in (called, between[-1]))
            yield Remark("copy-over-results", span, "", (buffer,), ((there, "a kernel is given it here"),))


def _sides(called: Called) -> tuple[str, str] | None:
    if len(called.node.args) < 2:
        return None
    target, source = map(dotted, called.node.args[:2])
    return (target, source) if target is not None and source is not None else None


def _owner(scope: Scope) -> Scope:
    """The class around a scope, else the scope."""
    at: Scope | None = scope
    while at is not None and not at.is_class:
        at = at.parent
    return at or scope


def _is_earlier(program: PythonProgram, one: Called, called: Called) -> bool:
    """Whether ``one`` copies the same to the same place, before: by what stands first, in a constructor for members."""
    if _sides(one) != _sides(called) or one is called:
        return False
    names = _sides(called) or ("", "")
    if all(name.startswith("self.") for name in names):
        constructs = getattr(one.scope.node, "name", "") == "__init__"
        return _owner(one.scope) is _owner(called.scope) and constructs and one.scope is not called.scope
    return one.scope is called.scope and program.start(one.node) < program.start(called.node)


def _behind(program: PythonProgram, first: Called, launch: Called, called: Called, buffer: str) -> bool:
    """Whether a launch comes between two copies, as far as can be told: for members, in any method."""
    if buffer.startswith("self."):
        return _owner(launch.scope) is _owner(called.scope)
    within = program.start(first.node) < program.start(launch.node) < program.start(called.node)
    return launch.scope is called.scope and within


def _unchanged(program: PythonProgram, array: str, first: Called, called: Called) -> bool:
    """Whether nothing can have changed an array between two copies of it: it is but copied, and asked how large it
    is."""
    member = array.startswith("self.")
    node = (_owner(called.scope) if member else called.scope).node
    start, end = program.end(first.node), program.start(called.node)
    parents = {child: at for at in ast.walk(node) for child in ast.iter_child_nodes(at)}
    stores = 0
    for at in ast.walk(node):
        if dotted(at) != array:
            continue
        stored = isinstance(getattr(at, "ctx", None), ast.Store)
        stores += stored
        above = parents.get(at)
        if isinstance(above, ast.Subscript) and isinstance(above.ctx, (ast.Store, ast.Del)):
            return False
        if member or not start <= program.start(at) < end:
            continue
        if stored or not (isinstance(above, ast.Attribute) and above.attr in _SIZES):
            return False
    return not member or stores == 1


def _goes_on(called: Called, array: str, group: _Names) -> bool:
    """Whether the rest of the function reads the array, and has no more to do with the buffer; not in a loop."""
    body = getattr(called.scope.node, "body", None)
    if not isinstance(body, list):
        return False
    for at, stmt in enumerate(body):
        if isinstance(stmt, ast.Expr) and stmt.value is called.node:
            rest = [node for later in body[at + 1 :] for node in ast.walk(later)]
            if any(dotted(node) in group and not _frees(rest, node) for node in rest):
                return False
            return any(dotted(node) == array and isinstance(getattr(node, "ctx", None), ast.Load) for node in rest)
    return False


def _frees(nodes: list[ast.AST], of: ast.AST) -> bool:
    return any(isinstance(node, ast.Attribute) and node.value is of and node.attr == "free" for node in nodes)


def _handed(called: Called, group: _Names, tree: ast.AST) -> bool:
    """Whether somebody else may fetch what is in the buffers: they are put into anything but launches, copies and each
    other's place, or are asked for from outside of the class."""
    members = {name.removeprefix("self.") for name in group if name.startswith("self.")}
    if any(isinstance(at, ast.Attribute) and at.attr in members and dotted(at) not in group for at in ast.walk(tree)):
        return True
    node = (_owner(called.scope) if members else called.scope).node
    parents = {child: at for at in ast.walk(node) for child in ast.iter_child_nodes(at)}
    return any(
        dotted(at) in group
        and isinstance(getattr(at, "ctx", None), ast.Load)
        and not _is_known(parents.get(at), at, group)
        for at in ast.walk(node)
    )


def _is_known(above: ast.AST | None, use: ast.AST, group: _Names) -> bool:
    if isinstance(above, ast.Call):
        moves = (dotted(above.func) or "").rpartition(".")[2] in COPY_NAMES
        return use in above.args and (moves or any(key.arg == "block" for key in above.keywords))
    if isinstance(above, ast.Tuple):
        return {dotted(one) for one in above.elts} <= group
    return isinstance(above, ast.Attribute) and above.attr == "free"
