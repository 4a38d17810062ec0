"""Operators, assignments, casts and parentheses."""

from __future__ import annotations

from kernlint.frontends.clang.cursor import Cursor
from kernlint.frontends.clang.kinds import BinaryOperator as B
from kernlint.frontends.clang.kinds import CursorKind as K
from kernlint.frontends.clang.kinds import UnaryOperator as U
from kernlint.frontends.clang.lower.context import Scope, lowers_expression
from kernlint.frontends.clang.lower.conversions import COMPARISONS, balanced, common_type, convert, decayed, promoted
from kernlint.frontends.clang.lower.printed import is_expression
from kernlint.frontends.clang.unit import MOST_PARTS
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import (
    AddressOf,
    Assign,
    Binary,
    Cast,
    Conditional,
    Deref,
    Expr,
    FloatLit,
    IncDec,
    InitList,
    IntLit,
    Subscript,
    Unary,
)
from kernlint.tree.types import (
    BOOL,
    I32,
    ArrayType,
    FloatType,
    IntType,
    OpaqueType,
    PointerType,
    Space,
    Type,
    VectorType,
    VoidType,
)

BINARY = {
    B.MUL: "*", B.DIV: "/", B.REM: "%", B.ADD: "+", B.SUB: "-", B.SHL: "<<", B.SHR: ">>",
    B.LT: "<", B.GT: ">", B.LE: "<=", B.GE: ">=", B.EQ: "==", B.NE: "!=",
    B.AND: "&", B.XOR: "^", B.OR: "|", B.LAND: "&&", B.LOR: "||", B.COMMA: ",",
}  # fmt: skip

COMPOUND = {
    B.MUL_ASSIGN: "*", B.DIV_ASSIGN: "/", B.REM_ASSIGN: "%", B.ADD_ASSIGN: "+", B.SUB_ASSIGN: "-",
    B.SHL_ASSIGN: "<<", B.SHR_ASSIGN: ">>", B.AND_ASSIGN: "&", B.XOR_ASSIGN: "^", B.OR_ASSIGN: "|",
}  # fmt: skip

_INCREMENTS = {U.POST_INC: ("++", False), U.POST_DEC: ("--", False), U.PRE_INC: ("++", True), U.PRE_DEC: ("--", True)}
_UNARY = {U.PLUS: "+", U.MINUS: "-", U.NOT: "~", U.LNOT: "!"}


def arithmetic(scope: Scope, cursor: Cursor, op: str, left: Expr, right: Expr) -> Expr:
    """A binary operation whose operands agree and whose type is known whenever theirs are."""
    left, right = balanced(op, left, right)
    type_ = decayed(scope.type(cursor), left.type, right.type)
    if isinstance(type_, OpaqueType):
        type_ = result_type(op, left.type, right.type, type_)
    return Binary(scope.span(cursor), type_, op, left, right)


def result_type(op: str, left: Type, right: Type, otherwise: Type) -> Type:
    """The type of ``left op right`` by the operands' types; ``otherwise`` when that does not decide."""
    if op in COMPARISONS or op in ("&&", "||"):
        return BOOL
    if op == ",":
        return right
    if op in ("<<", ">>"):
        return left if isinstance(left, IntType) else otherwise
    if (common := common_type(left, right)) is not None:
        return common
    if isinstance(left, VectorType) and (left == right or isinstance(right, (IntType, FloatType))):
        return left
    if op in ("+", "-"):
        if isinstance(left, PointerType) and isinstance(right, IntType):
            return left
        if isinstance(left, ArrayType) and isinstance(right, IntType):
            return PointerType(left.element)
        if op == "-" and isinstance(left, PointerType) and isinstance(right, PointerType):
            return IntType(64, True)
    return otherwise


