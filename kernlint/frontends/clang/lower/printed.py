"""Member names that come out of macros, read from a function as clang prints it.

A swizzle has no cursor of its own, and where its name stands in a macro's body no place in the source leads to it.
Clang prints a function with all macros expanded, though, and in the printed text the members stand in the order in
which a walk leaves their nodes: the two sequences are matched up, and where they differ in length nothing is claimed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernlint.frontends.clang.cursor import Cursor
from kernlint.frontends.clang.kinds import CursorKind as K
from kernlint.patterns import pattern
from kernlint.tree.types import PointerType, VectorType

if TYPE_CHECKING:
    from kernlint.frontends.clang.lower.types import TypeTable

_TOKEN = pattern(
    r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[A-Za-z_]\w*|(?:0[xX][\da-fA-F.]+(?:[pP][+-]?\d+)?|\d+\.?\d*(?:[eE][+-]?\d+)?'
    r"|\.\d+(?:[eE][+-]?\d+)?)[a-zA-Z]*|\.\.\.|(?:\.|->)\s*(?P<member>[A-Za-z_]\w*)"
)


def is_expression(cursor: Cursor) -> bool:
    """Whether the cursor is an expression rather than a statement, declaration or attribute."""
    return 100 <= cursor.kind < 200 or cursor.kind == K.BUILTIN_BIT_CAST_EXPR


def member_names(function: Cursor, types: TypeTable) -> dict[int, str]:
    """The names of swizzles in a function, by the key of their node; empty when text and tree do not agree."""
    body = next((c for c in function.children if c.kind == K.COMPOUND_STMT), None)
    if body is None:
        return {}
    text = function.printed()
    found = [m.group("member") for m in _TOKEN.finditer(text, max(text.find("{"), 0)) if m.group("member")]
    nodes: list[Cursor] = []
    _collect(body, types, nodes)
    if len(found) != len(nodes):
        return {}
    for node, name in zip(nodes, found, strict=True):
        if node.kind == K.MEMBER_REF_EXPR and node.spelling != name:
            return {}
    return {node.key: name for node, name in zip(nodes, found, strict=True) if node.kind == K.UNEXPOSED_EXPR}


def _collect(root: Cursor, types: TypeTable, found: list[Cursor]) -> None:
    """Nodes that print a member, in the order in which their names are printed."""
    stack: list[tuple[Cursor, bool]] = [(root, False)]
    while stack:
        node, left = stack.pop()
        if left:
            found.append(node)
            continue
        if _prints_member(node, types):
            stack.append((node, True))
        stack.extend((child, False) for child in reversed(node.children))


def _prints_member(node: Cursor, types: TypeTable) -> bool:
    if node.kind == K.MEMBER_REF_EXPR:
        return bool(node.spelling) and any(is_expression(c) for c in node.children)
    if node.kind != K.UNEXPOSED_EXPR or len(node.children) != 1 or not is_expression(node.children[0]):
        return False
    return is_swizzle(node, node.children[0], types)


def is_swizzle(outer: Cursor, inner: Cursor, types: TypeTable) -> bool:
    """Whether an unexposed node around a vector selects lanes of it: a mere conversion changes qualifiers only."""
    whole = types.of(inner.type)
    if isinstance(whole, PointerType):
        whole = whole.pointee
    if not isinstance(whole, VectorType):
        return False
    part = types.of(outer.type)
    if not isinstance(part, VectorType):
        return part == whole.element
    if part.element != whole.element or part.lanes != whole.lanes:
        return part.element == whole.element
    if inner.kind == K.COMPOUND_LITERAL_EXPR or outer.type.canonical is not inner.type.canonical:
        return False
    return outer.extent.in_macro or outer.extent.end > inner.extent.end
