"""Which of several values a name has at a place: the one that the last statement before it, which always runs, gives.

Only statements of the scope itself are looked at.  Where a branch, a loop around the place, or a name that another
function changes could have come between, nothing is said.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

Place = tuple[int, int]

_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return, ast.Assert, ast.Delete)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_WITH = (ast.With, ast.AsyncWith)


def place_of(node: ast.AST) -> Place:
    """Line and column of a node."""
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def last_before(body: Sequence[ast.stmt], bound: Sequence[Place], at: Place) -> int | None:
    """Which of the places at which a name is ``bound`` gives it its value at ``at``; None: none of them for sure."""
    found = _search(body, bound, at)
    return found if found is not None and found >= 0 else None


def _search(body: Sequence[ast.stmt], bound: Sequence[Place], at: Place) -> int | None:
    """The index of the binding; None where nothing in ``body`` binds the name before, -1 where it is not clear."""
    here = next((index for index, one in enumerate(body) if _spans(one, at)), None)
    if here is None:
        return None
    around = body[here]
    if not isinstance(around, _SIMPLE):
        found = _inside(around, bound, at)
        if found is not None:
            return found
    return _behind(body[:here], bound)


def _inside(around: ast.stmt, bound: Sequence[Place], at: Place) -> int | None:
    """The same for the blocks of the statement that ``at`` stands in."""
    parts = _blocks(around)
    own = next((part for part in parts if any(_spans(one, at) for one in part)), None)
    if own is not None:
        found = _search(own, bound, at)
        if found is not None:
            return found
    within = [place for place in bound if _spans(around, place)]
    if isinstance(around, _LOOPS) and within:
        return -1
    branches = isinstance(around, (ast.If, ast.Match))
    for place in within:
        if place < at and not (branches and any(_spans(one, place) for part in parts for one in part)):
            return -1  # in the head of the statement, or in a part of it that may have run
    return None


def _behind(body: Sequence[ast.stmt], bound: Sequence[Place]) -> int | None:
    """The binding that holds when all statements of ``body`` have run."""
    for one in reversed(body):
        within = [index for index, place in enumerate(bound) if _spans(one, place)]
        if not within:
            continue
        if isinstance(one, (ast.Assign, ast.AnnAssign, ast.AugAssign)) and len(within) == 1:
            return within[0]
        found = _behind(one.body, bound) if isinstance(one, _WITH) else -1
        return -1 if found is None else found
    return None


def _spans(node: ast.stmt, at: Place) -> bool:
    decorators = getattr(node, "decorator_list", None)
    start = place_of(decorators[0]) if decorators else place_of(node)
    return start <= at < (node.end_lineno or 0, node.end_col_offset or 0)


def _blocks(node: ast.stmt) -> list[list[ast.stmt]]:
    """The lists of statements in a statement."""
    out = [part for name in ("body", "orelse", "finalbody") if (part := getattr(node, name, None))]
    for name in ("handlers", "cases"):
        out += [one.body for one in getattr(node, name, ())]
    return [part for part in out if isinstance(part, list)]
