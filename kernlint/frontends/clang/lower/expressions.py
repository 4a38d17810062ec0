"""Implicit conversions, lambdas: expressions that are neither names nor operators nor calls."""

from __future__ import annotations

import re

from kernlint.apis.names import PLACED
from kernlint.frontends.clang.cursor import Cursor
from kernlint.frontends.clang.kinds import CursorKind as K
from kernlint.frontends.clang.kinds import TypeKind
from kernlint.frontends.clang.lower.context import Scope, lowers_expression, sounds_like_sync
from kernlint.frontends.clang.lower.conversions import convert
from kernlint.frontends.clang.lower.lanes import SWIZZLE
from kernlint.frontends.clang.lower.literals import constant_node, default_value
from kernlint.frontends.clang.lower.members import member
from kernlint.frontends.clang.lower.printed import is_expression, is_swizzle
from kernlint.frontends.clang.lower.recovery import recovered, unresolved_call
from kernlint.frontends.clang.lower.variables import parameter
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import (
    Block,
    Call,
    Cast,
    Conditional,
    Expr,
    ExprStmt,
    FunctionRef,
    InitList,
    Lambda,
    Opaque,
    ParamDecl,
)
from kernlint.tree.types import (
    BOOL,
    UNKNOWN,
    VOID,
    FloatType,
    FunctionType,
    IntType,
    OpaqueType,
    PointerType,
    StructType,
    Type,
    VectorType,
)

_AS_TYPE = pattern(r"(?:as_[a-z]+[0-9]*|__builtin_astype)\s*\(")


@lowers_expression(K.UNEXPOSED_EXPR)
def unexposed(scope: Scope, cursor: Cursor) -> Expr:
    """What libclang has no kind for: implicit conversions above all, also swizzles and ``as_type``."""
    children = [c for c in cursor.children if is_expression(c)]
    if len(children) == 1:
        return _wrapper(scope, cursor, children[0])
    if not children:
        type_ = scope.type(cursor)
        extent = cursor.extent
        if extent.start < extent.end:
            return _implicit_value(scope, cursor, type_)
        return default_value(scope, cursor)
    return _several(scope, cursor, children)


def _wrapper(scope: Scope, cursor: Cursor, inner: Cursor) -> Expr:
    outer_type = scope.type(cursor)
    inner_type = scope.type(inner)
    pointee = inner_type.pointee if isinstance(inner_type, PointerType) else inner_type
    may_have_lanes = isinstance(pointee, VectorType) or (scope.lowering.opencl and isinstance(pointee, OpaqueType))
    if may_have_lanes and (lanes := _swizzle(scope, cursor, inner)) is not None:
        return lanes
    if isinstance(outer_type, OpaqueType) and cursor.type.kind == TypeKind.DEPENDENT and inner.kind == K.DECL_REF_EXPR:
        text = scope.lowering.source(cursor)
        if text.rstrip().endswith(")") and inner.extent.end < cursor.extent.end:
            return unresolved_call(scope, cursor, [inner])
    if inner_type == outer_type or cursor.type is inner.type:
        return scope.expression(inner)
    if scope.lowering.opencl and (
        _reads_bits(inner_type, outer_type)
        or (inner.kind == K.PAREN_EXPR and (_AS_TYPE.match(scope.lowering.written(cursor)) or scope.reads_bits(cursor)))
    ):
        operand = scope.expression(inner)
        return Cast(scope.span(cursor), outer_type, operand, True, bits=True)
    if isinstance(inner_type, VectorType) and _loses_lanes(inner_type, outer_type):
        return scope.opaque(cursor, "lanes of a vector that a macro names", writes=False)
    if isinstance(outer_type, OpaqueType) and cursor.type.kind == TypeKind.DEPENDENT:
        return recovered(scope, cursor, [inner])
    operand = scope.expression(inner)
    if isinstance(operand, FunctionRef) and isinstance(outer_type, (PointerType, FunctionType)):
        return operand
    if isinstance(outer_type, (StructType, OpaqueType)) or isinstance(operand.type, OpaqueType):
        return operand
    if isinstance(operand, Call) and operand.type == outer_type:
        return operand
    return convert(operand, outer_type)