@lowers_expression(K.BINARY_OPERATOR)
def binary(scope: Scope, cursor: Cursor) -> Expr:
    children = cursor.children
    if len(children) == 1:
        return scope.expression(children[0])
    code = cursor.binary_operator
    if len(children) != 2:
        return scope.opaque(cursor, "binary operator without two operands")
    if code == B.ASSIGN:
        return assignment(scope, cursor, children[0], children[1])
    op = BINARY.get(code) if code <= B.COMMA else None
    if op is None:
        return scope.opaque(cursor, "unusual binary operator")
    # Chains such as a + b + c + ... lean to the left and may be long: unroll them instead of recursing.
    chain: list[tuple[Cursor, str, Cursor]] = []
    at = cursor
    while True:
        chain.append((at, op, at.children[1]))
        left = at.children[0]
        if left.kind != K.BINARY_OPERATOR or len(left.children) != 2:
            break
        code = left.binary_operator
        following = BINARY.get(code) if code <= B.COMMA else None
        if following is None:
            break
        at, op = left, following
    if len(chain) > _LONGEST_CHAIN:
        return scope.opaque(cursor, "nested too deeply")
    result = scope.expression(left)
    for at, op, right in reversed(chain):
        lowered = scope.conditional_expression(right) if op in ("&&", "||") else scope.expression(right)
        result = arithmetic(scope, at, op, result, lowered)
    return result


_LONGEST_CHAIN = 120
"""Operators of one left-leaning chain; the tree below grows one level for each."""


def assignment(scope: Scope, cursor: Cursor, target: Cursor, value: Cursor) -> Expr:
    left, right = scope.expression(target), scope.expression(value)
    if isinstance(left.type, (IntType, FloatType)) and isinstance(right.type, (IntType, FloatType)):
        right = convert(right, left.type)
    return Assign(scope.span(cursor), left.type, "", left, right)


def compound(scope: Scope, cursor: Cursor, op: str, left: Expr, right: Expr) -> Assign:
    """``left op= right`` with the type in which C computes it."""
    compute: Type | None = None
    if op in ("<<", ">>"):
        right = convert(right, promoted(right.type))
        compute = promoted(left.type)
    else:
        compute = common_type(left.type, right.type)
        if compute is not None:
            right = convert(right, compute)
    return Assign(scope.span(cursor), left.type, op, left, right, None if compute == left.type else compute)


@lowers_expression(K.COMPOUND_ASSIGNMENT_OPERATOR)
def compound_assignment(scope: Scope, cursor: Cursor) -> Expr:
    code = cursor.binary_operator
    op = COMPOUND.get(code) if code <= B.COMMA else None
    if op is None or len(cursor.children) != 2:
        return scope.opaque(cursor, "unusual assignment")
    left, right = (scope.expression(c) for c in cursor.children)
    return compound(scope, cursor, op, left, right)


@lowers_expression(K.UNARY_OPERATOR)
def unary(scope: Scope, cursor: Cursor) -> Expr:
    if len(cursor.children) != 1:
        return scope.opaque(cursor, "unary operator without an operand")
    operand = scope.expression(cursor.children[0])
    code = cursor.unary_operator
    if code in _INCREMENTS:
        op, prefix = _INCREMENTS[code]
        return IncDec(scope.span(cursor), operand.type, op, prefix, operand)
    if code == U.DEREF:
        return dereference(scope, cursor, operand)
    if code == U.ADDR_OF:
        return address(scope, cursor, operand)
    if code in _UNARY:
        return negation(scope, cursor, _UNARY[code], operand)
    if code in (U.EXTENSION, U.REAL):
        return operand
    return scope.opaque(cursor, "unusual unary operator")


def negation(scope: Scope, cursor: Cursor, op: str, operand: Expr) -> Expr:
    """``- + ~ !`` with promotion."""
    if op != "!":
        operand = convert(operand, promoted(operand.type))
    type_ = scope.type(cursor)
    if isinstance(type_, OpaqueType):
        type_ = (I32 if scope.lowering.opencl else BOOL) if op == "!" else operand.type
    return Unary(scope.span(cursor), type_, op, operand)


def dereference(scope: Scope, cursor: Cursor, operand: Expr) -> Expr:
    """``*pointer``."""
    type_ = scope.type(cursor)
    if isinstance(type_, OpaqueType):
        type_ = pointee_of(operand.type) or type_
    if isinstance(operand, AddressOf) and operand.operand.type == type_:
        return operand.operand
    return Deref(scope.span(cursor), type_, operand)


