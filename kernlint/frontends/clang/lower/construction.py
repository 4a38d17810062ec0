"""Constructors and conversions of classes."""

from __future__ import annotations

from kernlint.frontends.clang.cursor import Cursor
from kernlint.frontends.clang.intrinsics import CallContext, lower_call
from kernlint.frontends.clang.kinds import CursorKind as K
from kernlint.frontends.clang.kinds import TypeKind
from kernlint.frontends.clang.lower.arguments import call_arguments, is_default, receiver_of, unwrapped
from kernlint.frontends.clang.lower.context import Scope
from kernlint.frontends.clang.lower.conversions import convert
from kernlint.frontends.clang.lower.printed import is_expression
from kernlint.frontends.clang.lower.variables import object_ends
from kernlint.tree.nodes import (
    Call,
    Cast,
    Expr,
    InitList,
    IntLit,
)
from kernlint.tree.types import (
    I32,
    U32,
    ArrayType,
    FloatType,
    IntType,
    OpaqueType,
    StructType,
    Type,
    VectorType,
)


def construction(scope: Scope, cursor: Cursor, declaration: Cursor) -> Expr:
    """A constructor call: a copy is its operand, a plain one a list of elements, the user's own a call."""
    type_ = scope.type(cursor)
    written = [c for c in cursor.children if is_expression(c)]
    count = len(cursor.arguments)
    if 0 < count < len(written):  # numbers among the template's arguments come first: ``Tensor<float, 2>(x, sizes)``
        written = written[-count:]
    arguments = [c for c in written if not is_default(c)]
    if isinstance(type_, ArrayType) and not arguments:
        return InitList(scope.span(cursor), type_, ())
    users = scope.lowering.functions.is_users(declaration)
    if len(arguments) == 1 and not users:
        same = scope.type(arguments[0]) == type_ and not isinstance(type_, OpaqueType)
        if same or _is_copy(declaration):
            return scope.expression(arguments[0])
    if isinstance(type_, (FloatType, IntType)):
        if not arguments:
            return InitList(scope.span(cursor), type_, ())
        operand = scope.expression(arguments[0])
        return convert(operand, type_)
    span = scope.span(cursor)
    if isinstance(type_, VectorType):
        return InitList(span, type_, tuple(scope.expression(a) for a in arguments))
    if isinstance(type_, StructType) and type_.name == "dim3":
        return InitList(span, type_, tuple(convert(scope.expression(a), U32) for a in arguments))
    if users:
        object_ends(scope, cursor)
        args = call_arguments(scope, declaration, written)
        function = scope.lowering.functions.declare(declaration)
        return Call(span, type_, declaration.qualified_name, function, args)
    args = tuple(scope.expression(a) for a in arguments)
    made_by = None
    if isinstance(type_, StructType) and scope.lowering.functions.is_declared_alone(declaration):
        args = call_arguments(scope, declaration, written)
        made_by = scope.lowering.functions.declare(declaration)
    elif not args:
        return InitList(span, type_, ())
    name = declaration.spelling
    context = CallContext(name, declaration.qualified_name, args, type_, span, language=scope.lowering.language)
    return lower_call(context) or Call(span, type_, declaration.qualified_name, made_by, args)


def _is_copy(declaration: Cursor) -> bool:
    parameters = [c for c in declaration.children if c.kind == K.PARM_DECL]
    if len(parameters) != 1:
        return False
    of = parameters[0].type.canonical
    parent = declaration.semantic_parent
    if of.kind not in (TypeKind.LVALUE_REFERENCE, TypeKind.RVALUE_REFERENCE) or parent is None:
        return False
    target = of.pointee.canonical.declaration
    return target is not None and target.key == parent.key


def user_conversion(scope: Scope, cursor: Cursor, declaration: Cursor) -> Expr:
    """``operator T()``: a cast for the 16-bit floats, else a call."""
    head = next((c for c in cursor.children if is_expression(c)), None)
    type_ = scope.type(cursor)
    if head is None:
        return scope.opaque(cursor, "conversion without an operand")
    receiver: Expr | None
    head = unwrapped(head)
    if head.kind == K.MEMBER_REF_EXPR:
        receiver, _ = receiver_of(scope, head)
    else:
        receiver = scope.expression(head)
    if receiver is None:
        return scope.opaque(cursor, "conversion without an operand")
    if isinstance(receiver.type, (FloatType, IntType, OpaqueType)):
        return convert(receiver, type_)
    if not scope.lowering.functions.is_users(declaration):
        if isinstance(receiver.type, VectorType) or not isinstance(type_, (IntType, FloatType)):
            return Cast(scope.span(cursor), type_, receiver, False)
        name, qualified = declaration.spelling, declaration.qualified_name
        class_ = receiver.type.name if isinstance(receiver.type, StructType) else ""
        context = CallContext(name, qualified, (), type_, scope.span(cursor), receiver, class_)
        return lower_call(context) or Call(scope.span(cursor), type_, qualified, None, (), receiver)
    function = scope.lowering.functions.declare(declaration)
    return Call(scope.span(cursor), type_, declaration.qualified_name, function, (), receiver)


def names_type(scope: Scope, cursor: Cursor, first: Cursor) -> bool:
    """Whether a call without a callee is a construction: ``T(x)`` with ``T`` a template parameter."""
    return first.extent.start > cursor.extent.start and any(
        c.kind in (K.TYPE_REF, K.TEMPLATE_REF) for c in cursor.children
    )


def value_of_type(scope: Scope, cursor: Cursor, arguments: list[Cursor]) -> Expr:
    """``T(x)``, ``T()``: a cast, or the type's zero."""
    type_: Type = scope.type(cursor)
    span = scope.span(cursor)
    if not arguments:
        if isinstance(type_, IntType):
            return IntLit(span, type_, 0)
        return InitList(span, type_, ())
    values = tuple(scope.expression(a) for a in arguments)
    if len(values) == 1:
        return values[0] if values[0].type == type_ and type_ != I32 else Cast(span, type_, values[0], True)
    return InitList(span, type_, values)
