"""Members: ``base.name`` built from what clang resolved, or read from the source where it did not."""

from __future__ import annotations

import re

from kernlint.frontends.clang.cursor import Cursor
from kernlint.frontends.clang.kinds import CursorKind as K
from kernlint.frontends.clang.lower.context import Scope, lowers_expression
from kernlint.frontends.clang.lower.lanes import lanes_of
from kernlint.frontends.clang.lower.types import without_extents
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import (
    Cast,
    Expr,
    Member,
    Ref,
)
from kernlint.tree.types import (
    ArrayType,
    OpaqueType,
    PointerType,
    StructType,
    Type,
    VectorType,
)

MEMBER_NAME = pattern(r"\s*(\.|->)\s*(?:template\s+)?([A-Za-z_]\w*)")
LAST_MEMBER = pattern(r"(\.|->)\s*(?:template\s+)?([A-Za-z_]\w*)\s*(?:<[^;]*>)?\s*$")
TAIL = 300
"""Characters at an expression's end in which its last member is looked for."""


@lowers_expression(K.CXX_THIS_EXPR)
def this(scope: Scope, cursor: Cursor) -> Expr:
    if scope.this is None:
        return scope.opaque(cursor, "this outside a method", writes=False)
    return Ref(scope.span(cursor), scope.type(cursor), scope.this)


def implicit_member(scope: Scope, cursor: Cursor, declaration: Cursor) -> Expr:
    if scope.this is None:
        return scope.opaque(cursor, "member without an object", writes=False)
    base = Ref(scope.span(cursor), scope.this.type, scope.this)
    return member(scope, cursor, base, declaration.spelling, scope.type(cursor))


def member(scope: Scope, cursor: Cursor, base: Expr, name: str, type_: Type) -> Expr:
    """``base.name`` (``base->name`` when ``base`` is a pointer); members of a base class are the object's own."""
    if isinstance(base, Cast) and not base.explicit and _inherits(base.operand.type, base.type, name):
        base = base.operand
    have = base.type
    arrow = isinstance(have, PointerType)
    record = have.pointee if isinstance(have, PointerType) else have
    lanes: tuple[int, ...] = ()
    if isinstance(record, VectorType):
        lanes = lanes_of(name, record.lanes)
        if isinstance(type_, OpaqueType) and lanes:
            type_ = record.element if len(lanes) == 1 else VectorType(record.element, len(lanes), record.padded)
    elif isinstance(record, StructType) and (field := record.field(name)) is not None and _vague(type_, field.type):
        type_ = field.type
    if isinstance(type_, PointerType) and type_.reference:
        type_ = type_.pointee
    return Member(scope.span(cursor), type_, base, name, arrow, lanes)


def _inherits(own: Type, above: Type, name: str) -> bool:
    """Whether an object, or what a pointer leads to, has one member ``name``, that of the class it is converted to."""
    if isinstance(own, PointerType) and isinstance(above, PointerType):
        own, above = own.pointee, above.pointee
    if not isinstance(own, StructType) or not isinstance(above, StructType) or own == above:
        return False
    return above.field(name) is not None and sum(field.name == name for field in own.fields) == 1


def _vague(type_: Type, declared: Type) -> bool:
    """Whether the compiler knows less of a member than the record, or has counted the elements of an array by a name
    that was made up."""
    return isinstance(type_, OpaqueType) or (isinstance(type_, ArrayType) and declared == without_extents(type_))


def member_name(scope: Scope, cursor: Cursor, base: Cursor) -> str:
    """The member's name read from the source, for accesses whose referent depends on a template argument."""
    lowering = scope.lowering
    whole, left = cursor.extent, base.extent
    if whole.in_macro or left.in_macro or whole.file != left.file:
        match = LAST_MEMBER.search(lowering.source(cursor)[-TAIL:])
    else:
        match = MEMBER_NAME.match(lowering.slice(whole.file, left.end, whole.end))
        if match is None:
            match = LAST_MEMBER.search(lowering.slice(whole.file, max(whole.start, whole.end - TAIL), whole.end))
    return match.group(2) if match else ""


def dependent_implicit_member(scope: Scope, cursor: Cursor) -> Expr:
    """``x`` or ``this->x`` where the class is a template whose base may have it."""
    text = scope.lowering.source(cursor)
    match = LAST_MEMBER.search(text[-TAIL:]) or re.match(r"()(\w+)$", text.strip())
    if match and scope.this is not None:
        base = Ref(scope.span(cursor), scope.this.type, scope.this)
        return member(scope, cursor, base, match.group(2), scope.type(cursor))
    return scope.opaque(cursor, f"member that depends on a template argument: {shorten(text)}", "template", False)


def shorten(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 60 else text[:57] + "..."
