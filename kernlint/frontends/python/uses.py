"""How a function uses its names, read off its tree before it is lowered."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

Place = tuple[int, int]
"""A statement: the identity of its list, and its index there."""


def leaves(body: Sequence[ast.stmt]) -> bool:
    """Whether no thread gets past the statements."""
    if not body:
        return False
    last = body[-1]
    if isinstance(last, ast.If):
        return bool(last.orelse) and leaves(last.body) and leaves(last.orelse)
    return isinstance(last, (ast.Return, ast.Raise, ast.Continue, ast.Break))


def jumps(body: Iterable[ast.stmt]) -> bool:
    """Whether statements leave the loop around them, or go on with its next round."""
    for node in body:
        if isinstance(node, (ast.Break, ast.Continue)):
            return True
        if isinstance(node, ast.If) and (jumps(node.body) or jumps(node.orelse)):
            return True
    return False


def broken_in(body: Iterable[ast.stmt]) -> Iterator[ast.Break]:
    """The ``break`` statements that leave the loop around ``body``."""
    for node in body:
        if isinstance(node, ast.Break):
            yield node
        elif isinstance(node, (ast.For, ast.While)):
            yield from broken_in(node.orelse)
        else:
            for part in ("body", "orelse", "finalbody"):
                yield from broken_in(getattr(node, part, ()))


def assigned_in(body: Iterable[ast.stmt]) -> set[str]:
    """Names that statements assign."""
    found: set[str] = set()
    for node in body:
        for at in ast.walk(node):
            if isinstance(at, ast.Name) and isinstance(at.ctx, ast.Store):
                found.add(at.id)
    return found


def assignments(body: Iterable[ast.stmt]) -> dict[str, int]:
    """How often each name is assigned."""
    found: dict[str, int] = {}
    for node in body:
        for at in ast.walk(node):
            if isinstance(at, ast.Name) and isinstance(at.ctx, ast.Store):
                found[at.id] = found.get(at.id, 0) + 1
    return found


def _lists(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
            yield block


def _own_names(node: ast.stmt) -> Iterator[str]:
    """Names in a statement, not those in the statements below it."""
    below = {id(one) for block in _lists(node) for one in block}
    stack: list[ast.AST] = [node]
    while stack:
        at = stack.pop()
        if isinstance(at, ast.Name):
            yield at.id
        stack.extend(child for child in ast.iter_child_nodes(at) if id(child) not in below)


def placements(body: list[ast.stmt]) -> dict[str, Place]:
    """For each name, the innermost list of statements that has all its uses, and the first statement there."""
    paths: dict[str, list[tuple[Place, ...]]] = {}

    def visit(block: list[ast.stmt], path: tuple[Place, ...]) -> None:
        for index, node in enumerate(block):
            here = (*path, (id(block), index))
            for name in _own_names(node):
                paths.setdefault(name, []).append(here)
            for inner in _lists(node):
                visit(inner, here)

    visit(body, ())
    return {name: _common(found) for name, found in paths.items()}


def _common(paths: list[tuple[Place, ...]]) -> Place:
    depth = 0
    first = paths[0]
    while all(len(path) > depth + 1 and path[depth] == first[depth] for path in paths):
        depth += 1
    owner = first[depth][0]
    return owner, min(path[depth][1] for path in paths)


def loop_variables(body: Iterable[ast.stmt]) -> frozenset[str]:
    """Variables of loops that are used inside loops over them only."""
    targets: set[str] = set()
    outside: set[str] = set()

    def visit(node: ast.AST, owned: frozenset[str]) -> None:
        if isinstance(node, ast.For) and isinstance(node.target, ast.Name):
            targets.add(node.target.id)
            visit(node.iter, owned)
            for one in node.body:
                visit(one, owned | {node.target.id})
            for one in node.orelse:
                visit(one, owned)
            return
        if isinstance(node, ast.Name) and node.id not in owned:
            outside.add(node.id)
        for child in ast.iter_child_nodes(node):
            visit(child, owned)

    for node in body:
        visit(node, frozenset())
    return frozenset(targets - outside)
