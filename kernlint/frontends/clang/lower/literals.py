"""Constants: literals, ``sizeof`` and what clang can evaluate."""

from __future__ import annotations

import math
import re

from kernlint.frontends.clang.cursor import Cursor
from kernlint.frontends.clang.kinds import CursorKind as K
from kernlint.frontends.clang.lower.context import Scope, lowers_expression
from kernlint.frontends.clang.lower.conversions import convert
from kernlint.frontends.clang.lower.printed import is_expression
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import Expr, FloatLit, IntLit, Opaque, Ref, SizeOf, StringLit
from kernlint.tree.types import F64, I32, U64, UNKNOWN, FloatType, IntType, PointerType, StructType, Type

_DECIMAL = pattern(rb"(0[xX][0-9a-fA-F']+|[0-9][0-9']*)[uUlLzZ]*$")


def constant_node(scope: Scope, cursor: Cursor, type_: Type | None = None) -> Expr | None:
    """The value of ``cursor`` as a literal, or None when clang cannot compute one."""
    type_ = type_ or scope.type(cursor)
    if scope.lowering.mentions_made_up(cursor):
        return None
    value = cursor.evaluate()
    if isinstance(value, bytes):
        return StringLit(scope.span(cursor), type_, value.decode("utf-8", "replace"))
    if value is None:
        return None
    if isinstance(type_, FloatType):
        return FloatLit(scope.span(cursor), type_, float(value))
    if isinstance(type_, (IntType, PointerType)) and math.isfinite(value):
        number = int(value)
        return IntLit(scope.span(cursor), type_, type_.wrap(number) if isinstance(type_, IntType) else number)
    return None


@lowers_expression(K.INTEGER_LITERAL)
def integer_literal(scope: Scope, cursor: Cursor) -> Expr:
    type_ = scope.type(cursor)
    extent = cursor.extent
    value: object = None
    lowering = scope.lowering
    if not extent.in_macro and extent.file == lowering.path:
        match = _DECIMAL.match(lowering.text[extent.start : extent.end])
        if match:
            digits = match.group(1).replace(b"'", b"")
            value = int(digits, 8 if digits[:1] == b"0" and digits.isdigit() else 0)
    if value is None:
        value = cursor.evaluate()
    if not isinstance(value, int):
        return scope.opaque(cursor, "integer literal without a value", writes=False)
    return IntLit(scope.span(cursor), type_, type_.wrap(value) if isinstance(type_, IntType) else value)


@lowers_expression(K.CHARACTER_LITERAL, K.CXX_BOOL_LITERAL_EXPR, K.FLOATING_LITERAL, K.FIXED_POINT_LITERAL)
def other_literal(scope: Scope, cursor: Cursor) -> Expr:
    node = constant_node(scope, cursor)
    if node is None and cursor.kind == K.FLOATING_LITERAL:
        node = _written_float(scope, cursor)
    return node or scope.opaque(cursor, "literal without a value", writes=False)


def _written_float(scope: Scope, cursor: Cursor) -> Expr | None:
    text = scope.lowering.source(cursor).rstrip("fFlLhH").replace("'", "")
    type_ = scope.type(cursor)
    try:
        value = float.fromhex(text) if text[:2] in ("0x", "0X") else float(text)
    except ValueError:
        return None
    return FloatLit(scope.span(cursor), type_ if isinstance(type_, FloatType) else F64, value)


@lowers_expression(K.STRING_LITERAL)
def string_literal(scope: Scope, cursor: Cursor) -> Expr:
    value = cursor.evaluate()
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else _unquoted(cursor.spelling)
    return StringLit(scope.span(cursor), scope.type(cursor), text)


