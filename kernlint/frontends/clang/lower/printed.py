"""Member names that come out of macros, read from a function as clang prints it.

A swizzle has no cursor of its own, and where its name stands in a macro's body no place in the source leads to it.
Clang prints a function with all macros expanded, though, and in the printed text the members stand in the order in
which a walk leaves their nodes: the two sequences are lined up, and only what there is no doubt about is claimed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kernlint.frontends.clang.cursor import Cursor
from kernlint.frontends.clang.kinds import CursorKind as K
from kernlint.frontends.clang.kinds import TypeKind
from kernlint.frontends.clang.lower.lanes import lanes_of
from kernlint.frontends.clang.lower.lineup import Place, lined_up
from kernlint.text.patterns import pattern
from kernlint.tree.types import PointerType, Type, VectorType

if TYPE_CHECKING:
    from kernlint.frontends.clang.lower.types import TypeTable

_TOKEN = pattern(
    r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[A-Za-z_]\w*|(?:0[xX][\da-fA-F.]+(?:[pP][+-]?\d+)?|\d+\.?\d*(?:[eE][+-]?\d+)?'
    r"|\.\d+(?:[eE][+-]?\d+)?)[a-zA-Z]*|\.\.\.|(?:\.|->)\s*(?P<member>[A-Za-z_]\w*)"
)
_BRACKET = pattern(r"""[(),]|(?P<call>\b__builtin_astype\s*\()|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'""")


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


def reads_of_bits(function: Cursor, types: TypeTable) -> dict[int, bool]:
    """Whether a node that may read a scalar's bits as another type does (``as_half(x)``), by its key.

    Clang shows ``__builtin_astype`` as it shows an implicit conversion, but prints it. Its type is printed behind its
    operand; what is lined up are the types, in the order in which the builtins open.
    """
    body = next((c for c in function.children if c.kind == K.COMPOUND_STMT), None)
    if body is None:
        return {}
    nodes = [node for node in body.walk() if _may_read_bits(node, types)]
    names = lined_up([Place(_unqualified(node).__eq__, free=True) for node in nodes], _retyped_to(function.printed()))
    return {node.key: bool(name) for node, name in zip(nodes, names, strict=True) if name is not None}


def _may_read_bits(node: Cursor, types: TypeTable) -> bool:
    if node.kind != K.UNEXPOSED_EXPR or len(node.children) != 1 or node.children[0].kind != K.PAREN_EXPR:
        return False
    outer, inner = types.of(node.type), types.of(node.children[0].type)
    return outer.size is not None and outer.size == inner.size


def _unqualified(node: Cursor) -> str:
    return re.sub(r"\b(?:const|volatile|restrict|__\w+)\s+", "", node.type.spelling)


def _retyped_to(text: str) -> list[str]:
    """The types that the calls of ``__builtin_astype`` in a printed function give, in the order of the calls."""
    found: list[str] = []
    stack: list[int | None] = []  # the open parentheses: which call each belongs to
    last = 0
    for match in _BRACKET.finditer(text):
        if match.group() == ")":
            call = stack.pop() if stack else None
            if call is not None:
                found[call] = text[last : match.start()].strip()
        elif match.group() == ",":
            last = match.end()
        elif match.group() == "(":
            stack.append(None)
        elif match.group("call"):
            stack.append(len(found))
            found.append("")
    return found


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
        return Place(bool)
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
        # A vector whose type is made up: it is known by its elements alone.
        made_up, left = inner.type.canonical, outer.type.canonical
        if made_up.kind != TypeKind.EXT_VECTOR or left.kind == TypeKind.DEPENDENT:
            return False
        return (left.kind, left.size) != (made_up.kind, made_up.size)
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
