"""Member names that come out of macros, read from a function as clang prints it.

A swizzle has no cursor of its own, and where its name stands in a macro's body no place in the source leads to it.
Clang prints a function with all macros expanded, though, and in the printed text the members stand in the order in
which a walk leaves their nodes: the two sequences are lined up, and only what there is no doubt about is claimed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernlint.frontends.clang.cursor import Cursor
from kernlint.frontends.clang.kinds import CursorKind as K
from kernlint.frontends.clang.lower.lanes import lanes_of
from kernlint.frontends.clang.lower.lineup import Place, lined_up
from kernlint.patterns import pattern
from kernlint.tree.types import PointerType, Type, VectorType

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
    """The names of swizzles and of members that clang did not resolve in a function, by the key of their node.

    The name is empty for a node that may be a swizzle or a mere conversion and is the latter. What text and tree do not
    agree about is left out.
    """
    body = next((c for c in function.children if c.kind == K.COMPOUND_STMT), None)
    if body is None:
        return {}
    text = function.printed()
    found = [m.group("member") for m in _TOKEN.finditer(text, max(text.find("{"), 0)) if m.group("member")]
    nodes: list[tuple[Cursor, Place]] = []
    _collect(body, types, nodes)
    names = lined_up([place for _, place in nodes], found)
    return {
        node.key: name
        for (node, _), name in zip(nodes, names, strict=True)
        if name is not None and not (node.kind == K.MEMBER_REF_EXPR and node.spelling)
    }


def _collect(root: Cursor, types: TypeTable, found: list[tuple[Cursor, Place]]) -> None:
    """Nodes that may print a member, in the order in which their names are printed."""
    stack: list[tuple[Cursor, Place | None]] = [(root, None)]
    while stack:
        node, left = stack.pop()
        if left is not None:
            found.append((node, left))
            continue
        if (place := _place(node, types)) is not None:
            stack.append((node, place))
        stack.extend((child, None) for child in reversed(node.children))


def _place(node: Cursor, types: TypeTable) -> Place | None:
    """What a node lets its member be called; None where it prints none."""
    if node.kind == K.MEMBER_REF_EXPR:
        if not any(is_expression(c) for c in node.children):
            return None
        name = node.spelling
        return Place(name.__eq__) if name else Place(bool)
    if node.kind != K.UNEXPOSED_EXPR or len(node.children) != 1 or not is_expression(node.children[0]):
        return None
    inner = node.children[0]
    if not is_swizzle(node, inner, types):
        return None
    whole, part = _vector(types.of(inner.type)), types.of(node.type)
    if whole is None:
        return None
    wanted, lanes = part.lanes if isinstance(part, VectorType) else 1, whole.lanes

    # The upper half of three lanes has a fourth, which is undefined.
    def fits(name: str) -> bool:
        chosen = lanes_of(name, lanes)
        return len(chosen) == wanted and all(lane < lanes or (lane, lanes) == (3, 3) for lane in chosen)

    return Place(fits, free=types.of(node.type) == whole and node.extent.in_macro)


def _vector(type_: Type) -> VectorType | None:
    """The vector that is, or that is pointed to."""
    if isinstance(type_, PointerType):
        type_ = type_.pointee
    return type_ if isinstance(type_, VectorType) else None


def is_swizzle(outer: Cursor, inner: Cursor, types: TypeTable) -> bool:
    """Whether an unexposed node around a vector may select lanes of it: a conversion changes qualifiers only."""
    whole = _vector(types.of(inner.type))
    if whole is None:
        return False
    part = types.of(outer.type)
    if not isinstance(part, VectorType):
        return part == whole.element
    if part.element != whole.element or part.lanes != whole.lanes:
        return part.element == whole.element
    base = inner
    while base.kind == K.PAREN_EXPR and len(base.children) == 1:
        base = base.children[0]
    if base.kind == K.COMPOUND_LITERAL_EXPR or outer.type.canonical is not inner.type.canonical:
        return False
    return outer.extent.in_macro or outer.extent.end > inner.extent.end
