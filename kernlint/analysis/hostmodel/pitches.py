"""Pitched memory whose pitch nobody asks for: its rows lie one behind the other, whatever room there is at the end."""

from __future__ import annotations

from kernlint.analysis.hostmodel.places import Extent
from kernlint.tree.nodes import AddressOf, Call, FunctionDecl, Ref
from kernlint.tree.walk import strip_casts, walk


def pitch_unused(behind: Extent, function: FunctionDecl) -> bool:
    """Whether a function that makes pitched memory does nothing with the pitch that it gets for it."""
    if function.body is None or behind.span is None:
        return False
    nodes = list(walk(function.body))
    made = next((node for node in nodes if isinstance(node, Call) and node.span == behind.span), None)
    if made is None or len(made.args) < 2:
        return False
    given = strip_casts(made.args[1])
    pitch = strip_casts(given.operand) if isinstance(given, AddressOf) else None
    if not isinstance(pitch, Ref) or pitch.decl.is_global or pitch.decl in function.params:
        return False
    return sum(isinstance(node, Ref) and node.decl is pitch.decl for node in nodes) == 1
