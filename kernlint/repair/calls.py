"""What a statement may do besides computing: meet other threads, call, go on elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.repair.page import parts
from kernlint.tree.nodes import (
    Barrier,
    Break,
    Call,
    Continue,
    DoWhile,
    ExprStmt,
    For,
    FunctionDecl,
    Goto,
    Label,
    Node,
    Return,
    Scope,
    Stmt,
    Switch,
    WarpOp,
    While,
)
from kernlint.tree.walk import strip_casts, walk


def called(function: FunctionDecl) -> Iterator[FunctionDecl]:
    """A function and those that it calls, each once."""
    seen: set[int] = set()
    stack = [function]
    while stack:
        at = stack.pop()
        if id(at) in seen:
            continue
        seen.add(id(at))
        yield at
        for node in walk(at):
            if isinstance(node, Call) and node.function is not None and node.function.body is not None:
                stack.append(node.function)


def gathers(stmt: Stmt) -> bool:
    """Whether threads may have to come together in a statement: those that have left would be missing."""
    for node in walk(stmt):
        if isinstance(node, Barrier | WarpOp):
            return True
        if isinstance(node, Call) and not node.pure_math and (node.function is None or node.function.body is None):
            return True
        if isinstance(node, Call) and node.function is not None and node.function.body is not None:
            for inner in called(node.function):
                if any(isinstance(deep, Barrier | WarpOp) for deep in walk(inner)):
                    return True
    return False


def barrier_of(stmt: Stmt) -> Barrier | None:
    """The block barrier that a statement is."""
    at = strip_casts(stmt.expr) if isinstance(stmt, ExprStmt) else None
    plain = isinstance(at, Barrier) and at.scope is Scope.BLOCK and at.part == "both" and at.predicate is None
    return at if plain and isinstance(at, Barrier) and at.barrier_id is None else None


def meets(node: Node) -> bool:
    """Whether a block barrier is somewhere in ``node``, or in what it calls."""
    seen: set[int] = set()
    stack = [node]
    while stack:
        for inner in walk(stack.pop()):
            if isinstance(inner, Barrier) and inner.scope in (Scope.BLOCK, Scope.GRID, Scope.CLUSTER):
                return True
            called = inner.function if isinstance(inner, Call) else None
            if called is not None and called.body is not None and id(called) not in seen:
                seen.add(id(called))
                stack.append(called)
    return False


def leaves(stmt: Stmt, *, looped: bool = False) -> bool:
    """Whether a statement may go on elsewhere than behind itself."""
    if isinstance(stmt, Return | Goto | Label):
        return True
    if isinstance(stmt, Break | Continue):
        return not looped
    inside = looped or isinstance(stmt, For | While | DoWhile | Switch)
    return any(leaves(part, looped=inside) for part in parts(stmt))