_ESCAPE = pattern(r"\\(?:([0-7]{1,3})|x([0-9a-fA-F]+)|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}


def _unquoted(spelling: str) -> str:
    """The text of a literal as clang spells it: in quotes, with escapes."""

    def plain(match: re.Match[str]) -> str:
        octal, hexadecimal, letter = match.groups()
        if letter is not None:
            return _ESCAPED.get(letter, letter)
        return chr(int(octal, 8) if octal is not None else min(int(hexadecimal, 16), 0x10FFFF))

    start = spelling.find('"')
    return _ESCAPE.sub(plain, spelling[start + 1 : -1])


@lowers_expression(K.CXX_NULL_PTR_LITERAL_EXPR, K.GNU_NULL_EXPR)
def null_pointer(scope: Scope, cursor: Cursor) -> Expr:
    return IntLit(scope.span(cursor), scope.type(cursor), 0)


_NOT_THEIRS = frozenset({"std::vector", "std::unique_ptr", "std::shared_ptr", "std::deque", "std::span"})
"""Types of which the declarations that stand in for the library's have another size."""


_OF_ITS_TYPE = pattern(r"sizeof\s*\(\s*(?:typename\s+)?decltype\s*\(.*\)\s*::")
"""``sizeof(decltype(x)::value_type)``: not of the variable, of which clang shows no more than that it is named."""


@lowers_expression(K.UNARY_EXPR, K.SIZE_OF_PACK_EXPR, K.CXX_TYPEID_EXPR)
def size_of(scope: Scope, cursor: Cursor) -> Expr:
    """``sizeof``, ``alignof``, ``vec_step``: folded where clang knows the answer."""
    type_ = scope.type(cursor)
    text = scope.lowering.source(cursor).lstrip()
    if _OF_ITS_TYPE.match(text):
        node = constant_node(scope, cursor, type_ if isinstance(type_, IntType) else U64)
        return node if node is not None else SizeOf(scope.span(cursor), U64, UNKNOWN)
    if scope.lowering.synthesised and text.startswith("sizeof"):
        operand = next((scope.conditional_expression(c) for c in cursor.children if is_expression(c)), None)
        if isinstance(operand, Ref) and operand.decl.type.size is None:
            return SizeOf(scope.span(cursor), U64, operand.decl.type)
    if text.startswith("sizeof") and not text.startswith("sizeof..."):
        of = next((scope.types.of(c.type) for c in cursor.children if c.type.kind), None)
        if isinstance(of, PointerType) and not of.reference:  # what was meant may be what it points to
            return SizeOf(scope.span(cursor), U64, of)
        if isinstance(of, StructType) and of.name.startswith("std::") and of.name.partition("<")[0] in _NOT_THEIRS:
            return SizeOf(scope.span(cursor), U64, of)
    node = constant_node(scope, cursor, type_ if isinstance(type_, IntType) else U64)
    if node is not None:
        return node
    if not text.startswith("sizeof") or text.startswith("sizeof..."):
        return scope.opaque(cursor, "operator without a known value", "template", writes=False)
    of = next((scope.types.of(c.type) for c in cursor.children if c.type.kind), UNKNOWN)
    return SizeOf(scope.span(cursor), U64, of)


@lowers_expression(K.CONCEPT_SPECIALIZATION_EXPR, K.REQUIRES_EXPR)
def type_trait(scope: Scope, cursor: Cursor) -> Expr:
    return constant_node(scope, cursor) or scope.opaque(cursor, "type trait without a value", "template", writes=False)


def folded(scope: Scope, cursor: Cursor) -> Expr:
    """``cursor`` as a constant where it is one (case labels, array extents), else lowered as it stands."""
    return constant_node(scope, cursor) or scope.conditional_expression(cursor)


def default_value(scope: Scope, cursor: Cursor) -> Expr:
    """An expression that is not in the text: a default argument, an implicit zero."""
    node = constant_node(scope, cursor)
    if node is not None:
        return node
    type_ = scope.type(cursor)
    if isinstance(type_, PointerType):
        return convert(IntLit(scope.span(cursor), I32, 0), type_)
    # Nothing of the text is lost with it, only a value is not known.
    return Opaque(scope.span(cursor), type_, "default argument")