def address(scope: Scope, cursor: Cursor, operand: Expr) -> Expr:
    """``&operand``; ``&*p`` is ``p``."""
    if isinstance(operand, Deref) and isinstance(operand.pointer.type, PointerType):
        return operand.pointer
    type_ = scope.type(cursor)
    if isinstance(type_, OpaqueType):
        type_ = PointerType(operand.type, Space.GENERIC)
    return AddressOf(scope.span(cursor), type_, operand)


def pointee_of(type_: Type) -> Type | None:
    """What a pointer or array leads to."""
    if isinstance(type_, PointerType):
        return type_.pointee
    if isinstance(type_, (ArrayType, VectorType)):
        return type_.element
    return None


@lowers_expression(K.ARRAY_SUBSCRIPT_EXPR)
def subscript(scope: Scope, cursor: Cursor) -> Expr:
    if len(cursor.children) != 2:
        return scope.opaque(cursor, "subscript without base and index", "subscript")
    base, index = (scope.expression(c) for c in cursor.children)
    if isinstance(base.type, IntType) and isinstance(index.type, (PointerType, ArrayType)):
        base, index = index, base  # 3[p]
    return element(scope, cursor, base, index)


def element(scope: Scope, cursor: Cursor, base: Expr, index: Expr) -> Expr:
    """``base[index]``."""
    type_ = scope.type(cursor)
    inner = pointee_of(base.type)
    # The rows of an array whose length rests on an unknown name: the compiler takes what stands in for the name.
    if isinstance(type_, OpaqueType) or (isinstance(inner, ArrayType) and inner.extent is None):
        type_ = inner or type_
    return Subscript(scope.span(cursor), type_, base, index)


@lowers_expression(K.PAREN_EXPR)
def parentheses(scope: Scope, cursor: Cursor) -> Expr:
    """Parentheses leave no node; a deep nest of them costs no depth."""
    at = cursor
    while at.kind == K.PAREN_EXPR and len(at.children) == 1:
        at = at.children[0]
    return scope.opaque(cursor, "empty parentheses") if at.kind == K.PAREN_EXPR else scope.expression(at)


@lowers_expression(K.CONDITIONAL_OPERATOR)
def conditional(scope: Scope, cursor: Cursor) -> Expr:
    if len(cursor.children) != 3:
        return scope.opaque(cursor, "unusual conditional operator")
    cond = scope.expression(cursor.children[0])
    then, other = (scope.conditional_expression(c) for c in cursor.children[1:])
    type_ = decayed(scope.type(cursor), then.type, other.type)
    if isinstance(type_, OpaqueType):
        common = common_type(then.type, other.type)
        type_ = common or (then.type if not isinstance(then.type, OpaqueType) else other.type)
    if isinstance(type_, (IntType, FloatType)):
        then, other = convert(then, type_), convert(other, type_)
    return Conditional(scope.span(cursor), type_, cond, then, other)


@lowers_expression(
    K.C_STYLE_CAST_EXPR,
    K.CXX_STATIC_CAST_EXPR,
    K.CXX_REINTERPRET_CAST_EXPR,
    K.CXX_CONST_CAST_EXPR,
    K.CXX_DYNAMIC_CAST_EXPR,
    K.CXX_FUNCTIONAL_CAST_EXPR,
    K.CXX_ADDRSPACE_CAST_EXPR,
    K.BUILTIN_BIT_CAST_EXPR,
)
def written_cast(scope: Scope, cursor: Cursor) -> Expr:
    operands = [c for c in cursor.children if is_expression(c)]
    type_ = scope.type(cursor)
    if not operands:
        return scope.opaque(cursor, "cast without an operand")
    inner = operands[-1]
    if cursor.kind == K.CXX_FUNCTIONAL_CAST_EXPR and inner.kind == K.CALL_EXPR and inner.type is cursor.type:
        return scope.expression(inner)
    if (
        inner.kind == K.UNEXPOSED_EXPR
        and scope.type(inner) == type_
        and len(inner.children) == 1
        and isinstance(type_, (IntType, FloatType, PointerType))
        and is_expression(inner.children[0])
        and not isinstance(scope.type(inner.children[0]), VectorType)
    ):
        inner = inner.children[0]  # the conversion that the cast asks for, shown as an implicit one
    operand = scope.expression(inner)
    if isinstance(operand, InitList) and isinstance(operand.type, VoidType):
        return InitList(operand.span, type_, operand.elements)
    return cast_to(scope, cursor, type_, operand, cursor.kind == K.CXX_REINTERPRET_CAST_EXPR)