def _reads_bits(inner: Type, outer: Type) -> bool:
    """Whether the bits of a vector are read as another type (``as_ushort8(v)``, also out of a macro): there is no
    other way from one vector to one with elements of another type, or to a scalar of its size."""
    if not isinstance(inner, VectorType) or inner.size != outer.size:
        return False
    if isinstance(outer, VectorType):
        return outer.element != inner.element
    return isinstance(outer, (IntType, FloatType)) and outer != BOOL


def _loses_lanes(inner: VectorType, outer: Type) -> bool:
    """Whether only a swizzle leads from one type to the other: no conversion of vectors changes their lanes."""
    return (
        outer != BOOL
        and isinstance(outer, (IntType, FloatType, VectorType))
        and inner.lanes != (outer.lanes if isinstance(outer, VectorType) else 1)
    )


def _swizzle(scope: Scope, cursor: Cursor, inner: Cursor) -> Expr | None:
    """``v.xy`` on an extended vector, which has no cursor of its own."""
    lowering = scope.lowering
    whole, left = cursor.extent, inner.extent
    if whole.in_macro or left.in_macro or whole.file != left.file:
        return _swizzle_of_a_macro(scope, cursor, inner)
    if left.end >= whole.end:
        return None
    match = re.match(r"\s*\)*\s*(\.|->)\s*(\w+)\s*$", lowering.slice(whole.file, left.end, whole.end))
    if match is None:
        return None
    if not SWIZZLE.match(match.group(2)):
        return _swizzle_of_a_macro(scope, cursor, inner)
    return member(scope, cursor, scope.expression(inner), match.group(2), scope.type(cursor))


def _swizzle_of_a_macro(scope: Scope, cursor: Cursor, inner: Cursor) -> Expr | None:
    if not is_swizzle(cursor, inner, scope.types):
        return None
    name = scope.printed_member(cursor)
    if name is None:
        return scope.opaque(cursor, "lanes of a vector that a macro names", writes=False)
    return member(scope, cursor, scope.expression(inner), name, scope.type(cursor)) if name else None


def _implicit_value(scope: Scope, cursor: Cursor, type_: Type) -> Expr:
    """``T()`` of a scalar, type traits, ``__builtin_*`` constants; what clang cannot evaluate is opaque."""
    node = constant_node(scope, cursor)
    if node is not None:
        return node
    text = scope.lowering.source(cursor)
    if re.search(r"[({]\s*[)}]\s*$", text) and not isinstance(type_, OpaqueType):
        return InitList(scope.span(cursor), type_, ())
    return recovered(scope, cursor, [])


def _several(scope: Scope, cursor: Cursor, children: list[Cursor]) -> Expr:
    text = scope.lowering.source(cursor)
    if len(children) >= 4 and "?" in text and children[0].extent == children[1].extent:
        # a ?: b, shown as its parts in clang's own order
        cond = scope.expression(children[0])
        other = scope.conditional_expression(children[-1])
        type_ = scope.type(cursor)
        return Conditional(scope.span(cursor), type_, cond, convert(cond, type_), convert(other, type_))
    return recovered(scope, cursor, children)


# ---------------------------------------------------------------------------------- lambdas and the rest


@lowers_expression(K.LAMBDA_EXPR)
def lambda_expression(scope: Scope, cursor: Cursor) -> Expr:
    params: list[ParamDecl] = []
    body: Block | None = None
    for child in cursor.children:
        if child.kind == K.PARM_DECL:
            params.append(parameter(scope, child, len(params)))
        elif child.kind == K.COMPOUND_STMT:
            saved, scope.hoisted = scope.hoisted, []
            try:
                lowered = scope.statement(child)
            finally:
                scope.hoisted = saved
            body = lowered if isinstance(lowered, Block) else Block(scope.span(child), (lowered,))
            scope.lowering.lambdas[child.key] = body
    captures = scope.lowering.source(cursor).partition("]")[0]
    span = scope.span(cursor)
    return Lambda(span, scope.type(cursor), tuple(params), body or Block(span, ()), "&" in captures)


