"""Statuses that are stored in vain: of a variable that is never read, or that gets another value before.

A call that is handed the variable's address to store a status there (``clCreateBuffer``) reads nothing of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.apis import MAKES, known_name
from kernlint.tree import nodes as n
from kernlint.tree.types import IntType
from kernlint.tree.walk import strip_casts, walk

_STORES = frozenset(
    {"CreateKernel", "CreateContext", "CreateContextFromType", "CreateCommandQueue", "CreateCommandQueueWithProperties",
     "CreateProgramWithSource", "CreateProgramWithBinary", "CreateSampler", "CreateUserEvent"}
)  # fmt: skip
"""Functions of OpenCL that store a status at their last argument, beside those that make memory."""


def unread(function: n.FunctionDecl) -> Iterator[n.Node]:
    """The calls and launches of a function whose statuses are stored in vain."""
    if function.body is None:
        return
    nodes = list(walk(function.body))
    own = {node for node in nodes if isinstance(node, n.VarDecl) and _plain(node)}
    if not own:
        return
    lost = {word for node in nodes if isinstance(node, (n.OpaqueStmt, n.Opaque)) for word in node.words}
    own = {decl for decl in own if decl.name not in lost}
    written = {id(ref) for node in nodes for ref in _written(node)}
    read = {node.decl for node in nodes if isinstance(node, n.Ref) and id(node) not in written}
    for node in nodes:
        if isinstance(node, n.VarDecl) and node in own and node not in read and node.init is not None:
            yield from _made_by(node.init)
        elif isinstance(node, n.ExprStmt) and (to := _stored_in(node)) in own and to not in read:
            yield from _made_by(node.expr.value)  # type: ignore[attr-defined]
        elif isinstance(node, n.Block):
            yield from _overwritten(node.body, own & read, written)


def _plain(decl: n.VarDecl) -> bool:
    return isinstance(decl.type, IntType) and not (decl.static or decl.is_global or isinstance(decl, n.ParamDecl))


def _written(node: n.Node) -> Iterator[n.Ref]:
    """Where a variable is only written: the target of a statement that assigns, and the address for a status."""
    if isinstance(node, n.ExprStmt) and isinstance(node.expr, n.Assign) and isinstance(node.expr.target, n.Ref):
        yield node.expr.target
    elif isinstance(node, n.Call) and node.args:
        plain = known_name(node.name)
        makes = MAKES.get(plain or "")
        at = makes.status if makes is not None else len(node.args) - 1 if plain in _STORES else None
        given = strip_casts(node.args[at]) if at is not None and at < len(node.args) else None
        if isinstance(given, n.AddressOf) and isinstance(given.operand, n.Ref):
            yield given.operand


def _stored_in(stmt: n.Stmt) -> n.VarDecl | None:
    """The variable that a statement assigns to."""
    target = stmt.expr.target if isinstance(stmt, n.ExprStmt) and isinstance(stmt.expr, n.Assign) else None
    return target.decl if isinstance(target, n.Ref) else None


def _stored(stmt: n.Stmt) -> tuple[n.VarDecl | None, n.Expr | None]:
    """The variable that gets a value in a statement, and the value."""
    if isinstance(stmt, n.DeclStmt) and len(stmt.decls) == 1:
        return stmt.decls[0], stmt.decls[0].init
    plain = isinstance(stmt, n.ExprStmt) and isinstance(stmt.expr, n.Assign) and not stmt.expr.op
    return _stored_in(stmt), stmt.expr.value if plain else None  # type: ignore[attr-defined]


def _made_by(value: n.Expr) -> Iterator[n.Node]:
    value = strip_casts(value)
    if isinstance(value, (n.Call, n.Launch)):
        yield value


def _overwritten(row: Sequence[n.Stmt], own: set[n.VarDecl], written: set[int]) -> Iterator[n.Node]:
    """Of statements one after the other, those whose status is gone before anybody can have looked at it."""
    for place, stmt in enumerate(row):
        decl, value = _stored(stmt)
        if decl not in own or value is None:
            continue
        for later in row[place + 1 :]:
            uses = [node for node in walk(later) if isinstance(node, n.Ref) and node.decl is decl]
            if not uses:
                if _leaves(later):
                    break
                continue
            again = isinstance(later, (n.ExprStmt, n.DeclStmt)) and all(id(use) in written for use in uses)
            if again and not _adds(later):
                yield from _made_by(value)
            break


def _adds(stmt: n.Stmt) -> bool:
    return isinstance(stmt, n.ExprStmt) and isinstance(stmt.expr, n.Assign) and bool(stmt.expr.op)


def _leaves(stmt: n.Stmt) -> bool:
    """Whether a statement may go on where the variable is read after all."""
    return any(isinstance(node, (n.Break, n.Continue, n.Goto)) for node in walk(stmt))