def cast_to(scope: Scope, cursor: Cursor, type_: Type, operand: Expr, reinterpret: bool) -> Expr:
    """A cast as written.  A cast to the operand's own type, or of a reference, is the operand seen as ``type_``."""
    if operand.type == type_ and not isinstance(type_, OpaqueType):
        return operand
    scalar = not isinstance(operand.type, (PointerType, ArrayType, OpaqueType))
    if cursor.kind == K.BUILTIN_BIT_CAST_EXPR:
        return Cast(scope.span(cursor), type_, operand, True, bits=True)
    if scalar and not isinstance(type_, PointerType) and (reinterpret or _casts_reference(scope, cursor)):
        # reinterpret_cast<float4 &>(x[i]): the same object under another type
        pointer = AddressOf(operand.span, PointerType(operand.type, Space.GENERIC), operand)
        moved = Cast(scope.span(cursor), PointerType(type_, Space.GENERIC), pointer, True)
        return Deref(scope.span(cursor), type_, moved)
    whole = isinstance(operand.type, ArrayType) and not isinstance(type_, (PointerType, IntType))
    if whole and (reinterpret or _casts_reference(scope, cursor)):
        # reinterpret_cast<Storage &>(raw): what lies in the array, as memory of its own type
        return Deref(
            scope.span(cursor), type_, Cast(scope.span(cursor), PointerType(type_, Space.GENERIC), operand, True)
        )
    return Cast(scope.span(cursor), type_, operand, True)


_REFERENCE_CAST = pattern(r"\([^()]*&\s*\)")


def _casts_reference(scope: Scope, cursor: Cursor) -> bool:
    return cursor.kind == K.C_STYLE_CAST_EXPR and bool(_REFERENCE_CAST.match(scope.lowering.source(cursor)))


@lowers_expression(K.INIT_LIST_EXPR)
def braces(scope: Scope, cursor: Cursor) -> Expr:
    type_ = scope.type(cursor)
    if len(cursor.children) > MOST_PARTS:
        return scope.large_table(cursor)
    elements = tuple(scope.expression(c) for c in cursor.children if is_expression(c))
    if len(elements) == 1 and isinstance(type_, ArrayType) and isinstance(elements[0], InitList):
        inner = elements[0]
        if isinstance(inner.type, ArrayType) and inner.type.element == type_.element:
            return InitList(scope.span(cursor), type_, inner.elements)  # std::array wraps an array
    if len(elements) == 1 and isinstance(type_, (IntType, FloatType, PointerType)):
        return convert(elements[0], type_)
    if not elements and isinstance(type_, IntType):
        return IntLit(scope.span(cursor), type_, 0)
    if not elements and isinstance(type_, FloatType):
        return FloatLit(scope.span(cursor), type_, 0.0)
    if isinstance(type_, (ArrayType, VectorType)) and isinstance(type_.element, (IntType, FloatType)):
        numbers = (IntType, FloatType)
        elements = tuple(convert(e, type_.element) if isinstance(e.type, numbers) else e for e in elements)
    return InitList(scope.span(cursor), type_, elements)


@lowers_expression(K.COMPOUND_LITERAL_EXPR)
def compound_literal(scope: Scope, cursor: Cursor) -> Expr:
    """``(float4)(a, b, c, d)`` and C99's ``(struct s){...}``."""
    operands = [c for c in cursor.children if is_expression(c)]
    return scope.expression(operands[-1]) if operands else scope.opaque(cursor, "empty compound literal")
