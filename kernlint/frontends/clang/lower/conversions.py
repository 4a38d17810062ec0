"""C's conversion rules: what clang leaves out of its cursors is put back, so that operands agree."""

from __future__ import annotations

from kernlint.tree.nodes import Cast, Expr, IntLit
from kernlint.tree.types import BOOL, I32, ArrayType, FloatType, FunctionType, IntType, PointerType, StructType, Type

COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})


def promoted(type_: Type) -> Type:
    """Integer promotion: types narrower than ``int`` become ``int``."""
    return I32 if isinstance(type_, IntType) and type_.bits < 32 else type_


def common_type(left: Type, right: Type) -> Type | None:
    """The type in which two operands meet (C11 6.3.1.8), None when either is no arithmetic type.

    ``long`` and ``long long`` are one type here, as both have 64 bits.
    """
    if isinstance(left, FloatType) and isinstance(right, FloatType):
        return left if left.bits >= right.bits else right
    if isinstance(left, FloatType) and isinstance(right, IntType):
        return left
    if isinstance(left, IntType) and isinstance(right, FloatType):
        return right
    if not (isinstance(left, IntType) and isinstance(right, IntType)):
        return None
    left, right = promoted(left), promoted(right)
    assert isinstance(left, IntType) and isinstance(right, IntType)
    if left.bits != right.bits:
        return left if left.bits > right.bits else right
    return left if not left.signed else right


def convert(expr: Expr, type_: Type, explicit: bool = False) -> Expr:
    """``expr`` as a ``type_``: itself where nothing changes, else a cast.

    Array decay, binding to a reference and conversions to a base class are no operations of the tree.
    """
    have = expr.type
    if have == type_:
        return expr
    type_ = decayed(type_, PointerType(have.element) if isinstance(have, ArrayType) else have)
    if isinstance(type_, PointerType) and type_.reference:
        return expr
    if isinstance(have, (ArrayType, FunctionType)) and isinstance(type_, PointerType):
        element = have.element if isinstance(have, ArrayType) else have
        if _same_object(element, type_.pointee) and not explicit:
            return expr
    elif isinstance(have, PointerType) and isinstance(type_, PointerType):
        if _same_object(have.pointee, type_.pointee) and have.reference == type_.reference and not explicit:
            # Only qualifiers or the address space differ, which the pointer's origin knows better.
            return expr
    elif isinstance(type_, StructType) or isinstance(have, StructType):
        return expr
    if isinstance(expr, IntLit) and isinstance(type_, IntType) and not explicit:
        return IntLit(expr.span, type_, type_.wrap(expr.value))
    return Cast(expr.span, type_, expr, explicit)


def decayed(type_: Type, *operands: Type) -> Type:
    """The type of an operation on ``operands``, or of their conversion: an array there is a pointer to its first
    element.  libclang tells of a parameter, and of what is computed from it, the array that was written."""
    if isinstance(type_, ArrayType) and any(isinstance(operand, PointerType) for operand in operands):
        return PointerType(type_.element)
    return type_


def _same_object(have: Type, want: Type) -> bool:
    """Whether two types are of one object; of rows whose length is not known the compiler may have taken another."""
    while isinstance(have, ArrayType) and isinstance(want, ArrayType) and have.extent in (None, want.extent):
        have, want = have.element, want.element
    return have == want


def truth(expr: Expr) -> Expr:
    """``expr`` as a condition."""
    return expr if isinstance(expr.type, IntType) and expr.type.bits == 1 else Cast(expr.span, BOOL, expr, False)


def balanced(op: str, left: Expr, right: Expr) -> tuple[Expr, Expr]:
    """Both operands in their common type; shifts, logic and the comma leave each side its own."""
    if op in ("&&", "||", ","):
        return left, right
    if op in ("<<", ">>"):
        return convert(left, promoted(left.type)), convert(right, promoted(right.type))
    if left.type == right.type and not (isinstance(left.type, IntType) and left.type.bits < 32):
        return left, right
    common = common_type(left.type, right.type)
    if common is None:
        return left, right
    return convert(left, common), convert(right, common)
