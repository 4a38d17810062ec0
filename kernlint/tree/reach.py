"""The calls that a function makes, itself or through helpers, each with the loops it stands in on the way there."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.record import dataclass
from kernlint.tree.nodes import Call, DoWhile, For, FunctionDecl, Node, Stmt, While
from kernlint.tree.walk import children

DEEPEST = 32
"""Calls within calls that are followed."""


@dataclass(frozen=True, slots=True, eq=False)
class Reached:
    """One ``call`` in the text, as reached from a function.

    ``stack``: the calls of helpers that lead to it, outermost first; ``loops``: the loops around it, those around the
    calls of ``stack`` included, outermost first.  The init part of a ``for`` runs once and counts as outside.
    """

    call: Call
    stack: tuple[Call, ...]
    loops: tuple[Stmt, ...]


def reached_calls(function: FunctionDecl) -> Iterator[Reached]:
    """Every call that ``function`` makes, in the order of the text; helpers with a body are entered at each of their
    calls, but for recursion."""
    if function.body is not None:
        yield from _calls(function.body, (), (), (function,))


def _calls(
    node: Node, stack: tuple[Call, ...], loops: tuple[Stmt, ...], within: tuple[FunctionDecl, ...]
) -> Iterator[Reached]:
    if isinstance(node, Call):
        yield Reached(node, stack, loops)
        helper = node.function
        if helper is not None and helper.body is not None and helper not in within and len(within) < DEEPEST:
            yield from _calls(helper.body, (*stack, node), loops, (*within, helper))
    inside = (*loops, node) if isinstance(node, For | While | DoWhile) else loops
    for child in children(node):
        once = isinstance(node, For) and child is node.init
        yield from _calls(child, stack, loops if once else inside, within)