@lowers_expression(K.STMT_EXPR)
def statement_expression(scope: Scope, cursor: Cursor) -> Expr:
    """GNU's ``({ ...; value; })``: its statements go before the current one, its value stays."""
    body = next((c for c in cursor.children if c.kind == K.COMPOUND_STMT), None)
    if body is None or scope.hoisted is None:
        reason = "statement expression inside a condition"
        scope.lose("statement", reason, cursor)
        inner = scope.statement(body) if body is not None else None
        children = (Lambda(scope.span(cursor), UNKNOWN, (), inner, True),) if isinstance(inner, Block) else ()
        text = scope.lowering.source(cursor)
        return Opaque(scope.span(cursor), scope.type(cursor), reason, children, True, sounds_like_sync(text))
    hoisted = scope.hoisted
    statements = body.children
    last = statements[-1] if statements and is_expression(statements[-1]) else None
    for child in statements[: -1 if last is not None else None]:
        hoisted.append(scope.statement(child))
    if last is None:
        return InitList(scope.span(cursor), VOID, ())
    value = scope.expression(last)
    if isinstance(value.type, type(VOID)):
        hoisted.append(ExprStmt(value.span, value))
        return InitList(scope.span(cursor), VOID, ())
    return value


@lowers_expression(K.PACK_EXPANSION_EXPR)
def pack_expansion(scope: Scope, cursor: Cursor) -> Expr:
    return scope.opaque(cursor, "parameter pack", "template", writes=False)


@lowers_expression(K.CXX_NEW_EXPR, K.CXX_DELETE_EXPR, K.CXX_THROW_EXPR)
def allocation(scope: Scope, cursor: Cursor) -> Expr:
    """``new``, ``delete`` and ``throw`` are calls of what they do; ``new`` at a place that is given allocates nothing
    (ISO C++ [new.delete.placement]) and is one of its own, with the place as its first argument."""
    names = {K.CXX_NEW_EXPR: "operator new", K.CXX_DELETE_EXPR: "operator delete", K.CXX_THROW_EXPR: "throw"}
    parts = [c for c in cursor.children if is_expression(c)]
    args = tuple(scope.expression(c) for c in parts)
    placed = cursor.kind == K.CXX_NEW_EXPR and bool(parts) and _in_placement(scope, cursor, parts[0])
    name = names[cursor.kind]
    if placed and isinstance(args[0].type, PointerType):
        name = PLACED
    elif placed:  # of another allocator, or one that does not throw: what is given says nothing of the object
        args = args[1:]
    elif cursor.kind == K.CXX_NEW_EXPR and _allocates_itself(cursor.type.pointee.canonical.declaration):
        name = OWN_NEW
    return Call(scope.span(cursor), scope.type(cursor), name, None, args)


OWN_NEW = "operator new of the class"
"""What allocates objects of a class that has an ``operator new``: memory of any kind, managed memory for one."""


def _allocates_itself(declaration: Cursor | None, depth: int = 8) -> bool:
    """Whether a class, or one that it is made of, has an ``operator new`` of its own."""
    definition = declaration.definition if declaration is not None else None
    if definition is None or depth == 0:
        return False
    for part in definition.children:
        if part.kind == K.CXX_METHOD and part.spelling == "operator new":
            return True
        if part.kind == K.CXX_BASE_SPECIFIER and _allocates_itself(part.type.canonical.declaration, depth - 1):
            return True
    return False


_PLACEMENT = pattern(r"(?:::\s*)?new\s*\(")


def _in_placement(scope: Scope, cursor: Cursor, first: Cursor) -> bool:
    """Whether the first argument of a ``new`` stands in the parentheses right behind the word (those may be the type's,
    in which no expression stands)."""
    text = scope.lowering.source(cursor)
    head = _PLACEMENT.match(text)
    if head is None:
        return False
    depth, at = 1, head.end()
    while at < len(text) and depth:
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return scope.span(first).start < scope.span(cursor).start + at


@lowers_expression(K.GENERIC_SELECTION_EXPR)
def selection(scope: Scope, cursor: Cursor) -> Expr:
    return constant_node(scope, cursor) or scope.opaque(cursor, "generic selection")
